// Which kernels the reader's choices leave, and how those choices are called.

class View {
  constructor(report, state) {
    this.report = report;
    this.state = state;
    this.byId = new Map(report.kernels.map((kernel) => [kernel.id, kernel]));
    this.haystacks = new Map(report.kernels.map((kernel) => [kernel.id, haystack(kernel)]));
    state.listen(["hidden", "time", "show", "words"], () => this.refresh());
    this.refresh();
  }

  refresh() {
    this.hidden = new Set(this.state.get("hidden"));
    this.words = this.state.get("words").toLowerCase().split(/\s+/).filter(Boolean);
    this.shown = this.idsOf(this.state.get("show"));
    this.chosen = this.report.kernels.filter((kernel) => this.isChosen(kernel));
  }

  get isWhole() {
    return this.chosen.length === this.report.kernels.length;
  }

  get kernel() {
    return this.byId.get(this.state.get("kernel")) ?? null;
  }

  /** Drawn at all: in a group that is shown, and in the range of times. */
  isVisible(kernel) {
    const [from, to] = this.state.get("time");
    const time = kernel.time_ns ?? 0;
    return time >= from && time <= to && !groupsOf(kernel).some((group) => this.hidden.has(group));
  }

  /** In the table, and bright in the charts. */
  isChosen(kernel) {
    return (
      (this.shown === null || this.shown.has(kernel.id)) &&
      this.isVisible(kernel) &&
      this.words.every((word) => this.haystacks.get(kernel.id).includes(word))
    );
  }

  /** Ids of kernels that are singled out together; null for no such choice. */
  idsOf(show) {
    if (show === null) return null;
    const { kind, value } = show;
    const where = (test) => this.report.kernels.filter(test).map((kernel) => kernel.id);
    const found = {
      finding: () => this.report.findings[value].kernels,
      class: () => where((kernel) => kernel.class === value),
      range: () => this.report.range_tree[value].kernels,
      name: () => kernelsOfName(this.report, value),
      level: () => where((kernel) => kernel.match.level === value),
      ids: () => value,
    };
    return new Set(found[kind]());
  }

  /** Time that the launches inside a range take, ns; null where no range is singled out. */
  timeInRange({ kind, value }) {
    if (kind === "range") return this.report.range_tree[value].time_ns;
    if (kind !== "name") return null;
    return this.report.ranges.find(({ name }) => name === value)?.time_ns ?? null;
  }

  /** How such a choice is called. */
  nameOf({ kind, value }) {
    const names = {
      finding: () => `${this.report.findings[value].code} ${this.report.findings[value].title}`,
      class: () => t("show_class", { class: value }),
      range: () => t("show_range", { range: this.report.range_tree[value].name }),
      name: () => t("show_range", { range: value }),
      level: () => t("show_level", { level: called("level", value) }),
      ids: () => t("show_box"),
    };
    return names[kind]();
  }
}

function haystack(kernel) {
  const { name, full_name: fullName, class: kind, wall, match } = kernel;
  return [name, fullName, kind, WALL_LABELS[wall], wall, match.level].join("\n").toLowerCase();
}

/** The groups that a kernel is in, as they stand in the reader's choice of what to hide. */
const groupsOf = (kernel) => [
  `wall:${kernel.wall}`,
  `class:${kernel.class}`,
  `range:${kernel.range ?? ""}`,
];

const totalTime = (kernels) => kernels.reduce((sum, kernel) => sum + (kernel.time_ns ?? 0), 0);

/** Kernel time by wall of some kernels, ns. */
function timeByWall(kernels) {
  const times = {};
  for (const { wall, time_ns: time } of kernels) times[wall] = (times[wall] ?? 0) + (time ?? 0);
  return times;
}
