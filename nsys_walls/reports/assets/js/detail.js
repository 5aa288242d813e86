// All that is known of one kernel, under its row.

function detail(kernel) {
  const name = el("code", { class: "full-name", translate: "no" }, printable(kernel.full_name));
  return el(
    "div",
    { class: "detail" },
    el("div", { class: "full" }, name, copyButton(kernel.full_name, name)),
    kernel.notes.length > 0
      ? el(
          "ul",
          { class: "kernel-notes" },
          kernel.notes.map((note) => el("li", {}, prose(note))),
        )
      : null,
    el(
      "div",
      { class: "facts" },
      timeFacts(kernel),
      workFacts(kernel),
      wallFacts(kernel),
      matchFacts(kernel),
    ),
  );
}

function facts(title, rows) {
  return el(
    "section",
    {},
    el("h3", {}, title),
    el(
      "dl",
      {},
      rows
        .filter((row) => row !== null)
        .flatMap(([what, value]) => [el("dt", {}, what), el("dd", {}, value)]),
    ),
  );
}

const timeOf = (value) => quantity(durationParts(value));
const amount = (value, unit) => quantity(siParts(value, unit));

function timeFacts(kernel) {
  return facts("Time", [
    ["total", timeOf(kernel.time_ns)],
    ["launches", count(kernel.launches)],
    ["median", timeOf(kernel.median_ns)],
    ["mean", timeOf(kernel.mean_ns)],
    ["shortest", timeOf(kernel.min_ns)],
    ["95 % are below", timeOf(kernel.p95_ns)],
    ["longest", timeOf(kernel.max_ns)],
    ["in the counter run", timeOf(kernel.ncu_ns)],
    kernel.ncu_time_ratio === null
      ? null
      : ["… over the median", quantity([threeDigits(kernel.ncu_time_ratio), "×"])],
  ]);
}

function workFacts(kernel) {
  const trust =
    { exact: "counted", lower_bound: "at least this", estimate: "estimated" }[kernel.flop_is] ??
    kernel.flop_is;
  return facts("Work and traffic of one launch", [
    ["FLOP", amount(kernel.flop, "FLOP")],
    ...Object.entries(kernel.flop_by_precision).map(([precision, flop]) => [
      `… ${precisionLabel(precision)}`,
      amount(flop, rateUnit(precision).slice(0, -2)),
    ]),
    trust === null ? null : ["FLOP are", trust],
    kernel.not_collected.length === 0
      ? null
      : ["not collected", kernel.not_collected.map(precisionLabel).join(", ")],
    kernel.int_op === null ? null : ["integer operations", amount(kernel.int_op, "OP")],
    ["DRAM traffic", amount(kernel.dram_bytes, "B")],
    ["L2 traffic", amount(kernel.l2_bytes, "B")],
    ["L1 traffic", amount(kernel.l1_bytes, "B")],
    [
      "intensity",
      kernel.intensity_flop_per_byte === null
        ? quantity(null)
        : quantity([threeDigits(kernel.intensity_flop_per_byte), "FLOP/B"]),
    ],
    kernel.intensity_note === null ? null : ["intensity note", kernel.intensity_note],
  ]);
}

function wallFacts(kernel) {
  const sides = { memory: "memory side", compute: "compute side" };
  return facts("Against the walls", [
    ["wall", el("span", {}, swatch(kernel.wall), WALL_LABELS[kernel.wall])],
    ["bandwidth", amount(kernel.bytes_per_s, "B/s")],
    ["… of its wall", ratioCell(kernel.bandwidth_ratio, "bandwidth")],
    ["compute", amount(kernel.flop_per_s, "FLOP/s")],
    ["… of its wall", ratioCell(kernel.compute_ratio, "compute")],
    [
      "… of precision",
      kernel.precision === null ? quantity(null) : precisionLabel(kernel.precision),
    ],
    [
      "balance point",
      kernel.side === null
        ? quantity(null)
        : sides[kernel.side] + (kernel.near_balance ? ", near it" : ""),
    ],
    ["floor of one launch", timeOf(kernel.floor_ns)],
    ["recoverable, all launches", timeOf(kernel.recoverable_ns)],
  ]);
}

function matchFacts(kernel) {
  const { level, reason, profiled_launches: profiled, spread_ratio: spread } = kernel.match;
  return facts("Launch shape and counters", [
    ["GPU", String(kernel.device)],
    ["grid", shape(kernel.grid)],
    ["block", shape(kernel.block)],
    ["dynamic shared memory", amount(kernel.shared_memory_bytes, "B")],
    ["counters by", level],
    ["because", prose(reason)],
    ["profiled launches", count(profiled)],
    ["spread of their bytes", quantity(percentParts(spread))],
  ]);
}

function copyButton(text, shown) {
  const button = el(
    "button",
    {
      type: "button",
      class: "small",
      click: async () => {
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = "Copied";
        } catch {
          // no clipboard here: leave the name selected, one key away
          getSelection().selectAllChildren(shown);
          button.textContent = "Selected, press Ctrl+C";
        }
      },
    },
    "Copy full name",
  );
  return button;
}
