// The table's columns: what each shows, sorts by, and copies as CSV.

function wallName(kernel) {
  return el("span", { class: "nowrap" }, swatch(`wall-${kernel.wall}`), WALL_SHORT[kernel.wall]);
}

/** A share of a wall with a small bar; past the wall it says so. */
function ratioCell(ratio, wall, isMarked = false) {
  if (ratio === null) return quantity(null);
  const above = ratio > 1;
  const title = [above ? t("above_wall") : null, isMarked ? t("sampled") : null];
  return el(
    "span",
    {
      class: above ? "ratio above" : "ratio",
      title: title.filter(Boolean).join("; ") || null,
    },
    el(
      "span",
      { class: isMarked ? "track hollow" : "track", "aria-hidden": "true" },
      el("i", { class: `wall-${wall}`, style: `width:${Math.min(1, ratio) * 100}%` }),
    ),
    above ? el("b", { class: "flag", "aria-hidden": "true" }, "▲") : null,
    shareOf(ratio),
    isMarked ? el("span", { class: "unseen" }, ` ${t("sampled")}`) : null,
  );
}

function matchCell({ match, launches }) {
  const { level, profiled_launches: profiled, reason } = match;
  const title = t("match_title", {
    reason,
    profiled:
      profiled > 0 ? t("profiled_of", { profiled: count(profiled), launches }) : t("unknown"),
  });
  return el("span", { class: level === "none" ? "none" : null, title }, called("level", level));
}

function intensityCell(kernel) {
  const intensity = kernel.intensity_flop_per_byte;
  if (intensity !== null) return threeDigits(intensity);
  const cell = quantity(null);
  cell.title = kernel.intensity_note ?? t("not_measured");
  return cell;
}

const shapeOf = ({ grid, block }) =>
  grid === null && block === null ? quantity(null) : `${shape(grid)} · ${shape(block)}`;

/** A column of numbers; `name` is its key in the document. */
function numberColumn(name, show, isUsual = true) {
  const read = (kernel) => kernel[name];
  return {
    key: name,
    title: t(`column_${name}`),
    help: TEXTS[`column_help_${name}`] ?? null,
    kind: "n",
    sort: read,
    show,
    fields: [[name, read]],
    isUsual,
  };
}

function textColumn(key, sort, show, more = {}) {
  return {
    key,
    title: t(`column_${key}`),
    help: TEXTS[`column_help_${key}`] ?? null,
    kind: "",
    sort,
    show,
    isText: true,
    isUsual: true,
    fields: [[key, sort]],
    ...more,
  };
}

const timeColumn = (name, isUsual) => numberColumn(name, (kernel) => timeOf(kernel[name]), isUsual);
const shareColumn = (name, isUsual) =>
  numberColumn(name, (kernel) => shareOf(kernel[name]), isUsual);
const amountColumn = (name, unit) =>
  numberColumn(name, (kernel) => amount(kernel[name], unit), false);

/** A column of a text of the kernel that is shown as it is. */
const plainColumn = (key, more) =>
  textColumn(
    key,
    (kernel) => String(kernel[key] ?? ""),
    (kernel) => middleCut(String(kernel[key] ?? "")),
    more,
  );

/** What a kernel is. */
function identityColumns(report) {
  const isSeveral = report.devices.length > 1;
  return [
    textColumn("name", (kernel) => kernel.name, null, {
      kind: "name-column",
      fields: [
        ["name", (kernel) => kernel.name],
        ["full_name", (kernel) => kernel.full_name],
      ],
    }),
    ...(isSeveral ? [plainColumn("device")] : []),
    textColumn(
      "class",
      (kernel) => kernel.class,
      (kernel) => kernel.class,
    ),
    textColumn("wall", (kernel) => WALL_LABELS[kernel.wall], wallName, {
      fields: [["wall", (kernel) => kernel.wall]],
    }),
  ];
}

/** What most readers look at. */
function mainColumns() {
  const level = (kernel) => String(LEVELS.findIndex(({ id }) => id === kernel.match.level));
  return [
    timeColumn("time_ns"),
    shareColumn("time_ratio"),
    shareColumn("cumulative", false),
    numberColumn("bandwidth_ratio", (kernel) =>
      ratioCell(kernel.bandwidth_ratio, "bandwidth", isSampled(kernel)),
    ),
    numberColumn("compute_ratio", (kernel) => ratioCell(kernel.compute_ratio, "compute")),
    numberColumn("intensity_flop_per_byte", intensityCell),
    timeColumn("recoverable_ns"),
    numberColumn("launches", (kernel) => count(kernel.launches)),
    timeColumn("median_ns"),
    textColumn("shape", (kernel) => shape(kernel.grid), shapeOf, {
      kind: "n shape",
      isUsual: false,
      fields: [
        ["grid", (kernel) => kernel.grid],
        ["block", (kernel) => kernel.block],
      ],
    }),
    textColumn("match", level, matchCell, {
      fields: [["match_level", (kernel) => kernel.match.level]],
    }),
  ];
}

function columns(report) {
  const hasRanges = colourings(report).includes("range");
  return [
    ...identityColumns(report),
    ...mainColumns(),
    ...["mean_ns", "p95_ns", "max_ns", "floor_ns", "ncu_ns"].map((name) => timeColumn(name, false)),
    amountColumn("flop", "FLOP"),
    ...["dram_bytes", "l2_bytes", "l1_bytes"].map((name) => amountColumn(name, "B")),
    amountColumn("flop_per_s", "FLOP/s"),
    amountColumn("bytes_per_s", "B/s"),
    ...(hasRanges ? [plainColumn("range", { isUsual: false, kind: "name-like" })] : []),
  ];
}
