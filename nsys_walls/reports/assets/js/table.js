// The table of kernels: sort, search, one row open at a time, drawn in chunks as it scrolls.

const CHUNK = 100;

class KernelTable {
  /**
   * @param {object} report the document
   * @param {(ids: Set<number>|null, open: object|null) => void} onEmphasis called with the kernels that
   *   a search, a wall or an open row singles out, null for none, and with the kernel of the open row
   */
  constructor(report, onEmphasis) {
    this.report = report;
    this.onEmphasis = onEmphasis;
    this.columns = columns(report);
    this.order = {
      column: this.columns.find((column) => column.title === "Time"),
      descending: true,
    };
    this.filter = { words: [], hiddenWalls: new Set(), ids: null };
    this.open = null;
    let cumulative = 0;
    this.kernels = report.kernels.map((kernel) => {
      cumulative += kernel.time_ratio;
      return { ...kernel, cumulative: Math.min(1, cumulative) };
    });
    this.haystacks = new Map(
      report.kernels.map((kernel) => [
        kernel.id,
        [kernel.name, kernel.full_name, kernel.class, WALL_LABELS[kernel.wall], kernel.match.level]
          .join("\n")
          .toLowerCase(),
      ]),
    );
    this.box = byId("kernels").querySelector(".scroll");
    this.buildTools();
    this.buildTable();
    this.refresh();
  }

  buildTools() {
    const search = el("input", {
      type: "search",
      placeholder: "Search names, classes, walls",
      "aria-label": "Search kernels",
      input: () =>
        this.setFilter({ words: search.value.toLowerCase().split(/\s+/).filter(Boolean) }),
    });
    this.count = el("span", { role: "status" });
    this.only = el("span", {});
    byId("kernels").querySelector(".tools").append(search, this.only, this.count);
  }

  buildTable() {
    this.heads = this.columns.map((column) =>
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
    this.body = el("tbody");
    this.box.append(
      el("table", { class: "kernels" }, el("thead", {}, el("tr", {}, this.heads)), this.body),
    );
    this.box.addEventListener(
      "scroll",
      () => {
        if (this.box.scrollTop + this.box.clientHeight > this.box.scrollHeight - 600) this.more();
      },
      { passive: true },
    );
  }

  sortBy(column) {
    const again = this.order.column === column;
    this.order = { column, descending: again ? !this.order.descending : !column.isText };
    this.refresh();
  }

  /** Show only some kernels, named by `why`; null shows all again. */
  showOnly(ids, why) {
    this.only.replaceChildren(
      ids === null
        ? ""
        : el(
            "button",
            {
              type: "button",
              class: "chip",
              title: "Show all kernels again",
              click: () => this.showOnly(null),
            },
            `${why} ×`,
          ),
    );
    this.setFilter({ ids: ids === null ? null : new Set(ids) });
  }

  setFilter(change) {
    Object.assign(this.filter, change);
    this.refresh();
    this.emphasis();
  }

  matches(kernel) {
    const { words, hiddenWalls, ids } = this.filter;
    return (
      !hiddenWalls.has(kernel.wall) &&
      (ids === null || ids.has(kernel.id)) &&
      words.every((word) => this.haystacks.get(kernel.id).includes(word))
    );
  }

  compare(one, other) {
    const { column, descending } = this.order;
    const [left, right] = [column.sort(one), column.sort(other)];
    if (left === null || right === null) return (left === null) - (right === null); // not measured is last, always
    const difference = column.isText ? left.localeCompare(right, "en") : left - right;
    return (descending ? -difference : difference) || one.id - other.id;
  }

  refresh() {
    this.rows = this.kernels
      .filter((kernel) => this.matches(kernel))
      .sort((one, other) => this.compare(one, other));
    this.heads.forEach((head, place) => {
      const direction = this.order.descending ? "descending" : "ascending";
      if (this.columns[place] === this.order.column) head.setAttribute("aria-sort", direction);
      else head.removeAttribute("aria-sort");
    });
    const time = this.rows.reduce((sum, kernel) => sum + (kernel.time_ns ?? 0), 0);
    const number =
      this.rows.length === this.kernels.length
        ? plural(this.rows.length, "kernel")
        : `${count(this.rows.length)} of ${plural(this.kernels.length, "kernel")}`;
    this.count.textContent = `${number} · ${duration(time)} · ${percent(share(time, this.report.totals.kernel_ns))} of kernel time`;
    this.drawn = 0;
    this.body.replaceChildren();
    this.more();
    if (!this.rows.some((kernel) => kernel.id === this.open)) this.open = null;
    else this.expand(this.open);
  }

  more(upTo = this.drawn + CHUNK) {
    const next = this.rows.slice(this.drawn, upTo);
    this.body.append(...next.map((kernel) => this.row(kernel)));
    this.drawn += next.length;
  }

  row(kernel) {
    const [, ...others] = this.columns;
    const name = el(
      "button",
      { type: "button", class: "name", "aria-expanded": "false" },
      middleCut(kernel.name),
    );
    const toggle = () => {
      if (getSelection().isCollapsed) this.toggle(kernel.id);
    };
    return el(
      "tr",
      { "data-id": kernel.id, click: toggle },
      el("td", { class: "name-column" }, name),
      others.map((column) => el("td", { class: column.kind }, column.show(kernel))),
    );
  }

  rowOf(id) {
    return this.body.querySelector(`tr[data-id="${id}"]`);
  }

  toggle(id) {
    const open = this.open === id ? null : id;
    this.collapse();
    this.open = open;
    if (open !== null) this.expand(open);
    this.emphasis();
  }

  collapse() {
    this.body.querySelector("tr.open")?.classList.remove("open");
    this.body.querySelector('[aria-expanded="true"]')?.setAttribute("aria-expanded", "false");
    this.body.querySelector("tr.more")?.remove();
  }

  expand(id) {
    const place = this.rows.findIndex((kernel) => kernel.id === id);
    if (place >= this.drawn) this.more(place + CHUNK);
    const row = this.rowOf(id);
    row.classList.add("open");
    row.querySelector(".name").setAttribute("aria-expanded", "true");
    row.after(
      el(
        "tr",
        { class: "more" },
        el("td", { colspan: this.columns.length }, detail(this.rows[place])),
      ),
    );
  }

  /** Open a kernel's row from elsewhere, and bring it into view. */
  reveal(id) {
    if (!this.rows.some((kernel) => kernel.id === id)) return;
    if (this.open !== id) this.toggle(id);
    const row = this.rowOf(id);
    this.box.scrollTop = row.offsetTop - this.heads[0].offsetHeight;
  }

  emphasis() {
    const open = this.rows.find((kernel) => kernel.id === this.open) ?? null;
    const some =
      this.rows.length < this.kernels.length ? new Set(this.rows.map((kernel) => kernel.id)) : null;
    this.onEmphasis(open === null ? some : new Set([open.id]), open);
  }
}
