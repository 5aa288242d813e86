// What to do, by what it is worth: claims with their advice, their evidence and what is in the way.

const CARDS = 3; // findings that are told at once; the others are lines that open
const LINES = 5; // and beyond these, one line for the rest

function showFindings(report, show) {
  const { findings, abstained } = report;
  const section = byId("findings");
  const content = findings.map((finding, place) => findingContent(finding, place, show));
  section
    .querySelector(".cards")
    .append(
      ...content
        .slice(0, CARDS)
        .map(({ head, body, isBlocked }) =>
          el("article", { class: isBlocked ? "blocked" : null }, head, body),
        ),
    );
  const lines = content.slice(CARDS).map((one, at) => findingLine(findings[CARDS + at], one));
  section
    .querySelector(".finding-lines")
    .append(...lines.slice(0, LINES), restOf(lines.slice(LINES)));
  section.querySelector(".abstained").append(abstainedRules(abstained));
  section.hidden = findings.length === 0 && abstained.length === 0;
}

function findingLine(finding, { body, isBlocked }) {
  return el(
    "details",
    { class: isBlocked ? "finding-line blocked" : "finding-line" },
    el(
      "summary",
      {},
      el("code", {}, finding.code),
      el("b", { class: "finding-line-title" }, prose(finding.title)),
      isBlocked ? el("span", { class: "tag" }, t("blocked")) : null,
      finding.saving_ns === null
        ? null
        : el("span", { class: "q" }, t("saving", { time: duration(finding.saving_ns) })),
    ),
    el("div", { class: "finding-line-body" }, body),
  );
}

function restOf(lines) {
  if (lines.length === 0) return "";
  return el(
    "details",
    {},
    el("summary", {}, t("more_findings", { number: lines.length })),
    el("div", { class: "finding-lines" }, lines),
  );
}

/** The parts of a card: what it is, and what it says. */
function findingContent(finding, place, show) {
  const isBlocked = finding.blockers.length > 0;
  const paragraph = (kind, title, text) =>
    el("p", { class: kind }, el("b", {}, title), " ", prose(text));
  return {
    isBlocked,
    head: [
      el(
        "small",
        {},
        el("code", {}, finding.code),
        ` · ${t("of_kernel_time", { share: percent(finding.time_ratio) })}`,
        isBlocked ? el("b", { class: "tag" }, t("blocked")) : null,
      ),
      el("h3", {}, prose(finding.title)),
    ],
    body: [
      el("p", { class: "message" }, prose(finding.message)),
      finding.advice ? paragraph("try", t("try"), finding.advice) : null,
      isBlocked
        ? paragraph("blockers", t("in_the_way"), finding.blockers.join(t("semicolon")))
        : null,
      evidence(finding),
      el("div", { class: "worth" }, worth(finding), kernelsLink(finding, place, show)),
    ],
  };
}

function worth(finding) {
  return [
    finding.saving_ns === null
      ? null
      : el("b", { title: t("saving_means") }, t("saving", { time: duration(finding.saving_ns) })),
    finding.speedup_bound === null
      ? null
      : el("span", {}, t("speedup", { factor: finding.speedup_bound.toFixed(2) })),
  ];
}

function kernelsLink(finding, place, show) {
  if (finding.kernels.length === 0) return null;
  return el(
    "button",
    { type: "button", class: "link", click: () => show({ kind: "finding", value: place }) },
    t("show_kernels", { number: finding.kernels.length }),
  );
}

const EVIDENCE_UNITS = [
  ["_flop_per_byte", (value) => `${threeDigits(value)} FLOP/byte`],
  ["_bytes_per_s", (value) => si(value, "B/s")],
  ["_flop_per_s", (value) => si(value, "FLOP/s")],
  ["_bytes", (value) => si(value, "B")],
  ["_flop", (value) => si(value, "FLOP")],
  ["_ratio", percent],
  ["_ns", duration],
];

/** "small_time_ns" is "small time", and its value a duration. */
function evidenceRow([name, value]) {
  if (typeof value !== "number") {
    return [name.replaceAll("_", " "), printable(value ?? NOT_MEASURED)];
  }
  const [suffix, write] = EVIDENCE_UNITS.find(([end]) => name.endsWith(end)) ?? ["", threeDigits];
  return [name.slice(0, name.length - suffix.length).replaceAll("_", " "), write(value)];
}

function evidence(finding) {
  const rows = Object.entries(finding.evidence ?? {});
  return el(
    "details",
    { class: "evidence" },
    el("summary", {}, t("evidence")),
    el(
      "dl",
      {},
      rows.map(evidenceRow).flatMap(([what, value]) => [el("dt", {}, what), el("dd", {}, value)]),
    ),
    el(
      "p",
      { class: "sub" },
      rich("explain", { command: el("code", {}, `nsys-walls explain ${finding.code}`) }),
    ),
  );
}

function abstainedRules(abstained) {
  if (abstained.length === 0) return "";
  const rows = abstained.map(({ code, reason }) =>
    el("li", {}, el("code", {}, code), " ", prose(reason)),
  );
  return el(
    "details",
    { class: "sub" },
    el("summary", {}, t("abstained", { number: abstained.length })),
    el("ul", { class: "sentences" }, rows),
  );
}
