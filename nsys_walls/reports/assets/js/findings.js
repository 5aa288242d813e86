// What to do, by what it is worth: claims with their advice, their evidence and what is in the way.

function showFindings(report, show) {
  const cards = report.findings.map((finding, place) => findingCard(finding, place, show));
  byId("findings")
    .querySelector(".cards")
    .append(...cards);
  byId("findings").querySelector(".abstained").append(abstainedRules(report.abstained));
  byId("findings").hidden = cards.length === 0 && report.abstained.length === 0;
}

function findingCard(finding, place, show) {
  const isBlocked = finding.blockers.length > 0;
  return el(
    "article",
    { class: isBlocked ? "blocked" : null },
    el(
      "small",
      {},
      el("code", {}, finding.code),
      ` · ${t("of_kernel_time", { share: percent(finding.time_ratio) })}`,
      isBlocked ? el("b", { class: "tag" }, t("blocked")) : null,
    ),
    el("h3", {}, prose(finding.title)),
    el("p", {}, prose(finding.message)),
    finding.advice
      ? el("p", { class: "try" }, el("b", {}, t("try")), " ", prose(finding.advice))
      : null,
    isBlocked
      ? el(
          "p",
          { class: "blockers" },
          el("b", {}, t("in_the_way")),
          " ",
          prose(finding.blockers.join(t("semicolon"))),
        )
      : null,
    evidence(finding),
    el("div", { class: "worth" }, worth(finding), kernelsLink(finding, place, show)),
  );
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
  if (typeof value !== "number")
    return [name.replaceAll("_", " "), printable(value ?? NOT_MEASURED)];
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
