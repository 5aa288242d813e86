// The first screen: who, how much at which wall, how sure, what to do.

function showIdentity(report) {
  const tools = new Set(
    report.run.sources.map((source) => {
      const tool = source.kind.split("-")[0];
      const name = tool === "torch" ? "PyTorch profiler" : tool;
      return source.product_version === null ? name : `${name} ${source.product_version}`;
    }),
  );
  byId("identity").append(
    el("b", {}, "nsys-walls"),
    el("span", {}, printable(report.run.name)),
    ...deviceGroups(report.devices).map((group) =>
      el("span", {}, deviceLine(group, report.kernels)),
    ),
    el("span", { class: "tools-used" }, [...tools].join(" · ")),
  );
}

/** GPUs of the same part, one group each. */
function deviceGroups(devices) {
  const groups = new Map();
  for (const device of devices) {
    const key = deviceName(device);
    groups.set(key, [...(groups.get(key) ?? []), device]);
  }
  return [...groups.values()];
}

function deviceName(device) {
  return printable(device.name ?? device.hardware ?? `GPU ${device.device}`);
}

function deviceLine(group, kernels) {
  const [device] = group;
  const main = mainPrecision(
    kernels.filter((kernel) => kernel.device === device.device),
    device,
  );
  const balance = device.balance_flop_per_byte[main];
  return [
    group.length > 1 ? `${group.length} × ${deviceName(device)}` : deviceName(device),
    device.bandwidth_bytes_per_s === null ? null : si(device.bandwidth_bytes_per_s, "B/s"),
    main === null ? null : `${precisionLabel(main)} ${si(peakOf(device, main), rateUnit(main))}`,
    balance === undefined ? null : `balance ${threeDigits(balance)} FLOP/byte`,
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

function showOverview(report) {
  const total = report.totals.kernel_ns;
  const present = WALLS.filter((wall) => report.time_by_wall_ns[wall.id]);
  const key = present.map((wall) => {
    const time = report.time_by_wall_ns[wall.id];
    return el(
      "li",
      { title: wall.means },
      swatch(wall.id),
      `${wall.label} `,
      el("b", { class: "q" }, duration(time)),
      el("span", { class: "q mute" }, ` · ${percent(share(time, total))}`),
    );
  });
  byId("overview").append(
    el("div", { class: "time-bar" }, wallBar(report.time_by_wall_ns, total)),
    el("ul", { class: "key", "aria-label": "Kernel time by wall" }, key),
    el("p", { class: "sub" }, prose(`${coverageSentence(report)} ${busySentence(report)}`)),
    warningNotice(report.warnings) ?? "",
  );
}

function coverageSentence(report) {
  const kernels = report.kernels;
  const at = (level) => kernels.filter((kernel) => kernel.match.level === level).length;
  const levels = LEVELS.map((level) => [at(level.id), level.label]).filter(
    ([number]) => number > 0,
  );
  const matched = at("launch") + at("shape") + at("name");
  if (kernels.length > 0 && matched + at("ambiguous") === 0) {
    return (
      "No kernel has counters yet: times are known, walls are not. Add an Nsight Compute CSV with " +
      `“nsys-walls ingest counters.csv --run ${report.run.name}”.`
    );
  }
  const parts = levels.map(([number, label]) =>
    label === "none" ? `${count(number)} without` : `${count(number)} by ${label}`,
  );
  const words = parts.join(", ").replace("by ambiguous", "ambiguous");
  return (
    `Bytes and FLOP are known for ${percent(report.totals.measured_time_ratio)} of kernel time: counters matched ` +
    `${count(matched)} of ${plural(kernels.length, "kernel")} (${words}).`
  );
}

function busySentence(report) {
  const { busy_ns: busy, span_ns: span, copy_ns: copy, graph_hidden_ns: hidden } = report.totals;
  const parts = [];
  if (busy !== null && span) {
    const over =
      report.devices.length > 1 ? ` of ${plural(report.devices.length, "GPU")} together` : "";
    parts.push(
      `Kernels kept the GPU busy for ${duration(busy)} of ${duration(span)}${over} (${percent(busy / span)})` +
        (copy ? `, copies alone ${duration(copy)}.` : "."),
    );
  }
  if (hidden) parts.push(`${duration(hidden)} inside CUDA graphs can't be told apart by kernel.`);
  return parts.join(" ");
}

function warningNotice(warnings) {
  if (warnings.length === 0) return null;
  const more =
    warnings.length > 1
      ? el("a", { href: "#warnings" }, `and ${plural(warnings.length - 1, "more warning")}`)
      : null;
  return el(
    "p",
    { class: "notice", role: "note" },
    el("b", {}, "Warning "),
    prose(warnings[0].message),
    " ",
    more,
  );
}

function showFindings(report, showKernels) {
  if (report.findings.length === 0) return;
  const cards = report.findings.map((finding) =>
    el(
      "article",
      { class: finding.blockers.length ? "blocked" : null },
      el("small", {}, `${finding.code} · ${percent(finding.time_ratio)} of kernel time`),
      el("h3", {}, prose(finding.title)),
      el("p", {}, prose(finding.message)),
      finding.blockers.length
        ? el("p", { class: "blockers" }, prose(`In the way: ${finding.blockers.join("; ")}.`))
        : null,
      el("div", { class: "worth" }, worth(finding), kernelsLink(finding, showKernels)),
    ),
  );
  byId("findings")
    .querySelector(".cards")
    .append(...cards);
  byId("findings").hidden = false;
}

function worth(finding) {
  return [
    finding.saving_ns === null
      ? null
      : el("b", { title: "time saved at most" }, `up to −${duration(finding.saving_ns)}`),
    finding.speedup_bound === null
      ? null
      : el("span", {}, `≤ ${finding.speedup_bound.toFixed(2)}× end to end`),
  ];
}

function kernelsLink(finding, showKernels) {
  if (finding.kernels.length === 0) return null;
  const show = () => showKernels(finding.kernels, `${finding.code} ${finding.title}`);
  return el(
    "button",
    { type: "button", class: "link", click: show },
    `show ${plural(finding.kernels.length, "kernel")}`,
  );
}
