// How to read the page and how its numbers came about: coverage, files, conventions, warnings.

const REASONS_SHOWN = 8;
const WARNINGS_SHOWN = 20;

function showMethod(report, show) {
  byId("method")
    .querySelector(".method")
    .append(
      block(t("how_to_read"), decisionPicture(report), "how"),
      block(t("coverage_title"), joinCoverage(report, show), "coverage"),
      block(t("hardware"), hardwareTables(report), "hardware"),
      block(t("files"), [sourcesTable(report.run.sources), samplingNotes(report)], "files"),
      block(t("conventions"), conventions(report), "conventions"),
      report.warnings.length === 0
        ? ""
        : block(t("warnings"), warningList(report.warnings), "warnings"),
    );
}

function block(title, content, id) {
  return el("div", { class: "block", id }, el("h3", {}, title), content);
}

function joinCoverage(report, show) {
  const total = report.totals.kernel_ns;
  const heads = [
    [t("counters_by"), ""],
    [t("which_means"), "wide"],
    [t("kernels_column"), "n"],
    [t("time"), "n"],
    [t("share"), "n"],
  ];
  const at = byLevel(report);
  const rows = LEVELS.map((level) => {
    const { kernels, time } = at(level.id);
    const link = el(
      "button",
      {
        type: "button",
        class: "link start",
        click: () => show({ kind: "level", value: level.id }),
      },
      level.label,
    );
    return [link, level.means, count(kernels), timeOf(time), shareOf(share(time, total))];
  }).filter((row) => row[2] !== "0");
  return [table("plain", heads, rows), heaviestUnmatched(report)];
}

function heaviestUnmatched(report) {
  const unmatched = report.kernels.filter((kernel) =>
    ["ambiguous", "none"].includes(kernel.match.level),
  );
  if (unmatched.length === 0) return "";
  const rows = unmatched
    .slice(0, REASONS_SHOWN)
    .map((kernel) => [
      middleCut(kernel.name),
      prose(kernel.match.reason),
      timeOf(kernel.time_ns),
      shareOf(kernel.time_ratio),
    ]);
  const heads = [
    [t("unmatched"), "name-column"],
    [t("why"), "wide"],
    [t("time"), "n"],
    [t("share"), "n"],
  ];
  return table("plain", heads, rows);
}

function sourcesTable(sources) {
  const heads = [
    [t("file"), "name-column"],
    [t("kind"), "wide"],
    [t("version"), ""],
    [t("schema"), ""],
    [t("rows"), "n"],
    [t("skipped"), "n"],
  ];
  const text = (value) => (value === null ? quantity(null) : printable(value));
  return table(
    "plain",
    heads,
    sources.map((source) => [
      middleCut(source.file),
      called("source", source.kind),
      text(source.product_version),
      text(source.schema_version),
      count(source.rows),
      count(source.skipped),
    ]),
  );
}

/** What became of sampled GPU metrics. */
function samplingNotes(report) {
  return (report.sampling ?? []).map((row) =>
    el(
      "p",
      { class: "sub" },
      prose(
        t("sampling", {
          gpu: String(row.device),
          samples: row.samples,
          attributed: row.attributed,
          shared: row.shared,
          idle: row.idle,
          partial: row.partial,
          period: duration(row.period_ns),
        }),
      ),
    ),
  );
}

function conventions(report) {
  const sentences = [
    t("convention_kernel"),
    t(hasTrace(report) ? "convention_time_trace" : "convention_time_ncu"),
    t("convention_bytes"),
    t("convention_flop"),
    t("convention_walls"),
    t("convention_apart"),
    t("convention_missing", { sign: NOT_MEASURED }),
  ];
  return el(
    "ul",
    { class: "sentences" },
    sentences.map((sentence) => el("li", {}, sentence)),
  );
}

function warningList(warnings) {
  const rows = warnings.map((warning) =>
    el("li", {}, el("code", {}, warning.code), " ", prose(warning.message)),
  );
  const list = (items) => el("ul", { class: "sentences" }, items);
  if (rows.length <= WARNINGS_SHOWN) return list(rows);
  const rest = rows.slice(WARNINGS_SHOWN);
  return [
    list(rows.slice(0, WARNINGS_SHOWN)),
    el("details", {}, el("summary", {}, t("more_warnings", { number: rest.length })), list(rest)),
  ];
}
