// Colours of the page's theme, and what bubbles are coloured by.

const GROUP_COLOURS = 8; // more could not be told apart

function palette() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: read("ink"),
    compute: read("compute-ink"),
    mute: read("mute"),
    line: read("line"),
    panel: read("panel"),
    ground: read("bg"),
    font: style.fontFamily,
    walls: Object.fromEntries(WALLS.map((wall) => [wall.id, read(wall.id)])),
    groups: Array.from({ length: GROUP_COLOURS }, (_, place) => read(`group-${place}`)),
    other: read("neither"),
  };
}

function translucent(hex, alpha) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgba(${red},${green},${blue},${alpha})`;
}

/** What kernels can be coloured by: ranges only where the document says in which one each runs. */
function colourings(report) {
  const hasRanges = report.kernels.some((kernel) => (kernel.range ?? null) !== null);
  return ["wall", "class", ...(hasRanges ? ["range"] : [])];
}

/**
 * The groups of a colouring, heaviest first for classes and ranges.
 *
 * @returns {{id: string, label: string, means: string|null, swatch: string}[]} the id is as in
 *   the choice of hidden groups; beyond the colours there are, groups share the one of "other"
 */
function groups(report, colouring) {
  if (colouring === "wall") {
    return WALLS.filter((wall) => report.kernels.some((kernel) => kernel.wall === wall.id)).map(
      (wall) => ({
        id: `wall:${wall.id}`,
        label: wall.label,
        means: wall.means,
        swatch: `wall-${wall.id}`,
      }),
    );
  }
  const times = new Map();
  for (const kernel of report.kernels) {
    const name = kernel[colouring] ?? "";
    times.set(name, (times.get(name) ?? 0) + (kernel.time_ns ?? 0));
  }
  return [...times]
    .sort((one, other) => other[1] - one[1])
    .map(([name], place) => ({
      id: `${colouring}:${name}`,
      label: name === "" ? t("no_range") : printable(name),
      means: null,
      swatch: place < GROUP_COLOURS ? `group-${place}` : "wall-neither",
    }));
}

/** The colour of a kernel: a function of it, for one colouring and theme. */
function colourOf(report, colouring, colours) {
  if (colouring === "wall") return (kernel) => colours.walls[kernel.wall];
  const places = new Map(groups(report, colouring).map((group, place) => [group.id, place]));
  return (kernel) =>
    colours.groups[places.get(`${colouring}:${kernel[colouring] ?? ""}`)] ?? colours.other;
}
