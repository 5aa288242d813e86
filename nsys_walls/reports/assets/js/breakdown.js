// Time by operator class and by NVTX range; the three steps with this run's numbers.

const RANGES_SHOWN = 30;

function showClasses(report) {
  const longest = Math.max(...report.classes.map((row) => row.time_ns), 0);
  const rows = report.classes.map((row) => [
    row.class,
    wallBar(row.time_by_wall_ns, row.time_ns, share(row.time_ns, longest) ?? 0),
    quantity(durationParts(row.time_ns)),
    quantity(percentParts(row.time_ratio)),
    quantity(durationParts(row.recoverable_ns)),
  ]);
  const heads = [
    ["Class", ""],
    ["By wall", "wide"],
    ["Time", "n"],
    ["Share", "n"],
    ["Recoverable", "n"],
  ];
  byId("classes").append(
    table("plain", heads, rows),
    el(
      "p",
      { class: "sub" },
      "Recoverable is the time above each kernel's floor: all that reaching its wall could save.",
    ),
  );
}

function showRanges(report) {
  if (report.ranges.length === 0) return;
  const heads = [
    ["Range", "name-column"],
    ["By wall", "wide"],
    ["Time", "n"],
    ["Share", "n"],
    ["Own time", "n"],
    ["Launches", "n"],
  ];
  const longest = Math.max(...report.ranges.map((row) => row.time_ns), 0);
  const cells = (range) => [
    middleCut(range.name),
    wallBar(range.time_by_wall_ns, range.time_ns, share(range.time_ns, longest) ?? 0),
    quantity(durationParts(range.time_ns)),
    quantity(percentParts(range.time_ratio)),
    quantity(durationParts(range.self_time_ns)),
    count(range.launches),
  ];
  const rest = report.ranges.slice(RANGES_SHOWN);
  const target = byId("ranges").querySelector(".rows");
  target.append(table("plain", heads, report.ranges.slice(0, RANGES_SHOWN).map(cells)));
  if (rest.length > 0) {
    const fold = el("details", {}, el("summary", {}, `${plural(rest.length, "more range")}`));
    fold.addEventListener("toggle", () => fold.append(table("plain", heads, rest.map(cells))), {
      once: true,
    });
    target.append(fold);
  }
  byId("ranges").hidden = false;
}

function showReading(report) {
  const device = busiest(report);
  if (device === null) {
    byId("reading").append(el("p", { class: "sub" }, "No GPU and no kernel is in this run."));
    return;
  }
  const main = mainPrecision(
    report.kernels.filter((kernel) => kernel.device === device.device),
    device,
  );
  byId("reading").append(
    el(
      "ol",
      { class: "steps" },
      el("li", {}, el("b", {}, "Time every kernel. "), timeStep(report)),
      el(
        "li",
        {},
        el("b", {}, "Divide its work by its traffic. "),
        "Intensity = FLOP / byte of DRAM traffic, counted by Nsight Compute for each launch shape, not modelled.",
      ),
      el("li", {}, el("b", {}, "Compare with the balance point. "), balanceStep(device, main)),
    ),
    el(
      "p",
      { class: "sub" },
      `A kernel stands at a wall from ${percent(device.near_ratio)} of it. Its wall says what can help:`,
    ),
    el(
      "dl",
      { class: "walls" },
      WALLS.filter((wall) => report.time_by_wall_ns[wall.id]).flatMap((wall) => [
        el("dt", {}, swatch(wall.id), wall.label),
        el("dd", {}, wall.means),
      ]),
    ),
  );
}

function timeStep(report) {
  const { kernels, launches, kernel_ns: time } = report.totals;
  const whole = `${plural(kernels, "kernel")}, ${plural(launches, "launch", "launches")}, ${duration(time)}. `;
  return (
    whole +
    (hasTrace(report)
      ? "Times are from the trace of an undisturbed run; Nsight Compute's own times are listed and never used."
      : "Times are Nsight Compute's own (base clock, cold caches): there is no trace in this run.")
  );
}

function balanceStep(device, precision) {
  if (precision === null || device.balance_flop_per_byte[precision] === undefined) {
    return "It is compute wall / bandwidth wall; below it, only fewer bytes help, above it, better use of the math units.";
  }
  const balance = device.balance_flop_per_byte[precision];
  return (
    `${deviceName(device)} at ${precisionLabel(precision)}: ${threeDigits(balance)} FLOP/byte, in practice about ` +
    `${threeDigits(balance * device.balance_factor)}. Below it fewer bytes help: fuse, drop copies. Above it, better use of the math units.`
  );
}
