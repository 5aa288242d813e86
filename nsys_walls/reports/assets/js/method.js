// How the numbers came about: coverage of the join, files, hardware, conventions, warnings.

const REASONS_SHOWN = 8;

function showMethod(report) {
  byId("method")
    .querySelector(".method")
    .append(
      block("Coverage of the join", joinCoverage(report)),
      block("Files", sourcesTable(report.run.sources)),
      block("Hardware numbers", hardwareTables(report.devices)),
      block("Conventions", conventions(report)),
      report.warnings.length === 0
        ? ""
        : block("Warnings", warningList(report.warnings), "warnings"),
    );
}

function block(title, content, id = null) {
  return el("div", { class: "block", id }, el("h3", {}, title), content);
}

function joinCoverage(report) {
  const total = report.totals.kernel_ns;
  const heads = [
    ["Counters by", ""],
    ["Which means", "wide"],
    ["Kernels", "n"],
    ["Time", "n"],
    ["Share", "n"],
  ];
  const rows = LEVELS.map((level) => {
    const kernels = report.kernels.filter((kernel) => kernel.match.level === level.id);
    const time = kernels.reduce((sum, kernel) => sum + kernel.time_ns, 0);
    return {
      kernels,
      time,
      cells: [
        level.label,
        level.means,
        count(kernels.length),
        quantity(durationParts(time)),
        quantity(percentParts(share(time, total))),
      ],
    };
  }).filter((row) => row.kernels.length > 0);
  return [
    table(
      "plain",
      heads,
      rows.map((row) => row.cells),
    ),
    ...heaviestUnmatched(report),
  ];
}

function heaviestUnmatched(report) {
  const unmatched = report.kernels.filter((kernel) =>
    ["ambiguous", "none"].includes(kernel.match.level),
  );
  if (unmatched.length === 0) return [];
  const rows = unmatched
    .slice(0, REASONS_SHOWN)
    .map((kernel) => [
      middleCut(kernel.name),
      prose(kernel.match.reason),
      quantity(durationParts(kernel.time_ns)),
      quantity(percentParts(kernel.time_ratio)),
    ]);
  const heads = [
    ["Heaviest without a match", "name-column"],
    ["Why", "wide"],
    ["Time", "n"],
    ["Share", "n"],
  ];
  return [table("plain", heads, rows)];
}

function sourcesTable(sources) {
  const heads = [
    ["File", "name-column"],
    ["Kind", "wide"],
    ["Version", ""],
    ["Schema", ""],
    ["Rows", "n"],
    ["Skipped", "n"],
  ];
  return table(
    "plain",
    heads,
    sources.map((source) => [
      middleCut(source.file),
      SOURCE_KINDS[source.kind] ?? source.kind,
      source.product_version ?? quantity(null),
      source.schema_version ?? quantity(null),
      count(source.rows),
      count(source.skipped),
    ]),
  );
}

/** One table for each set of GPUs whose walls are the same in number and origin. */
function hardwareTables(devices) {
  const groups = new Map();
  for (const device of devices) {
    const key = JSON.stringify({ ...device, device: null, totals: null });
    groups.set(key, [...(groups.get(key) ?? []), device]);
  }
  return [...groups.values()].map((group) => {
    const [device] = group;
    const rows = [
      [
        "Bandwidth wall",
        quantity(siParts(device.bandwidth_bytes_per_s, "B/s")),
        device.bandwidth_from,
        "bandwidth",
      ],
    ];
    for (const [precision, peak] of Object.entries(device.peak_flop_per_s)) {
      rows.push([
        `Compute wall, ${precisionLabel(precision)}, dense`,
        quantity(siParts(peak, rateUnit(precision))),
        device.peak_from[precision],
        precision,
      ]);
    }
    const heads = [
      [deviceTitle(group), "device"],
      ["Value", "n"],
      ["Balance point", "n"],
      ["From", ""],
      ["Document", "document"],
    ];
    return table(
      "plain",
      heads,
      rows.map(([what, value, origin, key]) => [
        what,
        value,
        balanceCell(device, key),
        ORIGINS[origin] ?? origin ?? quantity(null),
        documentCell(device.documents[key]),
      ]),
    );
  });
}

function balanceCell(device, precision) {
  const balance = device.balance_flop_per_byte[precision];
  return balance === undefined ? "" : quantity([threeDigits(balance), "FLOP/B"]);
}

function documentCell(text) {
  if (text === undefined) return "";
  if (!/^https:\/\/\S+$/.test(text)) return text;
  const [host, ...path] = text.slice("https://".length).split("/").filter(Boolean);
  const shown = path.length > 1 ? `${host}/…/${path.at(-1)}` : [host, ...path].join("/");
  return el("a", { href: text, title: text, rel: "noopener noreferrer" }, shown);
}

function deviceTitle(group) {
  const [device] = group;
  const parts = [
    `GPU ${group.map((one) => one.device).join(", ")}: ${deviceName(device)}`,
    device.hardware === null
      ? null
      : `part ${device.hardware} (${ORIGINS[device.hardware_from] ?? device.hardware_from})`,
    device.compute_capability === null ? null : `CC ${device.compute_capability}`,
    device.sm_count === null ? null : plural(device.sm_count, "SM"),
    device.mig === null ? null : `MIG ${device.mig}`,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

function conventions(report) {
  const sentences = [
    "A kernel here is one name at one launch shape on one GPU; shapes are never averaged. Its point is the median launch, its area the sum of all.",
    hasTrace(report)
      ? "Time is from the trace. Nsight Compute replays at base clock with cold caches: its counts are used, its times are only listed."
      : "There is no trace in this run: times are Nsight Compute's own, at base clock with cold caches.",
    "Bytes are measured DRAM traffic, reads and writes, not what the algorithm needs; writes that stay in L2 are missing.",
    "One FMA is two FLOP. Outside tensor cores FP16 counts as NVIDIA does, every instruction as packed: add 2, multiply 2, FMA 4.",
    "Compute walls are dense peaks, without sparsity. Ratios above 100 % are shown as they are: another clock, L2 hits or the wrong part can cause them.",
    `“${NOT_MEASURED}” is not measured, which is not 0.`,
  ];
  return el(
    "ul",
    { class: "sentences" },
    sentences.map((sentence) => el("li", {}, sentence)),
  );
}

function warningList(warnings) {
  return el(
    "ul",
    { class: "sentences" },
    warnings.map((warning) =>
      el("li", {}, el("code", {}, warning.code), " ", prose(warning.message)),
    ),
  );
}
