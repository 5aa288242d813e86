// What the codes of the document are called on the page.

const WALLS = [
  "bandwidth",
  "compute",
  "on_chip",
  "latency",
  "neither",
  "communication",
  "unmeasured",
].map((id) => ({
  id,
  label: t(`wall_${id}`),
  short: t(`wall_short_${id}`),
  means: t(`wall_means_${id}`),
}));
const WALL_SHORT = Object.fromEntries(WALLS.map((wall) => [wall.id, wall.short]));
const WALL_LABELS = Object.fromEntries(WALLS.map((wall) => [wall.id, wall.label]));

const LEVELS = ["launch", "shape", "name", "ambiguous", "none"].map((id) => ({
  id,
  label: t(`level_${id}`),
  means: t(`level_means_${id}`),
}));

/** fp16_tensor is "FP16 tensor", fp16_tensor_fp16acc "FP16 tensor, FP16 accumulation". */
function precisionLabel(precision) {
  return precision
    .replace(/^[a-z0-9]+/, (type) => type.toUpperCase())
    .replace("_fp16acc", t("fp16_accumulation"))
    .replaceAll("_", " ");
}

/** Integer operations are no FLOP. */
function rateUnit(precision) {
  return precision.startsWith("int") ? "OP/s" : "FLOP/s";
}

/** Kernel time of the run was measured by something other than Nsight Compute. */
const hasTrace = (report) => report.run.sources.some((source) => !source.kind.startsWith("ncu"));

/** Bandwidth that nsys sampled while the kernel ran, where no counters give it. */
const isSampled = (kernel) =>
  kernel.dram_bytes === null &&
  kernel.bandwidth_ratio !== null &&
  (kernel.sampled?.bandwidth_ratio ?? null) !== null;
