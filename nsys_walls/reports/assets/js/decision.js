// How to read this: the three steps and the two walls as one picture, with this run's numbers.

function decisionPicture(report) {
  const device = busiest(report);
  if (device === null) return el("p", { class: "sub" }, t("nothing_ran"));
  const kernels = report.kernels.filter((kernel) => kernel.device === device.device);
  const main = mainPrecision(kernels, device);
  return el(
    "div",
    { class: "decision" },
    el("ol", { class: "steps" }, timeStep(report), divideStep(kernels), balanceStep(device, main)),
    balanceScale(report.kernels, device, main) ?? "",
    el(
      "div",
      { class: "walls" },
      wallCard(report, device, "bandwidth", "memory"),
      wallCard(report, device, "compute", "compute"),
    ),
    otherWalls(report, device),
  );
}

function step(title, value, ...text) {
  return el(
    "li",
    {},
    el("h4", {}, title),
    el("p", { class: "figure" }, value),
    el("p", { class: "sub" }, text),
  );
}

function timeStep(report) {
  const { kernels, launches, kernel_ns: time } = report.totals;
  return step(
    t("step_time"),
    duration(time),
    t("step_time_counts", { kernels, launches }),
    " ",
    t(hasTrace(report) ? "step_time_trace" : "step_time_ncu"),
  );
}

/** The heaviest kernel whose intensity is known stands as the example. */
function divideStep(kernels) {
  const example = kernels.find((kernel) => kernel.intensity_flop_per_byte > 0);
  if (example === undefined) return step(t("step_divide"), NOT_MEASURED, t("step_divide_none"));
  return step(
    t("step_divide"),
    `${si(example.flop, "FLOP")} ÷ ${si(example.dram_bytes, "B")} = ${threeDigits(example.intensity_flop_per_byte)}`,
    rich("step_divide_text", { kernel: el("code", {}, cutMiddle(printable(example.name), 60)) }),
  );
}

function balanceStep(device, precision) {
  const balance = device.balance_flop_per_byte[precision];
  if (balance === undefined) return step(t("step_balance"), NOT_MEASURED, t("step_balance_none"));
  const peak = si(peakOf(device, precision), rateUnit(precision));
  const bandwidth = si(device.bandwidth_bytes_per_s, "B/s");
  return step(
    t("step_balance"),
    `${peak} ÷ ${bandwidth} = ${threeDigits(balance)}`,
    t("step_balance_text", {
      gpu: deviceName(device),
      precision: precisionLabel(precision),
      practical: threeDigits(balance * device.balance_factor),
    }),
  );
}

/** What a side of the balance point means, how much time is on it, and what helps there. */
function wallCard(report, device, wall, side) {
  const total = report.totals.kernel_ns;
  const at = report.time_by_wall_ns[wall] ?? 0;
  const on = bySide(report);
  const isMeasured = on("memory").time + on("compute").time + at > 0;
  return el(
    "section",
    { class: `card ${wall}` },
    el("h4", {}, t(`side_${side}`)),
    el(
      "p",
      { class: "figure" },
      isMeasured ? percent(share(on(side).time, total)) : NOT_MEASURED,
    ),
    el(
      "p",
      {},
      prose(
        t(isMeasured ? "side_time" : "side_not_measured", {
          at: percent(share(at, total)),
          near: percent(device.near_ratio),
          wall: WALL_LABELS[wall],
        }),
      ),
    ),
    el("p", {}, el("b", {}, t("helps")), " ", t(`helps_${wall}`)),
  );
}

/** The walls that are none: what they are called, how much time they hold, what they mean. */
function otherWalls(report, device) {
  const total = report.totals.kernel_ns;
  const rows = WALLS.filter(
    ({ id }) => id !== "bandwidth" && id !== "compute" && report.time_by_wall_ns[id] > 0,
  );
  if (rows.length === 0) return "";
  return [
    el("p", { class: "sub" }, t("below_both", { near: percent(device.near_ratio) })),
    el(
      "dl",
      { class: "others" },
      rows.flatMap(({ id, label, means }) => [
        el(
          "dt",
          {},
          swatch(`wall-${id}`),
          label,
          " ",
          el("span", { class: "mute" }, percent(share(report.time_by_wall_ns[id], total))),
        ),
        el("dd", {}, means),
      ]),
    ),
  ];
}
