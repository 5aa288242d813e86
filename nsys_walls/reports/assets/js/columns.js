// The table's columns: what each sorts by and shows.

function wallName(kernel) {
  return el("span", { class: "nowrap" }, swatch(kernel.wall), WALL_SHORT[kernel.wall]);
}

/** A share of a wall with a small bar; past the wall it says so. */
function ratioCell(ratio, wall) {
  if (ratio === null) return quantity(null);
  const above = ratio > 1;
  return el(
    "span",
    {
      class: above ? "ratio above" : "ratio",
      title: above ? "above the wall, as measured: see the kernel's notes" : null,
    },
    el(
      "span",
      { class: "track", "aria-hidden": "true" },
      el("i", { class: `wall-${wall}`, style: `width:${Math.min(1, ratio) * 100}%` }),
    ),
    above ? el("b", { class: "flag", "aria-hidden": "true" }, "▲") : null,
    quantity(percentParts(ratio)),
  );
}

function matchCell(kernel) {
  const { level, profiled_launches: profiled, reason } = kernel.match;
  const of = profiled > 0 ? ` ${count(profiled)} of ${count(kernel.launches)}` : "";
  return level === "none"
    ? el("span", { class: "none", title: reason }, "none")
    : el("span", { title: `${reason}; launches profiled:${of || " unknown"}` }, level);
}

function columns(report) {
  const number = (title, name, show, help = null) => ({
    title,
    help,
    kind: "n",
    sort: (kernel) => kernel[name],
    show,
  });
  const text = (title, sort, show, kind = "") => ({
    title,
    help: null,
    kind,
    sort,
    show,
    isText: true,
  });
  const device = text(
    "GPU",
    (kernel) => String(kernel.device),
    (kernel) => String(kernel.device),
  );
  return [
    text("Kernel", (kernel) => kernel.name, null, "name-column"),
    ...(report.devices.length > 1 ? [device] : []),
    text(
      "Class",
      (kernel) => kernel.class,
      (kernel) => kernel.class,
    ),
    text("Wall", (kernel) => WALL_LABELS[kernel.wall], wallName),
    number(
      "Time",
      "time_ns",
      (kernel) => quantity(durationParts(kernel.time_ns)),
      "all launches together",
    ),
    number(
      "Share",
      "time_ratio",
      (kernel) => quantity(percentParts(kernel.time_ratio)),
      "of kernel time",
    ),
    number(
      "Up to here",
      "cumulative",
      (kernel) => quantity(percentParts(kernel.cumulative)),
      "share of this and every heavier kernel",
    ),
    number("Launches", "launches", (kernel) => count(kernel.launches)),
    number(
      "Median",
      "median_ns",
      (kernel) => quantity(durationParts(kernel.median_ns)),
      "time of one launch",
    ),
    text(
      "Grid · block",
      (kernel) => shape(kernel.grid),
      (kernel) =>
        kernel.grid === null && kernel.block === null
          ? quantity(null)
          : `${shape(kernel.grid)} · ${shape(kernel.block)}`,
      "n shape",
    ),
    number(
      "FLOP/B",
      "intensity_flop_per_byte",
      (kernel) =>
        kernel.intensity_flop_per_byte === null
          ? el(
              "span",
              { class: "none", title: kernel.intensity_note ?? "not measured" },
              NOT_MEASURED,
            )
          : threeDigits(kernel.intensity_flop_per_byte),
      "arithmetic intensity",
    ),
    number(
      "Bandwidth",
      "bandwidth_ratio",
      (kernel) => ratioCell(kernel.bandwidth_ratio, "bandwidth"),
      "share of the bandwidth wall",
    ),
    number(
      "Compute",
      "compute_ratio",
      (kernel) => ratioCell(kernel.compute_ratio, "compute"),
      "share of the compute wall of its precision",
    ),
    number(
      "Recoverable",
      "recoverable_ns",
      (kernel) => quantity(durationParts(kernel.recoverable_ns)),
      "time above its floor: what reaching its wall could save",
    ),
    text(
      "Counters",
      (kernel) => String(LEVELS.findIndex((level) => level.id === kernel.match.level)),
      matchCell,
    ),
  ];
}
