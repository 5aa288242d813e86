// The roofline: intensity across, FLOP/s up, both logarithmic, with lanes for what has no logarithm.

// pixels, the left gap holds the tick labels; a crowded lane may be this part of the chart
const LANE = { width: 76, crowded: 140, part: 0.25, gap: 54, right: 70 };
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

/** Precisions whose walls are drawn unless the reader chooses: those in use, else the main one. */
function usualRoofs(kernels, device) {
  const used = [...workByPrecision(kernels, device).keys()];
  const main = mainPrecision(kernels, device);
  return used.length > 0 || main === null ? used : [main];
}

/** The compute walls to draw, lowest first; precisions with the same wall share one. */
function roofs(kernels, device, chosen) {
  const main = mainPrecision(kernels, device);
  const precisions = (chosen ?? usualRoofs(kernels, device)).filter(
    (precision) => peakOf(device, precision) !== null,
  );
  const byPeak = new Map();
  for (const precision of precisions.slice().sort()) {
    const peak = peakOf(device, precision);
    byPeak.set(peak, [...(byPeak.get(peak) ?? []), precision]);
  }
  return [...byPeak]
    .sort((one, other) => one[0] - other[0])
    .map(([peak, names]) => ({ peak, precisions: names, isMain: names.includes(main) }));
}

const least = (values) => values.reduce((one, other) => Math.min(one, other), Infinity);
const most = (values) => values.reduce((one, other) => Math.max(one, other), -Infinity);

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
  const xRange = [Math.min(FRAME[0], least(x) / 2.5), Math.max(FRAME[1], most(x) * 4)];
  const slope = bandwidth ? [bandwidth * Math.min(FRAME[0], least(x))] : [];
  const y = [...rates, ...slope, ...ceilings.map(({ peak }) => peak)];
  return { x: xRange, y: [least(y) / 2.5, most(y) * 3] };
}

function rooflineFigure(kernels, device, look, width, height) {
  const areas = rooflineAreas(kernels);
  if (Object.values(areas).flat().length === 0) return null;
  const rightLanes = [
    ["noTraffic", "x3", t("lane_no_traffic")],
    ["noBytes", "x4", t("lane_no_bytes")],
  ].filter(([name]) => areas[name].length > 0);
  const margin = { l: 50, r: 14, t: rightLanes.length > 0 ? 42 : 28, b: 46 };
  const bandwidth = device.bandwidth_bytes_per_s;
  const ceilings = roofs(kernels, device, look.roofs);
  const range = rooflineRange(areas, ceilings, device);
  const inner = width - margin.l - margin.r;
  const tall = height - margin.t - margin.b;
  const zero = zeroLane(areas.zero, look, inner, tall);
  const from = areas.zero.length > 0 ? (zero.width + LANE.gap) / inner : 0;
  const to = 1 - rightLanes.length * (LANE.right / inner);
  const wide = (to - from) * inner;
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
    wide,
    tall,
  };
  const spots = rooflineSpots(areas.main, frame);
  return {
    traces: [...roofTraces(frame), ...cacheTraces(), ...rooflineTraces(areas, frame, spots)],
    layout: rooflineLayout(areas, frame, { width, height }, margin, spots),
    note: areas.zero.length > 0 ? `${t("lane_note")} ` : "",
  };
}

/** The lane at intensity 0: wider where its bubbles would overlap. */
function zeroLane(kernels, look, inner, tall) {
  const top = ends(kernels, "bandwidth_ratio");
  const range = [belowZero(top, tall, look), top];
  const places = kernels.map((kernel) => ({
    along: (kernel.bandwidth_ratio / (range[1] - range[0])) * tall,
    radius: look.radii.of.get(kernel.id),
  }));
  const packInto = (width) => ({ range, width, ...swarm(places, width / 2) });
  const narrow = packInto(LANE.width);
  const wider = Math.min(LANE.crowded, inner * LANE.part);
  return narrow.isCrowded && wider > LANE.width ? packInto(wider) : narrow;
}

/** Pixels in the main area of its bubbles, moved apart where they would hide each other. */
function rooflineSpots(kernels, { look, range, wide, tall }) {
  const across = Math.log10(range.x[1] / range.x[0]) / wide; // decades in a pixel
  const up = Math.log10(range.y[1] / range.y[0]) / tall;
  const spots = kernels.map((kernel) => ({
    kernel,
    x: Math.log10(kernel.intensity_flop_per_byte / range.x[0]) / across,
    y: Math.log10(range.y[1] / kernel.flop_per_s) / up,
    radius: look.radii.of.get(kernel.id),
  }));
  const moves = apart(spots);
  return spots.map((spot, place) => ({
    ...spot,
    x: spot.x + moves[place].dx,
    y: spot.y + moves[place].dy,
    dataX: spot.kernel.intensity_flop_per_byte * 10 ** (moves[place].dx * across),
    dataY: spot.kernel.flop_per_s * 10 ** (-moves[place].dy * up),
  }));
}

function roofTraces({ look, bandwidth, ceilings, range, rightLanes, zero }) {
  const main = { x: "x", y: "y" };
  const { walls } = look.colours;
  const blue = { color: walls.bandwidth, width: 3 };
  const [low, high] = [range.x[0] / BEYOND, range.x[1] * BEYOND];
  const corner = ceilings.length > 0 ? ceilings[ceilings.length - 1].peak / bandwidth : high;
  const slope = wallLine(
    "bandwidth",
    [low, corner],
    [low * bandwidth, corner * bandwidth],
    main,
    blue,
  );
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
      ? [wallLine("bandwidth", [-zero.width, zero.width], [1, 1], { x: "x2", y: "y2" }, blue)]
      : []),
    ...(bandwidth ? [slope] : []),
  ];
}

function rooflineTraces(areas, { look, range, tall, rightLanes, zero }, spots) {
  const span = Math.log(range.y[1] / range.y[0]);
  const lanes = rightLanes.map(([name, x]) => {
    const places = areas[name].map((kernel) => ({
      along: (Math.log(kernel.flop_per_s / range.y[0]) / span) * tall,
      radius: look.radii.of.get(kernel.id),
    }));
    return bubbleTrace(
      areas[name],
      swarm(places, LANE.right / 2).offsets,
      areas[name].map((kernel) => kernel.flop_per_s),
      { x, y: "y", hollow: name === "noBytes" },
      look,
    );
  });
  return [
    bubbleTrace(
      areas.main,
      spots.map((spot) => spot.dataX),
      spots.map((spot) => spot.dataY),
      { x: "x", y: "y" },
      look,
    ),
    bubbleTrace(
      areas.zero,
      zero.offsets,
      areas.zero.map((kernel) => kernel.bandwidth_ratio),
      { x: "x2", y: "y2" },
      look,
    ),
    ...lanes,
  ].filter((trace) => trace.x.length > 0);
}
