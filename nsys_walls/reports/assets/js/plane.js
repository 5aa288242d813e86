// The walls plane: share of the bandwidth wall across, share of the compute wall up, both linear.

const LOW_RATIO = 0.02; // under it kernels would lie on one line: they stand side by side below
const STRIP = { gap: 26, least: 26, most: 110 }; // pixels; the gap holds the strip's title
const SHELF_EDGE = 4; // free pixels at both ends of a row of unmeasured kernels
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
    nothing: kernels.filter(
      (kernel) => !has(kernel, "bandwidth_ratio") && !has(kernel, "compute_ratio"),
    ),
  };
}

const ends = (kernels, key) =>
  1.05 * kernels.reduce((most, kernel) => Math.max(most, kernel[key] ?? 0), 1.03);

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
  const half = offsets.reduce(
    (most, offset, place) => Math.max(most, Math.abs(offset) + places[place].radius + 3),
    STRIP.least,
  );
  return { kernels, offsets, isCrowded, half };
}

/** Kernels of which neither share is known, in rows, heaviest first: only their size says anything. */
function shelve(kernels, look, width) {
  const along = [];
  const rows = [];
  let left = SHELF_EDGE;
  let top = 0;
  let height = 0;
  for (const kernel of kernels) {
    const radius = look.radii.of.get(kernel.id);
    if (left > SHELF_EDGE && left + 2 * radius > width - SHELF_EDGE) {
      top += height;
      [left, height] = [SHELF_EDGE, 0];
    }
    height = Math.max(height, 2 * radius + 2);
    along.push(left + radius);
    rows.push(top + radius + 1);
    left += 2 * radius + 2;
  }
  const tall = top + height;
  const half = Math.min(STRIP.most, Math.max(STRIP.least, tall / 2 + 2));
  const scale = Math.min(1, (2 * half) / tall); // a crowd is pressed together
  const offsets = rows.map((row) => (tall / 2 - row) * scale);
  return { kernels, along, offsets, half, isCrowded: false };
}

function planeFigure(kernels, device, look, width) {
  const areas = planeAreas(kernels);
  const placed = [areas.plane, areas.low, areas.noFlop, areas.noBytes].flat();
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
  const wide = inner - left;
  const pixel = (ratio) => ((ratio - xRange[0]) / (xRange[1] - xRange[0])) * wide;
  const strips = planeStrips(areas, look, wide, pixel).map((strip) => ({
    ...strip,
    x:
      strip.along === undefined
        ? strip.kernels.map((kernel) => kernel.bandwidth_ratio)
        : strip.along.map((along) => xRange[0] + (along / wide) * (xRange[1] - xRange[0])),
  }));
  const below = strips.reduce((sum, strip) => sum + strip.half * 2 + STRIP.gap, 0);
  const tall = Math.max(PLANE_HEIGHT, 420 - below);
  const size = { width, height: margin.t + tall + below + margin.b };
  const frame = {
    look,
    device,
    xRange,
    yRange,
    strips,
    side,
    wide,
    tall,
    domains: domains(strips, tall, below),
    left: left / inner,
  };
  const spots = planeSpots(areas.plane, frame);
  return {
    traces: planeTraces(areas, frame, spots),
    layout: planeLayout(frame, size, margin, placed, spots),
    note: "",
    isCrowded: [side, ...strips].some((strip) => strip.isCrowded),
  };
}

/** The strips below the plane that this run needs. */
function planeStrips(areas, look, wide, pixel) {
  const byBandwidth = (kernels) => pack(kernels, (kernel) => pixel(kernel.bandwidth_ratio), look);
  return [
    ["low", "y2", t("strip_low"), byBandwidth],
    ["noFlop", "y3", t("strip_no_flop"), byBandwidth],
    ["nothing", "y4", t("strip_nothing"), (kernels) => shelve(kernels, look, wide)],
  ]
    .filter(([name]) => areas[name].length > 0)
    .map(([name, yaxis, title, arrange]) => ({ name, yaxis, title, ...arrange(areas[name]) }));
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

/** Pixels in the plane of its bubbles, moved apart where they would hide each other. */
function planeSpots(kernels, { look, xRange, yRange, wide, tall }) {
  const spots = kernels.map((kernel) => ({
    kernel,
    x: ((kernel.bandwidth_ratio - xRange[0]) / (xRange[1] - xRange[0])) * wide,
    y: ((yRange[1] - kernel.compute_ratio) / (yRange[1] - yRange[0])) * tall,
    radius: look.radii.of.get(kernel.id),
  }));
  const moves = apart(spots);
  return spots.map((spot, place) => ({
    ...spot,
    x: spot.x + moves[place].dx,
    y: spot.y + moves[place].dy,
    dataX: spot.kernel.bandwidth_ratio + (moves[place].dx / wide) * (xRange[1] - xRange[0]),
    dataY: spot.kernel.compute_ratio - (moves[place].dy / tall) * (yRange[1] - yRange[0]),
  }));
}

function planeTraces(areas, { look, xRange, yRange, strips, side }, spots) {
  const { walls } = look.colours;
  const far = 10; // walls go on past the first view
  const main = { x: "x", y: "y" };
  const blue = { color: walls.bandwidth, width: 3 };
  const orange = { color: walls.compute, width: 3 };
  return [
    wallLine("compute", [-far, far * xRange[1]], [1, 1], main, orange),
    wallLine("bandwidth", [1, 1], [-far, far * yRange[1]], main, blue),
    ...strips
      .filter((strip) => strip.name !== "nothing")
      .map(({ yaxis, half }) =>
        wallLine("bandwidth", [1, 1], [-half, half], { x: "x", y: yaxis }, blue),
      ),
    bubbleTrace(
      areas.plane,
      spots.map((spot) => spot.dataX),
      spots.map((spot) => spot.dataY),
      main,
      look,
    ),
    ...strips.map((strip) =>
      bubbleTrace(
        strip.kernels,
        strip.x,
        strip.offsets,
        { x: "x", y: strip.yaxis, hollow: strip.name !== "low" },
        look,
      ),
    ),
    bubbleTrace(
      areas.noBytes,
      side.offsets,
      areas.noBytes.map((kernel) => kernel.compute_ratio),
      { x: "x2", y: "y", hollow: true },
      look,
    ),
  ].filter((trace) => trace.x.length > 0);
}
