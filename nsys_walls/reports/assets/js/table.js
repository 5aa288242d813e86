// The table of kernels: sorted, filtered, one row open at a time; of many rows only those near
// the window are in the page.

const DRAWN_WHOLE = 300; // up to so many rows all are drawn, so that the browser's search finds them
const AHEAD = 30; // rows drawn beyond the window
const TALLEST = 940; // pixels that the window may have, as in the style sheet
const ROW_HEIGHT = 32; // pixels, as in the style sheet
const PRINTED_ROWS = 10;

class KernelTable {
  constructor(report, state, view) {
    this.state = state;
    this.view = view;
    this.columns = columns(report);
    let cumulative = 0;
    this.kernels = new Map(
      report.kernels.map((kernel) => {
        cumulative += kernel.time_ratio;
        return [kernel.id, { ...kernel, cumulative: Math.min(1, cumulative) }];
      }),
    );
    this.box = byId("kernels").querySelector(".scroll");
    this.most = Infinity; // rows, for paper
    this.body = el("tbody");
    this.head = el("tr");
    this.table = el("table", { class: "kernels" }, el("thead", {}, this.head), this.body);
    this.box.append(this.table);
    this.box.addEventListener("scroll", () => this.drawWindow(), { passive: true });
    state.listen(["columns"], () => this.rebuild());
    state.listen(["hidden", "time", "show", "words", "sort"], () => this.refresh());
    state.listen(["kernel"], () => this.openRow());
    this.rebuild();
  }

  get shownColumns() {
    const chosen = this.state.get("columns");
    return this.columns.filter((column) =>
      chosen === null ? column.isUsual : column.key === "name" || chosen.includes(column.key),
    );
  }

  rebuild() {
    this.drawnColumns = this.shownColumns;
    this.heads = this.drawnColumns.map((column) =>
      el(
        "th",
        { scope: "col", class: column.kind },
        el(
          "button",
          { type: "button", title: column.help, click: () => this.sortBy(column) },
          column.title,
        ),
      ),
    );
    this.head.replaceChildren(...this.heads);
    this.refresh();
  }

  sortBy(column) {
    const up = column.key;
    const down = `-${column.key}`;
    const first = column.isText ? up : down;
    const second = column.isText ? down : up;
    this.state.set({ sort: this.state.get("sort") === first ? second : first });
  }

  compare(column, descending) {
    return (one, other) => {
      const [left, right] = [column.sort(one), column.sort(other)];
      if (left === null || right === null) return (left === null) - (right === null); // not measured is last, always
      const difference = column.isText ? left.localeCompare(right, "en") : left - right;
      return (descending ? -difference : difference) || one.id - other.id;
    };
  }

  /** Filter and sort anew. */
  refresh() {
    const sort = this.state.get("sort");
    const key = sort.replace(/^-/, "");
    const column = this.columns.find((one) => one.key === key) ?? this.columns[0];
    this.rows = this.view.chosen
      .map(({ id }) => this.kernels.get(id))
      .sort(this.compare(column, sort.startsWith("-")))
      .slice(0, this.most);
    this.heads.forEach((head, place) => {
      const direction = sort.startsWith("-") ? "descending" : "ascending";
      if (this.drawnColumns[place] === column) head.setAttribute("aria-sort", direction);
      else head.removeAttribute("aria-sort");
    });
    this.table.setAttribute("aria-rowcount", this.rows.length + 1);
    this.body.replaceChildren();
    this.openRow();
  }

  /** Open the row of the kernel that is singled out, and close the one before. */
  openRow() {
    this.body.querySelector("tr.open")?.classList.remove("open");
    this.body.querySelector('[aria-expanded="true"]')?.setAttribute("aria-expanded", "false");
    this.body.querySelector("tr.more")?.remove();
    this.opened = this.rows.findIndex((kernel) => kernel.id === this.state.get("kernel"));
    this.more = null;
    if (this.opened >= 0) {
      const content = detail(this.rows[this.opened]);
      this.more = el(
        "tr",
        { class: "more" },
        el("td", { colspan: this.drawnColumns.length }, content),
      );
    }
    this.drawWindow();
  }

  /** Pixels from the top of the rows to a row. */
  topOf(place) {
    const isBelow = this.opened >= 0 && place > this.opened;
    return place * ROW_HEIGHT + (isBelow ? (this.more?.offsetHeight ?? 0) : 0);
  }

  /** First and last place, exclusive, of the rows to draw. */
  window() {
    const all = this.rows.length;
    if (all <= DRAWN_WHOLE) return [0, all];
    const open = this.opened >= 0 ? (this.more?.offsetHeight ?? 0) : 0;
    const from = Math.floor((this.box.scrollTop - open) / ROW_HEIGHT) - AHEAD;
    const to = Math.ceil((this.box.scrollTop + TALLEST) / ROW_HEIGHT) + AHEAD;
    return [Math.max(0, from), Math.min(all, Math.max(to, 0))];
  }

  drawWindow() {
    const [from, to] = this.window();
    const wanted = new Map(this.rows.slice(from, to).map((kernel, at) => [kernel.id, from + at]));
    for (const row of [...this.body.children]) {
      const id = Number(row.dataset.id ?? -1);
      if (!wanted.has(id) && row !== this.more) row.remove();
    }
    let next = this.body.firstElementChild;
    for (const [id, place] of wanted) {
      if (next?.dataset.id === String(id)) next = next.nextElementSibling;
      else this.body.insertBefore(this.row(this.rows[place], place), next);
      if (next !== null && next === this.more) next = next.nextElementSibling;
    }
    this.attachDetail(wanted);
    const below = this.topOf(this.rows.length) - this.topOf(to);
    this.body.prepend(...this.space(this.topOf(from)));
    this.body.append(...this.space(below));
  }

  attachDetail(wanted) {
    const kernel = this.rows[this.opened];
    if (this.more === null || !wanted.has(kernel.id)) {
      this.more?.remove();
      return;
    }
    const row = this.rowOf(kernel.id);
    row.classList.add("open");
    row.querySelector(".name").setAttribute("aria-expanded", "true");
    if (row.nextElementSibling !== this.more) row.after(this.more);
  }

  /** The room of rows that are not drawn. */
  space(height) {
    if (height <= 0) return [];
    const cell = el("td", { colspan: this.drawnColumns.length, style: `height:${height}px` });
    return [el("tr", { class: "space", "aria-hidden": "true" }, cell)];
  }

  row(kernel, place) {
    const [, ...others] = this.drawnColumns;
    const name = el(
      "button",
      { type: "button", class: "name", "aria-expanded": "false" },
      middleCut(kernel.name),
    );
    const click = () => {
      if (getSelection().isCollapsed) this.toggle(kernel.id);
    };
    return el(
      "tr",
      { "data-id": kernel.id, "aria-rowindex": place + 2, click },
      el("td", { class: "name-column" }, name),
      others.map((column) => el("td", { class: column.kind }, column.show(kernel))),
    );
  }

  rowOf(id) {
    return this.body.querySelector(`tr[data-id="${id}"]`);
  }

  toggle(id) {
    this.state.set({ kernel: this.state.get("kernel") === id ? null : id });
  }

  /** Bring a kernel's row into view inside the table. */
  reveal(id) {
    const place = this.rows.findIndex((kernel) => kernel.id === id);
    if (place < 0) return;
    this.box.scrollTop = this.topOf(place);
    this.drawWindow(); // the event of scrolling comes later
  }

  /** Fewer rows on paper, and says so; Infinity shows all again. */
  limit(rows) {
    this.most = rows;
    this.refresh();
    const all = this.view.chosen.length;
    byId("kernels").querySelector(".more-kernels").textContent =
      this.rows.length < all ? t("printed", { shown: this.rows.length, all }) : "";
  }
}
