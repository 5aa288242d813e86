// Above the table: search, what is singled out, how much is left, columns, CSV.

class TableTools {
  constructor(report, state, view, table) {
    Object.assign(this, { report, state, view, table });
    this.search = el("input", {
      type: "search",
      placeholder: t("search_hint"),
      "aria-label": t("search"),
      value: state.get("words"),
      input: () => state.set({ words: this.search.value }),
    });
    this.only = el("span", {});
    this.count = el("span", { role: "status" });
    byId("kernels")
      .querySelector(".tools")
      .append(
        this.search,
        this.only,
        this.count,
        el(
          "span",
          { class: "buttons" },
          this.columnChoice(),
          copyButton(t("copy_csv"), () => csvText(table.rows, table.shownColumns)),
        ),
      );
    state.listen(["words", "show", "hidden", "time"], () => this.refresh());
    this.refresh();
  }

  refresh() {
    if (this.search.value !== this.state.get("words")) this.search.value = this.state.get("words");
    const show = this.state.get("show");
    this.only.replaceChildren(show === null ? "" : this.chip(show));
    const { chosen, report } = { chosen: this.view.chosen, report: this.report };
    const number = this.view.isWhole
      ? t("kernels_all", { number: chosen.length })
      : t(report.page?.kernels ? "kernels_of_page" : "kernels_some", {
          number: count(chosen.length),
          all: report.kernels.length,
        });
    const time = totalTime(chosen);
    this.count.textContent = t("count", {
      number,
      time: duration(time),
      share: percent(share(time, report.totals.kernel_ns)),
    });
  }

  chip(show) {
    return el(
      "button",
      {
        type: "button",
        class: "chip",
        title: t("show_all"),
        click: () => this.state.set({ show: null }),
      },
      `${cutMiddle(printable(this.view.nameOf(show)), 80)} ×`,
    );
  }

  columnChoice() {
    const boxes = this.table.columns.slice(1).map((column) => {
      const box = el("input", { type: "checkbox", change: () => this.chooseColumns(boxes) });
      return { column, box };
    });
    const tick = () => {
      const shown = new Set(this.table.shownColumns);
      for (const { column, box } of boxes) box.checked = shown.has(column);
    };
    this.state.listen(["columns"], tick);
    tick();
    return menu(
      t("columns"),
      boxes.map(({ column, box }) => el("label", {}, box, ` ${column.title}`)),
      el(
        "button",
        { type: "button", class: "link start", click: () => this.state.set({ columns: null }) },
        t("usual_columns"),
      ),
    );
  }

  chooseColumns(boxes) {
    const keys = boxes.filter(({ box }) => box.checked).map(({ column }) => column.key);
    const usual = boxes.filter(({ column }) => column.isUsual).map(({ column }) => column.key);
    this.state.set({ columns: isSame(keys, usual) ? null : keys });
  }
}
