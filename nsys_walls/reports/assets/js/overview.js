// The first screen: who, how much at which wall, how sure.

function showIdentity(report) {
  const tools = new Set(
    report.run.sources.map((source) => {
      const tool = called("tool", source.kind.split("-")[0]);
      return source.product_version === null
        ? tool
        : `${tool} ${printable(source.product_version)}`;
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
  const found = new Map();
  for (const device of devices) {
    const key = deviceName(device);
    found.set(key, [...(found.get(key) ?? []), device]);
  }
  return [...found.values()];
}

function deviceName(device) {
  return printable(device.name ?? device.hardware ?? t("gpu", { device: String(device.device) }));
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
    balance === undefined ? null : t("balance", { balance: threeDigits(balance) }),
  ]
    .filter((part) => part !== null)
    .join(" · ");
}

function showOverview(report) {
  const parts = WALLS.map(({ id, label, means }) => ({
    value: report.time_by_wall_ns[id] ?? 0,
    label,
    means,
    swatch: `wall-${id}`,
  }));
  byId("overview").append(
    el("div", { class: "time-bar" }, bar(parts)),
    barKey(parts, t("time_by_wall")),
    el("p", { class: "sub" }, prose(`${coverageSentence(report)} ${busySentence(report)}`)),
    cutNotice(report) ?? "",
    warningNotice(report.warnings) ?? "",
  );
}

/** How many kernels found their counters, and how. */
function coverageSentence(report) {
  const { totals, run } = report;
  const tallied = byLevel(report);
  const at = (level) => tallied(level).kernels;
  const matched = at("launch") + at("shape") + at("name");
  if (totals.kernels > 0 && matched + at("ambiguous") === 0) {
    return t("no_counters", { run: run.name });
  }
  const levels = LEVELS.map((level) => [at(level.id), level.id])
    .filter(([number]) => number > 0)
    .map(([number, id]) => t(`matched_${id}`, { number }));
  return t("coverage", {
    share: percent(totals.measured_time_ratio),
    matched: count(matched),
    kernels: totals.kernels,
    levels: levels.join(t("comma")),
  });
}

function busySentence(report) {
  const { busy_ns: busy, span_ns: span, copy_ns: copies, idle_ns: idle } = report.totals;
  const sentences = [];
  if (busy !== null && span) {
    const values = {
      busy: duration(busy),
      span: duration(span),
      share: percent(busy / span),
      gpus: report.devices.length,
      copies: duration(copies),
      idle: duration(idle),
    };
    sentences.push(t(report.devices.length > 1 ? "busy_several" : "busy", values));
  }
  if (report.totals.graph_hidden_ns) {
    sentences.push(t("graph_hidden", { time: duration(report.totals.graph_hidden_ns) }));
  }
  return sentences.join(" ");
}

/** What a page of limited size had to leave out. */
function cutNotice(report) {
  const cut = report.page;
  if (cut === undefined) return null;
  const sentences = [];
  if (cut.kernels) {
    const whole = report.totals.kernel_ns;
    sentences.push(
      t("cut_kernels", {
        shown: report.kernels.length,
        left: cut.kernels,
        share: percent(share(cut.kernels_time_ns, whole)),
      }),
    );
  }
  if (cut.names_longer_than) {
    sentences.push(t("cut_names", { characters: cut.names_longer_than }));
  }
  return sentences.length === 0 ? null : el("p", { class: "sub" }, sentences.join(" "));
}

function warningNotice(warnings) {
  if (warnings.length === 0) return null;
  const more =
    warnings.length > 1
      ? el("a", { href: "#warnings" }, t("more_warnings", { number: warnings.length - 1 }))
      : null;
  return el(
    "p",
    { class: "notice", role: "note" },
    el("b", {}, t("warning")),
    " ",
    prose(warnings[0].message),
    " ",
    more,
  );
}
