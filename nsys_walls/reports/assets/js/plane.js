// The walls plane: share of the bandwidth wall across, share of the compute wall up, both linear.

const LOW_RATIO = 0.02; // under it kernels would lie on one line: they stand side by side below
const STRIP = { gap: 26, least: 26, most: 110 }; // pixels; the gap holds the strip's title
const PLANE_HEIGHT = 300;

function planeAreas(kernels) {
  const has = (kernel, key) => kernel[key] !== null;
  const both = kernels.filter(
    (kernel) => has(kernel, "bandwidth_ratio") && has(kernel, "compute_ratio"),
  );
  return {
    plane: both.filter((kernel) => kernel.compute_ratio >= LOW_RATIO),
    low: both.filter((kernel) => kernel.compute_ratio < LOW_RATIO),
    noFlop: kernels.filter(
      (kernel) => has(kernel, "bandwidth_ratio") && !has(kernel, "compute_ratio"),
    ),
    noBytes: kernels.filter(
      (kernel) => !has(kernel, "bandwidth_ratio") && has(kernel, "compute_ratio"),
    ),
  };
}

const ends = (kernels, key) => Math.max(1.03, ...kernels.map((kernel) => kernel[key] ?? 0)) * 1.05;

/** Where an axis from 0 to `top` must start so that a bubble at 0 stays inside. */
const belowZero = (top, pixels, look) =>
  (-top * look.radii.largest) / (pixels - look.radii.largest);

/** Offsets across a strip of kernels that lie at `along` pixels, and half the room they need. */
function pack(kernels, along, look) {
  const places = kernels.map((kernel) => ({
    along: along(kernel),
    radius: look.radii.of.get(kernel.id),
  }));
  const { offsets, isCrowded } = swarm(places, STRIP.most - 3);
  const half = Math.max(
    STRIP.least,
    ...offsets.map((offset, place) => Math.abs(offset) + places[place].radius + 3),
  );
  return { kernels, offsets, isCrowded, half };
}

function planeFigure(kernels, device, look, width) {
  const areas = planeAreas(kernels);
  const placed = Object.values(areas).flat();
  if (placed.length === 0) return null;
  const margin = { l: 66, r: 18, t: 28, b: 46 };
  const inner = width - margin.l - margin.r;
  const [right, top] = ["bandwidth_ratio", "compute_ratio"].map((key) => ends(placed, key));
  const xRange = [belowZero(right, inner, look), right];
  const yRange = [belowZero(top, PLANE_HEIGHT, look), top];
  const side = pack(
    areas.noBytes,
    (kernel) => (kernel.compute_ratio / (yRange[1] - yRange[0])) * PLANE_HEIGHT,
    look,
  );
  const left = areas.noBytes.length > 0 ? 2 * side.half + STRIP.gap : 0;
  const pixel = (ratio) => ((ratio - xRange[0]) / (xRange[1] - xRange[0])) * (inner - left);
  const strips = [
    ["low", "y2", "under 2 % of the compute wall, side by side"],
    ["noFlop", "y3", "FLOP not measured"],
  ]
    .filter(([name]) => areas[name].length > 0)
    .map(([name, yaxis, title]) => ({
      name,
      yaxis,
      title,
      ...pack(areas[name], (kernel) => pixel(kernel.bandwidth_ratio), look),
    }));
  const below = strips.reduce((sum, strip) => sum + strip.half * 2 + STRIP.gap, 0);
  const plane = Math.max(PLANE_HEIGHT, 420 - below);
  const size = { width, height: margin.t + plane + below + margin.b };
  const frame = {
    look,
    device,
    xRange,
    yRange,
    strips,
    side,
    domains: domains(strips, plane, below),
    left: left / inner,
  };
  return {
    traces: planeTraces(areas, frame),
    layout: planeLayout(frame, size, margin, placed),
    note: "",
    isCrowded: [side, ...strips].some((strip) => strip.isCrowded),
  };
}

/** Vertical parts of the drawing, plane first, as fractions from the bottom. */
function domains(strips, plane, below) {
  const whole = plane + below;
  let top = below;
  const parts = { y: [below / whole, 1] };
  for (const strip of strips) {
    top -= STRIP.gap;
    parts[strip.yaxis] = [Math.max(0, top - 2 * strip.half) / whole, top / whole];
    top -= 2 * strip.half;
  }
  return parts;
}

function planeTraces(areas, { look, xRange, yRange, strips, side }) {
  const at = (kernels, key) => kernels.map((kernel) => kernel[key]);
  const { walls } = look.colours;
  const far = 10; // walls go on past the first view
  return [
    wallLine(
      "compute",
      [-far, far * xRange[1]],
      [1, 1],
      { x: "x", y: "y" },
      { color: walls.compute, width: 3 },
    ),
    wallLine(
      "bandwidth",
      [1, 1],
      [-far, far * yRange[1]],
      { x: "x", y: "y" },
      { color: walls.bandwidth, width: 3 },
    ),
    ...strips.map(({ yaxis, half }) =>
      wallLine(
        "bandwidth",
        [1, 1],
        [-half, half],
        { x: "x", y: yaxis },
        { color: walls.bandwidth, width: 3 },
      ),
    ),
    bubbleTrace(
      areas.plane,
      at(areas.plane, "bandwidth_ratio"),
      at(areas.plane, "compute_ratio"),
      { x: "x", y: "y" },
      look,
    ),
    ...strips.map((strip) =>
      bubbleTrace(
        strip.kernels,
        at(strip.kernels, "bandwidth_ratio"),
        strip.offsets,
        { x: "x", y: strip.yaxis, hollow: strip.name === "noFlop" },
        look,
      ),
    ),
    bubbleTrace(
      areas.noBytes,
      side.offsets,
      at(areas.noBytes, "compute_ratio"),
      { x: "x2", y: "y", hollow: true },
      look,
    ),
  ].filter((trace) => trace.x.length > 0);
}

function planeLayout(frame, size, margin, placed) {
  const { look, xRange, yRange, strips, side, domains: parts, left } = frame;
  const step = (range) => (range[1] <= 1.6 ? 0.2 : undefined);
  const layout = {
    ...baseLayout(look, size, margin),
    xaxis: axis(look, {
      domain: [left, 1],
      range: xRange,
      anchor: "free",
      position: 0,
      tickformat: ".0%",
      dtick: step(xRange),
      title: { text: "share of the bandwidth wall", standoff: 10, font: { size: 12.5 } },
    }),
    yaxis: axis(look, {
      domain: parts.y,
      range: yRange,
      anchor: "free",
      position: 0,
      tickformat: ".0%",
      dtick: step(yRange),
      title: { text: "share of the compute wall", standoff: 8, font: { size: 12.5 } },
    }),
    shapes: planeShapes(frame),
    annotations: planeLabels(frame, placed),
  };
  for (const strip of strips)
    layout[`yaxis${strip.yaxis.slice(1)}`] = acrossAxis(parts[strip.yaxis], strip.half, "x");
  if (left > 0)
    layout.xaxis2 = acrossAxis(
      [0, (left * 2 * side.half) / (2 * side.half + STRIP.gap)],
      side.half,
      "y",
    );
  return layout;
}

function planeShapes({ look, device, xRange, yRange, strips, left }) {
  const { walls, mute } = look.colours;
  const near = device.near_ratio;
  const rect = (colour, alpha, place) => ({
    type: "rect",
    layer: "below",
    line: { width: 0 },
    fillcolor: translucent(colour, alpha),
    ...place,
  });
  const line = (colour, width, place, dash = "solid") => ({
    type: "line",
    layer: "below",
    line: { color: colour, width, dash },
    ...place,
  });
  const across = { xref: "x domain", x0: 0, x1: 1 };
  const diagonal = Math.min(xRange[1], yRange[1]);
  return [
    ...strips.map((strip) =>
      rect(mute, 0.07, { ...across, yref: `${strip.yaxis} domain`, y0: 0, y1: 1 }),
    ),
    rect(walls.bandwidth, 0.07, {
      xref: "x",
      x0: near,
      x1: xRange[1],
      yref: "paper",
      y0: 0,
      y1: 1,
    }),
    rect(walls.compute, 0.07, { ...across, yref: "y", y0: near, y1: yRange[1] }),
    line(mute, 1, { xref: "x", x0: 0, x1: diagonal, yref: "y", y0: 0, y1: diagonal }, "dot"),
    line(walls.bandwidth, 3, { xref: "x", x0: 1, x1: 1, yref: "paper", y0: 0, y1: 1 }), // between the strips
    ...(left > 0
      ? [rect(mute, 0.07, { xref: "x2 domain", x0: 0, x1: 1, yref: "y domain", y0: 0, y1: 1 })]
      : []),
  ];
}

function planeLabels({ look, device, xRange, yRange, strips, side, domains: parts, left }, placed) {
  const { walls, mute, compute } = look.colours;
  const top = { yref: "paper", y: 1, yanchor: "bottom", yshift: 2 };
  const bandwidth = device.bandwidth_bytes_per_s;
  const precisions = [...workByPrecision(placed, device).keys()];
  const peak =
    precisions.length === 1
      ? ` ${si(peakOf(device, precisions[0]), rateUnit(precisions[0]))} ${precisionLabel(precisions[0])}`
      : " of each kernel's precision";
  const isMiddle = xRange[1] > 1.4; // then the label before the wall would meet the one at the left
  const laneEnd = (left * 2 * side.half) / (2 * side.half + STRIP.gap);
  return [
    annotation(
      `<b>bandwidth wall${bandwidth === null ? "" : ` ${si(bandwidth, "B/s")}`}</b>`,
      walls.bandwidth,
      { xref: "x", x: 1, xanchor: isMiddle ? "left" : "right", ...top },
    ),
    annotation(
      `<b>compute wall${isMiddle ? "" : peak}</b>`,
      compute,
      yRange[1] < 1.5
        ? { xref: "x domain", x: 0, xanchor: "left", ...top }
        : {
            xref: "x domain",
            x: 0,
            xanchor: "left",
            yref: "y",
            y: 1,
            yanchor: "bottom",
            yshift: 2,
          },
    ),
    annotation("balance point", mute, {
      xref: "x",
      x: 0.9,
      yref: "y",
      y: 0.9,
      xanchor: "right",
      yanchor: "bottom",
    }),
    ...strips.map((strip) =>
      annotation(strip.title, mute, {
        xref: "x domain",
        x: 0,
        xanchor: "left",
        yref: "paper",
        y: parts[strip.yaxis][1],
        yanchor: "bottom",
      }),
    ),
    ...(left > 0
      ? [
          annotation("DRAM bytes not measured", mute, {
            xref: "paper",
            x: laneEnd,
            xanchor: "left",
            yref: "y domain",
            y: 0.5,
            textangle: -90,
          }),
        ]
      : []),
  ];
}
