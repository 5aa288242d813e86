// Why GPUs were idle, in words, and the longest gaps.

const CAUSES_SHOWN = 6;
const IDLE_WORTH_TELLING = 0.005; // part of the span; less is noise

function idleTables(report) {
  const causes = overGpus(report.idle.by_cause);
  const idle = report.totals.idle_ns ?? 0;
  if (causes.length === 0 || idle < IDLE_WORTH_TELLING * report.totals.span_ns) return [];
  const heads = [
    [t("idle_why"), "wide"],
    [t("gaps"), "n"],
    [t("time"), "n"],
    [t("share_of_idle"), "n"],
    [t("longest"), "n"],
  ];
  const rows = causes.map((row) => [
    [el("span", {}, idleTitle(row)), el("small", {}, idleMeans(row))],
    count(row.gaps),
    timeOf(row.time_ns),
    shareOf(share(row.time_ns, idle)),
    timeOf(row.longest_ns),
  ]);
  return [
    ...foldedTable("plain idle", heads, rows, CAUSES_SHOWN, (number) =>
      t("more_causes", { number }),
    ),
    longestGaps(report),
  ];
}

/** Causes of all GPUs together, those with most time first. */
function overGpus(rows) {
  const sums = new Map();
  for (const row of rows) {
    const key = JSON.stringify([row.cause, row.call]);
    const sum = sums.get(key) ?? { ...row, gaps: 0, time_ns: 0, longest_ns: 0 };
    sum.gaps += row.gaps;
    sum.time_ns += row.time_ns;
    sum.longest_ns = Math.max(sum.longest_ns, row.longest_ns);
    sums.set(key, sum);
  }
  return [...sums.values()].sort((one, other) => other.time_ns - one.time_ns);
}

const isAfterCall = ({ cause, call }) => cause === "host" && call !== null;

function idleTitle(row) {
  const key = `idle_${row.cause}${isAfterCall(row) ? "_after" : ""}`;
  return TEXTS[key] === undefined
    ? row.cause
    : t(key, { call: printable(row.call ?? t("a_call")) });
}

/** What the cause means and what helps. */
const idleMeans = ({ cause }) => called("idle_means", cause);

function longestGaps(report) {
  const gaps = report.idle.longest;
  if (gaps.length === 0) return "";
  const kernels = new Map(report.kernels.map((kernel) => [kernel.id, kernel]));
  const name = (id) =>
    kernels.has(id)
      ? middleCut(kernels.get(id).name)
      : el("span", { class: "mute" }, t("no_kernel"));
  const first = Math.min(...gaps.map((gap) => gap.start_ns));
  const heads = [
    [t("gap_length"), "n"],
    [t("gap_at"), "n"],
    [t("idle_why"), ""],
    [t("gap_before"), "name-column"],
    [t("gap_after"), "name-column"],
  ];
  const rows = gaps.map((gap) => [
    timeOf(gap.duration_ns),
    gap.start_ns === first ? t("gap_first") : [`+${NO_BREAK}`, timeOf(gap.start_ns - first)],
    idleTitle(gap),
    name(gap.kernel_before),
    name(gap.kernel_after),
  ]);
  return el(
    "details",
    {},
    el("summary", {}, t("longest_gaps", { number: gaps.length })),
    table("plain", heads, rows),
    el("p", { class: "sub" }, t("gap_sub")),
  );
}
