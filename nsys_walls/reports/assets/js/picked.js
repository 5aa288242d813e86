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
    this.node.hidden = content === null;
    this.node.replaceChildren(...(content ?? []).flat());
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
          {
            type: "button",
            class: "small",
            click: () => this.table.reveal(kernel.id, { isFocused: true }),
          },
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
      el(
        "span",
        { class: "q" },
        t("picked_sum", {
          number: kernels.length,
          time: duration(time),
          share: percent(share(time, this.report.totals.kernel_ns)),
        }),
      ),
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
