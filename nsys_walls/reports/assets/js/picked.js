// At the foot of the window: what is singled out, its sum, and ways to its row, to a link, and back.

class Picked {
  constructor(report, state, view, table) {
    Object.assign(this, { report, state, view, table });
    this.node = document.querySelector(".picked");
    state.listen(Object.keys(DEFAULTS), () => this.refresh()); // each of them makes the link longer
    this.refresh();
  }

  refresh() {
    const { kernel } = this.view;
    const show = this.state.get("show");
    const content =
      kernel !== null ? this.single(kernel) : show !== null ? this.several(show) : null;
    const hadFocus = this.node.contains(document.activeElement);
    this.node.hidden = content === null;
    this.node.replaceChildren(...(content ?? []).flat());
    // a button that goes takes the focus along, and the next Tab would start from the top
    const next = this.node.querySelector("button") ?? byId("kernels");
    if (hadFocus) next.focus({ preventScroll: true });
  }

  single(kernel) {
    const shares = [
      [t("bandwidth"), kernel.bandwidth_ratio],
      [t("compute"), kernel.compute_ratio],
    ].map(([what, ratio]) => `${what} ${percent(ratio)}`);
    return [
      swatch(`wall-${kernel.wall}`),
      el("span", { class: "picked-name" }, middleCut(kernel.name)),
      el("span", { class: "q" }, `${duration(kernel.time_ns)} · ${percent(kernel.time_ratio)}`),
      el("span", { class: "mute" }, shares.join(" · ")),
      this.buttons(
        el(
          "button",
          { type: "button", class: "small", click: () => this.table.find(kernel.id) },
          t("its_row"),
        ),
        { kernel: null },
      ),
    ];
  }

  several(show) {
    const kernels = this.view.chosen;
    const time = totalTime(kernels);
    return [
      el("b", { class: "picked-name" }, cutMiddle(printable(this.view.nameOf(show)), 80)),
      el("span", { class: "q" }, this.sum(show, kernels.length, time)),
      el("span", { class: "picked-bar" }, wallBar(timeByWall(kernels))),
      this.buttons(
        el(
          "button",
          { type: "button", class: "small", click: () => byId("kernels").scrollIntoView() },
          t("their_rows"),
        ),
        { show: null },
      ),
    ];
  }

  /** What the kernels take; of a range, what of that lies in it. */
  sum(show, number, time) {
    const inside = this.view.timeInRange(show);
    const isWhole = inside !== null && number === this.view.shown.size;
    return t(isWhole ? "picked_in_range" : "picked_sum", {
      number,
      time: duration(time),
      inside: duration(inside),
      share: percent(share(isWhole ? inside : time, this.report.totals.kernel_ns)),
    });
  }

  buttons(way, back) {
    return el(
      "span",
      { class: "buttons" },
      way,
      this.state.fitsLink
        ? copyButton(t("copy_link"), () => location.href)
        : el("span", { class: "mute" }, t("too_long_for_link")),
      el(
        "button",
        { type: "button", class: "small", click: () => this.state.set(back) },
        t("show_all"),
      ),
    );
  }
}
