// Kernel time by NVTX range: a tree that opens where the time is, and the same by name.

const ROWS_AT_FIRST = 14;
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
    names: () => rangesByName(report),
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

function rangesByName(report) {
  const longest = Math.max(...report.ranges.map((row) => row.time_ns), 0);
  const rows = report.ranges.map((range) => rangeCells(range, longest, middleCut(range.name)));
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

class RangeTree {
  constructor(report, show) {
    this.show = show;
    this.children = new Map();
    for (const range of report.range_tree) {
      this.children.set(range.parent, [...(this.children.get(range.parent) ?? []), range]);
    }
    this.longest = Math.max(...report.range_tree.map((range) => range.time_ns), 0);
    this.open = this.openAtFirst();
    this.body = el("tbody");
    const heads = RANGE_HEADS().map(([title, kind]) =>
      el("th", { class: kind, scope: "col" }, title),
    );
    const left = report.range_nodes - report.range_tree.length;
    this.node = el(
      "div",
      {},
      el(
        "div",
        { class: "wide-table" },
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
    let rows = closed.length;
    while (closed.length > 0) {
      closed.sort((one, other) => other.time_ns - one.time_ns);
      const inside = this.children.get(closed[0].node) ?? [];
      if (rows + inside.length > ROWS_AT_FIRST) break;
      open.add(closed.shift().node);
      closed.push(...inside);
      rows += inside.length;
    }
    return open;
  }

  draw() {
    const rows = [];
    const add = (parent) => {
      for (const range of this.children.get(parent) ?? []) {
        rows.push(this.row(range));
        if (this.open.has(range.node)) add(range.node);
      }
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

  name(range, isParent) {
    const label = [
      el("span", { class: "unseen" }, t("level", { level: String(range.depth + 1) })),
      middleCut(range.name),
    ];
    const style = `padding-left:${Math.min(range.depth, 12) * 18}px`;
    const kernels = range.kernels ?? [];
    const link =
      kernels.length === 0
        ? null
        : el(
            "button",
            {
              type: "button",
              class: "link",
              click: () => this.show({ kind: "range", value: range.node }),
            },
            t("show_kernels", { number: kernels.length }),
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
      : el("span", { class: "twig leaf" }, label);
    return el("span", { class: "branch", style }, twig, link);
  }

  toggle(node) {
    if (!this.open.delete(node)) this.open.add(node);
    this.draw();
    this.body.querySelector(`tr[data-node="${node}"] .twig`).focus();
  }
}
