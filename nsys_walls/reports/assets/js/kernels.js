// What the page asks about kernels and GPUs.

/** The GPU with most kernel time, or null. */
function busiest(report) {
  return report.devices.reduce(
    (best, device) =>
      best === null || device.totals.kernel_ns > best.totals.kernel_ns ? device : best,
    null,
  );
}

/** Peak of a precision, FLOP/s; FP16 accumulation falls back to the plain peak. Null if unknown. */
function peakOf(device, precision) {
  const peaks = device.peak_flop_per_s;
  return peaks[precision] ?? peaks[precision.replace("_fp16acc", "")] ?? null;
}

/** FLOP of all launches, by precision, where the GPU has a wall for it. */
function workByPrecision(kernels, device) {
  const work = new Map();
  for (const kernel of kernels) {
    for (const [precision, flop] of Object.entries(kernel.flop_by_precision)) {
      if (flop > 0 && peakOf(device, precision) !== null) {
        work.set(precision, (work.get(precision) ?? 0) + flop * kernel.launches);
      }
    }
  }
  return work;
}

/** The precision that does most of the work; without counters, the one a reader expects. */
function mainPrecision(kernels, device) {
  const work = [...workByPrecision(kernels, device)].sort((one, other) => other[1] - one[1]);
  if (work.length > 0) return work[0][0];
  const known = Object.keys(device.peak_flop_per_s);
  return (
    ["fp16_tensor", "bf16_tensor", "fp32"].find((name) => known.includes(name)) ?? known[0] ?? null
  );
}

const COVERED = 0.25; // part of the chart that all bubbles together may cover

/**
 * Bubble radii in pixels: area follows total time, with a smallest size to be seen.
 *
 * @returns {{of: Map<number, number>, largest: number, most: number}} by kernel id, the largest,
 *   and the time it stands for, ns
 */
function radii(kernels, width, scale) {
  const times = kernels.map((kernel) => kernel.time_ns ?? 0);
  const most = times.reduce((one, other) => Math.max(one, other), 0);
  const all = times.reduce((sum, time) => sum + time, 0);
  const room = (COVERED * width * PLANE_HEIGHT) / Math.PI;
  const largest = scale * Math.min(20, width / 28, Math.sqrt(room * (share(most, all) ?? 1)));
  const smallest = kernels.length > 500 ? 2 : 3.5;
  const of = new Map(
    kernels.map((kernel) => [
      kernel.id,
      Math.max(smallest, largest * Math.sqrt(share(kernel.time_ns ?? 0, most) ?? 0)),
    ]),
  );
  return { of, largest, most };
}

/** Why kernels have no place in a chart, counted: "2 without counters, 1 with ambiguous counters". */
function whyMissing(kernels) {
  const reasons = new Map();
  for (const { match } of kernels) {
    const reason = ["none", "ambiguous"].includes(match.level) ? match.level : "incomplete";
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [...reasons]
    .map(([reason, number]) => t(`missing_${reason}`, { number }))
    .join(t("comma"));
}

/**
 * How many kernels there are and their time, ns, by a key such as the level of their match; those
 * that this page has no room for count too.
 *
 * @param {"levels"|"sides"} kind
 * @param {function(object): ?string} groupOf
 * @returns {function(string): {kernels: number, time: number}}
 */
function tally(report, kind, groupOf) {
  const left = report.page?.[kind] ?? {};
  return (group) => {
    const here = report.kernels.filter((kernel) => groupOf(kernel) === group);
    return {
      kernels: here.length + (left[group]?.kernels ?? 0),
      time: totalTime(here) + (left[group]?.time_ns ?? 0),
    };
  };
}

const byLevel = (report) => tally(report, "levels", (kernel) => kernel.match.level);
const bySide = (report) => tally(report, "sides", (kernel) => kernel.side);
