// What to do, by what it is worth: claims with their advice, their evidence and what is in the way.

const CARDS = 3; // findings that are told at once; the others are lines that open
const LINES = 5; // and beyond these, one line for the rest

function showFindings(report, show) {
  const { findings, abstained } = report;
  const section = byId("findings");
  const nameOf = new Map(report.kernels.map(({ id, name }) => [id, name]));
  const content = findings.map((finding, place) => findingContent(finding, place, show, nameOf));
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
function findingContent(finding, place, show, nameOf) {
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
      evidence(finding, nameOf),
      el("div", { class: "worth" }, worth(finding), kernelsLink(finding, place, show)),
    ],
  };
}

function worth(finding) {
  return [
    finding.saving_ns === null
      ? null
      : el("b", { title: t("saving_means") }, t("saving", { time: duration(finding.saving_ns) })),
    bound(finding),
  ];
}

/** Against the span; where that is not known, kernel time is all there is. */
function bound({ end_to_end_bound: endToEnd, speedup_bound: ofKernelTime }) {
  if (endToEnd !== null) return el("span", {}, t("speedup_end_to_end", factor(endToEnd)));
  if (ofKernelTime === null) return null;
  return el("span", {}, t("speedup_kernel_time", factor(ofKernelTime)));
}

const factor = (value) => ({ factor: value.toFixed(2) });

function kernelsLink(finding, place, show) {
  if (finding.kernels.length === 0) return null;
  return el(
    "button",
    { type: "button", class: "link", click: () => show({ kind: "finding", value: place }) },
    t("show_kernels", { number: finding.kernels.length }),
  );
}

// The unit in a key: "small_time_ns", "bytes_per_100_steps", "device_0_clock_hz".
const UNIT = /(?:^|_)(bytes_per_s|flop_per_s|hz|ratio|bytes|ns)(?=_|$)/;
const WRITTEN = {
  bytes_per_s: (value) => si(value, "B/s"),
  flop_per_s: (value) => si(value, "FLOP/s"),
  hz: (value) => si(value, "Hz"),
  ratio: percent,
  bytes: (value) => si(value, "B"),
  ns: duration,
};
// Codes in the evidence, by the key that they stand under.
const CODES = { operation: "copy", source_memory: "memory", target_memory: "memory" };

/** What a number is called; of one kernel, GPU or precision, that stands in it. */
function evidenceName(key, nameOf) {
  const [, of, id, what] = /^(kernel|device)_(\d+)_(.+)$/.exec(key) ?? [];
  if (of === "kernel") {
    return t(`evidence_kernel_${what}`, { kernel: nameOf.get(Number(id)) ?? `#${id}` });
  }
  if (of === "device") return t(`evidence_device_${what}`, { device: id });
  const peak = /^(.+)_(peak_flop_per_s)$/.exec(key);
  if (peak) return t(`evidence_${peak[2]}`, { precision: precisionLabel(peak[1]) });
  return called("evidence", key);
}

/** A number with the unit of its key, or a name; a name that is missing says nothing. */
function evidenceValue(key, value) {
  const unit = UNIT.exec(key)?.[1];
  if (value === null) return unit ? NOT_MEASURED : null;
  if (typeof value === "string") {
    return printable(key in CODES ? called(CODES[key], value) : value);
  }
  if (unit) return WRITTEN[unit](value);
  return Number.isInteger(value) ? count(value) : threeDigits(value);
}

function evidence(finding, nameOf) {
  const rows = Object.entries(finding.evidence ?? {})
    .map(([key, value]) => [printable(evidenceName(key, nameOf)), evidenceValue(key, value)])
    .filter(([, value]) => value !== null);
  return el(
    "details",
    { class: "evidence" },
    el("summary", {}, t("evidence")),
    el(
      "dl",
      {},
      rows.flatMap(([what, value]) => [el("dt", {}, what), el("dd", {}, value)]),
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
