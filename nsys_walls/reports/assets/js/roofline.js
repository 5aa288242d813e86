// The roofline: intensity across, FLOP/s up, both logarithmic, with lanes for what has no logarithm.

const LANE = { width: 76, crowded: 140, gap: 54, right: 70 }; // pixels; the left gap holds the tick labels
const LANE_NOTE =
  "Lane at the left: kernels without floating-point work, as high as their share of the bandwidth wall. ";
const FRAME = [0.1, 1000]; // FLOP/byte that are always in view, so that charts compare
const BEYOND = 1e4; // how far walls go on past the first view, for those who zoom out

function rooflineAreas(kernels) {
  const works = kernels.filter((kernel) => kernel.flop_per_s > 0);
  return {
    main: works.filter((kernel) => kernel.intensity_flop_per_byte > 0),
    zero: kernels.filter(
      (kernel) => kernel.flop === 0 && kernel.dram_bytes > 0 && kernel.bandwidth_ratio !== null,
    ),
    noTraffic: works.filter((kernel) => kernel.dram_bytes === 0),
    noBytes: works.filter((kernel) => kernel.dram_bytes === null),
  };
}

/** The compute walls to draw, lowest first; precisions with the same wall share one. */
function roofs(kernels, device) {
  const used = [...workByPrecision(kernels, device).keys()];
  const main = mainPrecision(kernels, device);
  const drawn = used.length > 0 || main === null ? used : [main];
  const byPeak = new Map();
  for (const precision of drawn.sort()) {
    const peak = peakOf(device, precision);
    byPeak.set(peak, [...(byPeak.get(peak) ?? []), precision]);
  }
  return [...byPeak]
    .sort((one, other) => one[0] - other[0])
    .map(([peak, precisions]) => ({ peak, precisions, isMain: precisions.includes(main) }));
}

/** First view, as [low, high] of each axis: all points and every corner of the roofs, with room. */
function rooflineRange(areas, ceilings, device) {
  const bandwidth = device.bandwidth_bytes_per_s;
  const intensities = areas.main.map((kernel) => kernel.intensity_flop_per_byte);
  const corners = bandwidth
    ? ceilings.flatMap(({ peak }) => [(peak / bandwidth) * device.balance_factor, peak / bandwidth])
    : [];
  const x = [...intensities, ...corners];
  const rates = [...areas.main, ...areas.noTraffic, ...areas.noBytes].map(
    (kernel) => kernel.flop_per_s,
  );
  const xRange = [
    Math.min(FRAME[0], ...x.map((value) => value / 2.5)),
    Math.max(FRAME[1], ...x.map((value) => value * 4)),
  ];
  const slope = bandwidth ? [bandwidth * Math.min(FRAME[0], ...x)] : [];
  const y = [...rates, ...slope, ...ceilings.map(({ peak }) => peak)];
  return { x: xRange, y: [Math.min(...y) / 2.5, Math.max(...y) * 3] };
}

function rooflineFigure(kernels, device, look, width, height) {
  const areas = rooflineAreas(kernels);
  if (Object.values(areas).flat().length === 0) return null;
  const rightLanes = [
    ["noTraffic", "x3", "no DRAM<br>traffic"],
    ["noBytes", "x4", "bytes not<br>measured"],
  ].filter(([name]) => areas[name].length > 0);
  const margin = { l: 50, r: 14, t: rightLanes.length > 0 ? 42 : 28, b: 46 };
  const bandwidth = device.bandwidth_bytes_per_s;
  const ceilings = roofs(kernels, device);
  const range = rooflineRange(areas, ceilings, device);
  const inner = width - margin.l - margin.r;
  const tall = height - margin.t - margin.b;
  const zero = zeroLane(areas.zero, look, tall);
  const from = areas.zero.length > 0 ? (zero.width + LANE.gap) / inner : 0;
  const to = 1 - rightLanes.length * (LANE.right / inner);
  const frame = {
    look,
    device,
    bandwidth,
    ceilings,
    range,
    from,
    to,
    inner,
    rightLanes,
    zero,
    wide: (to - from) * inner,
    tall,
  };
  return {
    traces: [...roofTraces(frame), ...rooflineTraces(areas, frame)],
    layout: rooflineLayout(areas, frame, { width, height }, margin),
    note: areas.zero.length > 0 ? LANE_NOTE : "",
  };
}

/** The lane at intensity 0: wider where its bubbles would overlap. */
function zeroLane(kernels, look, tall) {
  const top = ends(kernels, "bandwidth_ratio");
  const range = [belowZero(top, tall, look), top];
  const places = kernels.map((kernel) => ({
    along: (kernel.bandwidth_ratio / (range[1] - range[0])) * tall,
    radius: look.radii.of.get(kernel.id),
  }));
  const packInto = (width) => ({ range, width, ...swarm(places, width / 2) });
  const narrow = packInto(LANE.width);
  return narrow.isCrowded ? packInto(LANE.crowded) : narrow;
}

function roofTraces({ look, bandwidth, ceilings, range, rightLanes, zero }) {
  const main = { x: "x", y: "y" };
  const { walls } = look.colours;
  const [low, high] = [range.x[0] / BEYOND, range.x[1] * BEYOND];
  const corner = ceilings.length > 0 ? ceilings[ceilings.length - 1].peak / bandwidth : high;
  const slope = wallLine("bandwidth", [low, corner], [low * bandwidth, corner * bandwidth], main, {
    color: walls.bandwidth,
    width: 3,
  });
  const roof = ({ peak, precisions, isMain }, x, axes) =>
    wallLine(precisions.join(" "), x, [peak, peak], axes, {
      color: walls.compute,
      width: isMain ? 3 : 1.5,
      dash: isMain ? "solid" : "dash",
    });
  return [
    ...ceilings.map((ceiling) =>
      roof(ceiling, [bandwidth ? ceiling.peak / bandwidth : low, high], main),
    ),
    ...rightLanes.flatMap(([, x]) =>
      ceilings.map((ceiling) => roof(ceiling, [-LANE.right, LANE.right], { x, y: "y" })),
    ),
    ...(zero.offsets.length > 0
      ? [
          wallLine(
            "bandwidth",
            [-zero.width, zero.width],
            [1, 1],
            { x: "x2", y: "y2" },
            { color: walls.bandwidth, width: 3 },
          ),
        ]
      : []),
    ...(bandwidth ? [slope] : []),
  ];
}

function rooflineTraces(areas, { look, range, tall, rightLanes, zero }) {
  const at = (kernels, key) => kernels.map((kernel) => kernel[key]);
  const span = Math.log(range.y[1] / range.y[0]);
  const lanes = rightLanes.map(([name, x]) => {
    const { offsets } = swarm(
      areas[name].map((kernel) => ({
        along: (Math.log(kernel.flop_per_s / range.y[0]) / span) * tall,
        radius: look.radii.of.get(kernel.id),
      })),
      LANE.right / 2,
    );
    return bubbleTrace(
      areas[name],
      offsets,
      at(areas[name], "flop_per_s"),
      { x, y: "y", hollow: name === "noBytes" },
      look,
    );
  });
  return [
    bubbleTrace(
      areas.main,
      at(areas.main, "intensity_flop_per_byte"),
      at(areas.main, "flop_per_s"),
      { x: "x", y: "y" },
      look,
    ),
    bubbleTrace(
      areas.zero,
      zero.offsets,
      at(areas.zero, "bandwidth_ratio"),
      { x: "x2", y: "y2" },
      look,
    ),
    ...lanes,
  ].filter((trace) => trace.x.length > 0);
}
