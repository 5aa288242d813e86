// Collectives and the processes that wait for each other in them.

const RANKS_SHOWN = 16;

function showRanks(report, show) {
  const parts = [...collectives(report, show), ...rankTable(report)];
  if (parts.length === 0) return;
  byId("ranks").append(...parts);
  byId("ranks").hidden = false;
}

function collectives(report, show) {
  if (report.communication.length === 0) return [];
  const heads = [
    [t("collective"), "wide"],
    [t("ranks_column"), "n"],
    [t("launches"), "n"],
    [t("time"), "n"],
    [t("waiting"), "n"],
  ];
  const rows = report.communication.map((row) => [
    [
      el(
        "button",
        {
          type: "button",
          class: "link start",
          click: () => show({ kind: "ids", value: row.kernels }),
        },
        row.class.replace(/^comm_/, ""),
      ),
      slowNote(row.slow),
    ],
    count(row.ranks),
    count(row.launches),
    timeOf(row.time_ns),
    row.waiting_ns === null
      ? quantity(null)
      : [
          timeOf(row.waiting_ns),
          " ",
          el("span", { class: "mute" }, percent(share(row.waiting_ns, row.time_ns))),
        ],
  ]);
  return [table("plain", heads, rows)];
}

/** A few launches that took many times their median: a rank was late, or the run began. */
function slowNote(slow) {
  if (slow === null) return "";
  const values = {
    number: slow.launches,
    longest: duration(slow.max_ns),
    median: duration(slow.median_ns),
  };
  return el("small", {}, prose(t("slow_collective", values)));
}

function rankTable(report) {
  const { ranks, rank_spread: spread } = report;
  if (ranks.length === 0) return [];
  const longest = Math.max(...ranks.map((rank) => rank.span_ns), 1);
  const heads = [
    [t("rank"), ""],
    [t("gpu_column"), ""],
    [t("busy_copies_idle"), "wide"],
    [t("gpu_busy"), "n"],
    [t("gpu_idle"), "n"],
    [t("wall_communication"), "n"],
    [t("waiting"), "n"],
  ];
  const rows = ranks.map((rank) => [
    el("span", { title: printable(report.run.sources[rank.source]?.file ?? "") }, String(rank.rank)),
    String(rank.device),
    bar(timeParts({ ...rank, other_ns: 0 }), rank.span_ns / longest),
    timeOf(rank.busy_ns),
    timeOf(rank.idle_ns),
    timeOf(rank.communication_ns),
    timeOf(rank.waiting_ns),
  ]);
  const spreadOf = (key) => percent(spread[key] ?? null);
  return [
    ...foldedTable("plain", heads, rows, RANKS_SHOWN, (number) => t("more_ranks", { number })),
    el(
      "p",
      { class: "sub" },
      prose(t("rank_spread", { busy: spreadOf("busy_ns"), idle: spreadOf("idle_ns") })),
    ),
  ];
}
