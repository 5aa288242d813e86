// Kernel time by NVTX range: a tree that opens where the time is, and the same by name.

const ROWS_AT_FIRST = 20;
const SIBLINGS_SHOWN = 15; // the lighter ones wait behind a button
const NAMES_SHOWN = 30;

const RANGE_HEADS = () => [
  [t("range"), "name-column"],
  [t("by_wall"), "wide"],
  [t("time"), "n"],
  [t("share"), "n"],
  [t("own_time"), "n"],
  [t("launches"), "n"],
];

function showRanges(report, show) {
  if (report.ranges.length === 0) return;
  const section = byId("ranges");
  const rows = section.querySelector(".rows");
  const views = {
    tree: () => new RangeTree(report, show).node,
    names: () => rangesByName(report, show),
  };
  const kinds = report.range_tree.length === 0 ? ["names"] : ["tree", "names"];
  const chips = kinds.map((kind) =>
    el(
      "button",
      { type: "button", class: "chip", "aria-pressed": "false", click: () => choose(kind) },
      t(`ranges_${kind}`),
    ),
  );
  const choose = (chosen) => {
    rows.replaceChildren(views[chosen]());
    chips.forEach((chip, place) => chip.setAttribute("aria-pressed", kinds[place] === chosen));
  };
  if (kinds.length > 1) rows.before(el("div", { class: "chips switch" }, chips));
  choose(kinds[0]);
  section.hidden = false;
}

function rangeCells(range, longest, name) {
  return [
    name,
    wallBar(range.time_by_wall_ns, share(range.time_ns, longest) ?? 0),
    timeOf(range.time_ns),
    shareOf(range.time_ratio),
    timeOf(range.self_time_ns),
    count(range.launches),
  ];
}

const OUTSIDE = "(outside)"; // how the document calls kernels that no range holds

/** Ids of the kernels with a launch in ranges of a name; of a name too light for the tree, of those that are mostly in it. */
function kernelsOfName(report, name) {
  const nodes = report.range_tree.filter((range) => range.name === name);
  if (nodes.length > 0) return [...new Set(nodes.flatMap(({ kernels }) => kernels))];
  return report.kernels
    .filter((kernel) => (kernel.range ?? OUTSIDE) === name)
    .map((kernel) => kernel.id);
}

/** The way from a range to its kernels, in charts and table; null where it has none of its own. */
function rangeLink(kernels, click) {
  if (kernels.length === 0) return null;
  const label = t("show_kernels", { number: kernels.length });
  return el("button", { type: "button", class: "link", click }, label);
}

function rangesByName(report, show) {
  const longest = Math.max(...report.ranges.map((row) => row.time_ns), 0);
  const rows = report.ranges.map((range) => {
    const link = rangeLink(kernelsOfName(report, range.name), () =>
      show({ kind: "name", value: range.name }),
    );
    const name = el("span", { class: "branch" }, el("span", {}, middleCut(range.name)), link);
    return rangeCells(range, longest, name);
  });
  const left = report.page?.ranges ?? 0;
  return el(
    "div",
    {},
    foldedTable("plain", RANGE_HEADS(), rows, NAMES_SHOWN, (number) =>
      t("more_ranges", { number }),
    ),
    left > 0 ? el("p", { class: "sub" }, t("ranges_left", { number: left })) : null,
  );
}

const indent = ({ depth }) => `padding-left:${Math.min(depth, 12) * 18}px`;

class RangeTree {
  constructor(report, show) {
    Object.assign(this, { report, show });
    this.children = new Map();
    for (const range of report.range_tree) {
      this.children.set(range.parent, [...(this.children.get(range.parent) ?? []), range]);
    }
    this.longest = Math.max(...report.range_tree.map((range) => range.time_ns), 0);
    this.whole = new Set(); // nodes all of whose children are shown
    this.open = this.openAtFirst();
    this.body = el("tbody");
    const heads = RANGE_HEADS().map(([title, kind]) =>
      el("th", { class: kind, scope: "col" }, title),
    );
    const left = report.range_nodes - report.range_tree.length;
    this.node = el(
      "div",
      {},
      wideTable(
        el("table", { class: "plain tree" }, el("thead", {}, el("tr", {}, heads)), this.body),
      ),
      left > 0 ? el("p", { class: "sub" }, t("nodes_left", { number: left })) : null,
    );
    this.draw();
  }

  /** Open the heaviest nodes, as long as all rows fit the eye. */
  openAtFirst() {
    const open = new Set();
    const closed = [...(this.children.get(null) ?? [])];
    let rows = Math.min(closed.length, SIBLINGS_SHOWN);
    while (closed.length > 0) {
      closed.sort((one, other) => other.time_ns - one.time_ns);
      const inside = this.children.get(closed[0].node) ?? [];
      const more = Math.min(inside.length, SIBLINGS_SHOWN);
      if (rows + more > ROWS_AT_FIRST) break;
      open.add(closed.shift().node);
      closed.push(...inside);
      rows += more;
    }
    return open;
  }

  draw() {
    const rows = [];
    const add = (parent) => {
      const inside = this.children.get(parent) ?? [];
      const shown = this.whole.has(parent) ? inside : inside.slice(0, SIBLINGS_SHOWN);
      for (const range of shown) {
        rows.push(this.row(range));
        if (this.open.has(range.node)) add(range.node);
      }
      if (shown.length < inside.length) rows.push(this.rest(parent, inside.slice(shown.length)));
    };
    add(null);
    this.body.replaceChildren(...rows);
  }

  row(range) {
    const isParent = this.children.has(range.node);
    const cells = rangeCells(range, this.longest, this.name(range, isParent));
    const kinds = RANGE_HEADS().map(([, kind]) => kind);
    return el(
      "tr",
      { "data-node": range.node },
      cells.map((cell, place) => el("td", { class: kinds[place] }, cell)),
    );
  }

  /** A row that stands for lighter ranges, and a way to see them. */
  rest(parent, ranges) {
    const click = () => {
      this.whole.add(parent);
      this.draw();
      this.body.querySelector(`tr[data-node="${ranges[0].node}"] .twig`).focus();
    };
    const label = t("more_ranges", { number: ranges.length });
    return el(
      "tr",
      {},
      el(
        "td",
        { class: "name-column" },
        el(
          "span",
          { class: "branch", style: indent(ranges[0]) },
          el("button", { type: "button", class: "twig leaf link", click }, label),
        ),
      ),
      el("td", { class: "wide" }),
      el("td", { class: "n" }, timeOf(totalTime(ranges))),
      el("td", { colspan: 3 }),
    );
  }

  name(range, isParent) {
    const label = [
      el("span", { class: "unseen" }, t("level", { level: String(range.depth + 1) })),
      middleCut(range.name),
    ];
    const link = rangeLink(range.kernels, () =>
      this.show({ kind: "range", value: range.node }),
    );
    const twig = isParent
      ? el(
          "button",
          {
            type: "button",
            class: "twig",
            "aria-expanded": String(this.open.has(range.node)),
            click: () => this.toggle(range.node),
          },
          label,
        )
      : el("span", { class: "twig leaf", tabindex: -1 }, label);
    return el("span", { class: "branch", style: indent(range) }, twig, link);
  }

  toggle(node) {
    if (!this.open.delete(node)) this.open.add(node);
    this.draw();
    this.body.querySelector(`tr[data-node="${node}"] .twig`).focus();
  }
}
