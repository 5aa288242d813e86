// What the codes of the document are called on the page.

const WALLS = [
  {
    id: "bandwidth",
    label: "bandwidth wall",
    short: "bandwidth",
    means: "DRAM traffic is near its limit: only fewer bytes help.",
  },
  {
    id: "compute",
    label: "compute wall",
    short: "compute",
    means:
      "The math units of its precision are near their limit: only less work, or a cheaper precision, helps.",
  },
  {
    id: "on_chip",
    label: "on-chip limit",
    short: "on-chip",
    means: "Below both walls, but an SM, L1 or L2 unit is busy (Speed of Light of at least 60 %).",
  },
  {
    id: "latency",
    label: "latency",
    short: "latency",
    means:
      "Below both walls and nothing on the chip is busy: launch size, occupancy, dependencies.",
  },
  {
    id: "neither",
    label: "neither wall",
    short: "neither",
    means: "Below both walls; why was not measured (no Speed of Light).",
  },
  {
    id: "communication",
    label: "communication",
    short: "comm.",
    means: "Collectives: they wait for other GPUs, so their time is no sign of bandwidth.",
  },
  {
    id: "unmeasured",
    label: "not measured",
    short: "not measured",
    means: "Time is known, counters are missing: nothing is claimed.",
  },
];
const WALL_SHORT = Object.fromEntries(WALLS.map((wall) => [wall.id, wall.short]));
const WALL_LABELS = Object.fromEntries(WALLS.map((wall) => [wall.id, wall.label]));

const LEVELS = [
  { id: "launch", label: "launch", means: "every launch was profiled, matched in order" },
  { id: "shape", label: "shape", means: "same name, grid and block" },
  { id: "name", label: "name", means: "same name, where that leaves no doubt" },
  { id: "ambiguous", label: "ambiguous", means: "several fit: counters are shown, rates are not" },
  { id: "none", label: "none", means: "no counters" },
];

const ORIGINS = {
  option: "given on the command line",
  trace: "the trace",
  "trace-name": "device name in the trace",
  table: "hardware table",
  ncu: "Nsight Compute",
  derived: "derived from clock and units",
};

const SOURCE_KINDS = {
  "nsys-sqlite": "Nsight Systems, SQLite",
  "nsys-parquet": "Nsight Systems, Parquet",
  "nsys-stats-csv": "Nsight Systems, stats CSV",
  "ncu-csv": "Nsight Compute, CSV",
  "torch-trace": "PyTorch profiler trace",
};

/** fp16_tensor is "FP16 tensor", fp16_tensor_fp16acc "FP16 tensor, FP16 accumulation". */
function precisionLabel(precision) {
  return precision
    .replace(/^[a-z0-9]+/, (type) => type.toUpperCase())
    .replace("_fp16acc", ", FP16 accumulation")
    .replaceAll("_", " ");
}

/** Integer operations are no FLOP. */
function rateUnit(precision) {
  return precision.startsWith("int") ? "OP/s" : "FLOP/s";
}

/** Kernel time of the run was measured by something other than Nsight Compute. */
const hasTrace = (report) => report.run.sources.some((source) => source.kind !== "ncu-csv");
