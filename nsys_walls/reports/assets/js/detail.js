// All that is known of one kernel, under its row.

function detail(kernel) {
  const name = el("code", { class: "full-name", translate: "no" }, printable(kernel.full_name));
  return el(
    "div",
    { class: "detail" },
    el(
      "div",
      { class: "full" },
      name,
      el(
        "span",
        { class: "buttons" },
        copyButton(t("copy_name"), () => kernel.full_name, name),
        copyButton(t("copy_link"), () => location.href),
      ),
    ),
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
      sampledFacts(kernel),
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

function timeFacts(kernel) {
  return facts(t("fact_time"), [
    [t("fact_total"), timeOf(kernel.time_ns)],
    [t("fact_launches"), count(kernel.launches)],
    [t("fact_median"), timeOf(kernel.median_ns)],
    [t("fact_mean"), timeOf(kernel.mean_ns)],
    [t("fact_shortest"), timeOf(kernel.min_ns)],
    [t("fact_p95"), timeOf(kernel.p95_ns)],
    [t("fact_longest"), timeOf(kernel.max_ns)],
    [t("fact_ncu"), timeOf(kernel.ncu_ns)],
    kernel.ncu_time_ratio === null
      ? null
      : [t("fact_ncu_ratio"), quantity([threeDigits(kernel.ncu_time_ratio), "×"])],
    (kernel.range ?? null) === null ? null : [t("range"), middleCut(kernel.range)],
  ]);
}

function workFacts(kernel) {
  const intensity = kernel.intensity_flop_per_byte;
  return facts(t("fact_work"), [
    ["FLOP", amount(kernel.flop, "FLOP")],
    ...Object.entries(kernel.flop_by_precision)
      .filter(([, flop]) => flop > 0)
      .map(([precision, flop]) => [
        `… ${precisionLabel(precision)}`,
        amount(flop, rateUnit(precision).slice(0, -2)),
      ]),
    kernel.flop_is === null ? null : [t("flop_are"), called("flop", kernel.flop_is)],
    kernel.not_collected.length === 0
      ? null
      : [t("not_collected"), kernel.not_collected.map(precisionLabel).join(t("comma"))],
    kernel.int_op === null ? null : [t("integer_operations"), amount(kernel.int_op, "OP")],
    [t("dram_traffic"), amount(kernel.dram_bytes, "B")],
    [t("l2_traffic"), amount(kernel.l2_bytes, "B")],
    [t("l1_traffic"), amount(kernel.l1_bytes, "B")],
    [t("intensity"), quantity(intensity === null ? null : [threeDigits(intensity), "FLOP/B"])],
    kernel.intensity_note === null ? null : [t("intensity_note"), printable(kernel.intensity_note)],
  ]);
}

function wallFacts(kernel) {
  const side =
    kernel.side === null
      ? quantity(null)
      : t(`on_side_${kernel.side}`) + (kernel.near_balance ? t("near_it") : "");
  return facts(t("fact_walls"), [
    [t("wall"), el("span", {}, swatch(`wall-${kernel.wall}`), WALL_LABELS[kernel.wall])],
    [t("bandwidth"), amount(kernel.bytes_per_s, "B/s")],
    [t("of_its_wall_too"), ratioCell(kernel.bandwidth_ratio, "bandwidth")],
    isSampled(kernel) ? [t("bandwidth_from"), t("sampled")] : null,
    [t("compute"), amount(kernel.flop_per_s, "FLOP/s")],
    [t("of_its_wall_too"), ratioCell(kernel.compute_ratio, "compute")],
    [
      t("of_precision"),
      kernel.precision === null ? quantity(null) : precisionLabel(kernel.precision),
    ],
    [t("balance_point"), side],
    [t("floor"), timeOf(kernel.floor_ns)],
    [t("recoverable_all"), timeOf(kernel.recoverable_ns)],
  ]);
}

function matchFacts(kernel) {
  const { level, reason, profiled_launches: profiled, spread_ratio: spread } = kernel.match;
  return facts(t("fact_match"), [
    [t("gpu_column"), String(kernel.device)],
    [t("grid"), shape(kernel.grid)],
    [t("block"), shape(kernel.block)],
    [t("shared_memory"), amount(kernel.shared_memory_bytes, "B")],
    [t("fact_counters_by"), called("level", level)],
    [t("because"), prose(reason)],
    [t("profiled_launches"), count(profiled)],
    [t("spread"), shareOf(spread)],
  ]);
}

/** GPU metrics that nsys sampled while nothing else ran. */
function sampledFacts(kernel) {
  const found = kernel.sampled ?? null;
  if (found === null) return null;
  return facts(t("fact_sampled"), [
    [t("samples"), count(found.samples)],
    [t("period"), timeOf(found.period_ns)],
    [t("bandwidth"), amount(found.bytes_per_s, "B/s")],
    [t("of_its_wall_too"), ratioCell(found.bandwidth_ratio, "bandwidth")],
    [t("dram_read"), shareOf(found.dram_read_ratio)],
    [t("dram_write"), shareOf(found.dram_write_ratio)],
    [t("sm_active"), shareOf(found.sm_active_ratio)],
    [t("tensor_active"), shareOf(found.tensor_active_ratio)],
  ]);
}
