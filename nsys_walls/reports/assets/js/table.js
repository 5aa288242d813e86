// The table of kernels: sorted, filtered, one row open at a time. Tabulator draws it; of many rows
// only those near the window are in the page.

const DRAWN_WHOLE = 300; // up to so many rows all are drawn, so that the browser's search finds them
const SHORT = 50; // up to so many rows the table is as tall as they are
const TALLEST = "min(78vh, 940px)";
const ROW_HEIGHT = 31; // pixels, and one of its line below
const WIDEST_COLUMN = 240; // pixels, of any other that is not drawn wider

class KernelTable {
  constructor(report, state, view) {
    Object.assign(this, { report, state, view, grid: null });
    this.columns = columns(report);
    let cumulative = 0;
    this.kernels = report.kernels.map((kernel) => {
      cumulative += kernel.time_ratio;
      return { ...kernel, cumulative: Math.min(1, cumulative) };
    });
    this.widths = new Map(); // pixels that the reader has drawn columns to, by key
    this.box = byId("kernels").querySelector(".grid");
    this.paper = byId("kernels").querySelector(".paper");
  }

  get shownColumns() {
    const chosen = this.state.get("columns");
    return this.columns.filter((column) =>
      chosen === null ? column.isUsual : column.key === "name" || chosen.includes(column.key),
    );
  }

  /** The kernels in the table, in its order. */
  get rows() {
    if (this.grid === null) return this.kernels;
    return this.grid.getRows("active").map((row) => row.getData());
  }

  /** Draw it; resolves when its rows are there. */
  async build() {
    await loadLibrary("tabulator", "Tabulator");
    const { widths } = this;
    Tabulator.extendModule("layout", "modes", {
      fitName(fitted) {
        fitName(this.table, fitted, widths);
      },
    });
    this.opened = this.state.get("kernel");
    const grid = new Tabulator(this.box, this.options());
    grid.on("rowClick", (event, row) => this.click(event, row));
    grid.on("dataSorted", (sorters) => this.sorted(sorters));
    grid.on("columnResized", (column) => {
      widths.set(column.getField(), column.getWidth());
      this.showMore();
    });
    await new Promise((resolve) => {
      grid.on("tableBuilt", resolve);
    });
    this.grid = grid;
    this.dressTable();
    this.state.listen(["columns"], () => this.rebuild());
    this.state.listen(["hidden", "time", "show", "words"], () => this.refresh());
    this.state.listen(["sort"], () => this.sort());
    this.state.listen(["kernel"], () => this.openRow());
    this.refresh();
    this.watch();
  }

  /** A table to those who hear it: Tabulator's grid would promise arrow keys from cell to cell. */
  dressTable() {
    this.box.setAttribute("role", "table");
    this.box.setAttribute("aria-label", t("kernels_table"));
    this.box.querySelector(".tabulator-headers").setAttribute("aria-rowindex", 1);
    this.holder.removeAttribute("tabindex"); // the names in it take the focus
    this.holder.addEventListener("scroll", () => this.showMore(), { passive: true });
  }

  /** Shade the right edge where columns are out of sight. */
  showMore() {
    const { scrollLeft, scrollWidth, clientWidth } = this.holder;
    this.box.classList.toggle("more-at-right", scrollLeft + clientWidth < scrollWidth - 1);
  }

  /** Fit it anew when its room changes, and stay at the row that the reader looks at. */
  watch() {
    const room = () => `${this.box.clientWidth} ${innerHeight}`;
    let last = room();
    let timer = null;
    const fit = () => {
      if (room() === last || document.documentElement.dataset.medium === "print") return;
      last = room();
      const { scrollTop } = this.holder;
      this.grid.redraw(true);
      this.holder.scrollTop = scrollTop;
      this.showMore();
    };
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(fit, 150);
    };
    new ResizeObserver(soon).observe(this.box);
    addEventListener("resize", soon);
  }

  get holder() {
    return this.box.querySelector(".tabulator-tableholder");
  }

  options() {
    return {
      autoResize: false, // it scrolls to the top whenever the table comes into the window
      data: this.kernels,
      columns: this.definitions(),
      columnDefaults: { resizable: "header", headerSortTristate: false },
      columnHeaderSortMulti: false,
      headerSortElement: "",
      initialSort: [this.sorter()],
      initialFilter: (kernel) => this.view.isChosen(kernel),
      layout: "fitName",
      ...(this.kernels.length > SHORT ? { maxHeight: TALLEST } : {}),
      nestedFieldSeparator: false,
      placeholder: t("no_kernel"),
      renderVertical: this.kernels.length <= DRAWN_WHOLE ? "basic" : "virtual",
      rowHeight: ROW_HEIGHT,
      rowFormatter: (row) => this.dress(row),
    };
  }

  /** The columns that are shown, and out of sight the one that the rows are sorted by. */
  definitions() {
    const shown = this.shownColumns;
    const sorting = this.columns.filter(({ key }) => key === this.sorter().column);
    const unseen = sorting.filter((column) => !shown.includes(column));
    return [
      ...shown.map((column) => this.definition(column)),
      ...unseen.map((column) => ({ ...this.definition(column), visible: false })),
    ];
  }

  definition(column) {
    const isName = column.key === "name";
    const show = isName ? (kernel) => this.nameButton(kernel) : column.show;
    return {
      field: column.key,
      title: column.title,
      cssClass: column.kind,
      frozen: isName,
      ...(isName ? { minWidth: NARROWEST_NAME } : { maxInitialWidth: WIDEST_COLUMN }),
      headerSortStartingDir: column.isText ? "asc" : "desc",
      sorter: (_one, _other, one, other, _column, direction) =>
        compare(column, one.getData(), other.getData(), direction),
      // nodes only: Tabulator takes a text for markup
      titleFormatter: () => el("button", { type: "button", title: column.help }, column.title),
      formatter: (cell) => {
        cell.getElement().setAttribute("role", "cell");
        return el("span", { class: "cell" }, show(cell.getData()));
      },
    };
  }

  nameButton(kernel) {
    return el(
      "button",
      { type: "button", class: "name", "aria-expanded": "false" },
      middleCut(kernel.name),
    );
  }

  /** What a row has beside its cells, when it is drawn for the first time. */
  dress(row) {
    const { id } = row.getData();
    const node = row.getElement();
    node.dataset.id = id;
    row.watchPosition((place) => node.setAttribute("aria-rowindex", place + 1));
    this.showDetail(row, id === this.opened);
  }

  showDetail(row, isOpen) {
    const node = row.getElement();
    node.classList.toggle("open", isOpen);
    node.querySelector(".name")?.setAttribute("aria-expanded", String(isOpen));
    node.querySelector(".more")?.remove();
    if (!isOpen) return;
    const content = detail(row.getData());
    const columns = String(this.shownColumns.length);
    node.append(el("div", { class: "more", role: "cell", "aria-colspan": columns }, content));
  }

  click(event, row) {
    if (event.target.closest(".more") !== null) return;
    // a text that the pointer has just selected in the table is to be copied
    const selection = getSelection();
    const isPointer = event.detail > 0;
    if (isPointer && !selection.isCollapsed && this.box.contains(selection.anchorNode)) return;
    const { id } = row.getData();
    this.state.set({ kernel: this.state.get("kernel") === id ? null : id });
  }

  /** The state's order as Tabulator wants to hear it. */
  sorter() {
    const sort = this.state.get("sort");
    const field = sort.replace(/^-/, "");
    return { column: field, dir: sort.startsWith("-") ? "desc" : "asc" };
  }

  /** The reader has sorted by a column's head, or Tabulator has sorted anew. */
  sorted([sorter]) {
    if (this.grid === null || sorter === undefined) return;
    this.state.set({ sort: `${sorter.dir === "desc" ? "-" : ""}${sorter.field}` });
  }

  /** Follow the state's order: what is first now is what the reader wants to see. */
  sort() {
    const { column, dir } = this.sorter();
    const [now] = this.grid.getSorters();
    if (now?.field !== column || now?.dir !== dir) {
      const isThere = this.grid.getColumns().some((one) => one.getField() === column);
      if (isThere) this.grid.setSort(column, dir);
      else this.rebuild();
    }
    queueMicrotask(() => {
      this.holder.scrollTop = 0; // when the rows stand in their new order
    });
  }

  /** Filter anew. */
  refresh() {
    this.grid.refreshFilter();
    this.box.setAttribute("aria-rowcount", this.grid.getDataCount("active") + 1);
    this.showMore();
  }

  rebuild() {
    this.grid.setColumns(this.definitions());
    this.grid.setSort([this.sorter()]);
    this.box.querySelector(".tabulator-headers").setAttribute("aria-rowindex", 1);
    this.showMore();
  }

  /** Open the row of the kernel that is singled out, and close the one before. */
  openRow() {
    const before = this.opened;
    this.opened = this.state.get("kernel");
    for (const id of [before, this.opened]) {
      const row = id === null ? false : this.grid.getRow(id);
      if (row === false) continue;
      this.showDetail(row, id === this.opened);
      row.normalizeHeight();
    }
  }

  rowOf(id) {
    return this.box.querySelector(`.tabulator-row[data-id="${id}"]`);
  }

  /** Bring a kernel's row into view, where it is in the table. */
  async reveal(id) {
    if (!this.view.isChosen(this.view.byId.get(id))) return;
    await this.grid.scrollToRow(id, "top", false);
    this.rowOf(id).scrollIntoView({ block: "center" });
  }

  /** The same whatever hides it, and into the focus of the keyboard. */
  async find(id) {
    for (const change of [{ show: null, words: "" }, { hidden: [], time: [0, Infinity] }]) {
      if (this.view.isChosen(this.view.byId.get(id))) break;
      this.state.set(change);
    }
    await this.reveal(id);
    this.rowOf(id).querySelector(".name").focus({ preventScroll: true });
  }
}
