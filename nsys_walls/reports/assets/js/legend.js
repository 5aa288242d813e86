// What colour, size and outline mean; each colour is a switch.

class Legend {
  constructor(report, state, charts) {
    Object.assign(this, { report, state });
    this.chips = el("span", { class: "chips", role: "group" });
    this.node = el(
      "div",
      { class: "legend-rows" },
      el("div", { class: "row" }, this.chips, el("span", { class: "sizes" })),
      el("div", { class: "row" }, new TimeSlider(report, state).node, marksKey(charts.report)),
    );
    state.listen(["colour"], () => this.build());
    state.listen(["hidden"], () => this.follow());
    this.build();
  }

  build() {
    const colouring = this.state.get("colour");
    const found = groups(this.report, colouring);
    const own = found.slice(0, GROUP_COLOURS);
    const rest = found.slice(GROUP_COLOURS);
    this.buttons = own.map((group) => this.chip(group, [group.id]));
    if (rest.length > 0) {
      const label = t("other_groups", { number: rest.length });
      this.buttons.push(
        this.chip(
          { label, means: null, swatch: "wall-neither" },
          rest.map((group) => group.id),
        ),
      );
    }
    this.chips.setAttribute("aria-label", t(`shown_${colouring}`));
    this.chips.replaceChildren(...this.buttons.map(({ button }) => button));
    this.follow();
  }

  chip(group, ids) {
    const button = el(
      "button",
      { type: "button", class: "chip", title: group.means, click: () => this.toggle(ids) },
      swatch(group.swatch),
      cutMiddle(group.label, 40),
    );
    return { button, ids };
  }

  toggle(ids) {
    const hidden = new Set(this.state.get("hidden"));
    const isShown = !ids.every((id) => hidden.has(id));
    for (const id of ids) {
      if (isShown) hidden.add(id);
      else hidden.delete(id);
    }
    this.state.set({ hidden: [...hidden] });
  }

  follow() {
    const hidden = new Set(this.state.get("hidden"));
    for (const { button, ids } of this.buttons) {
      button.setAttribute("aria-pressed", String(!ids.every((id) => hidden.has(id))));
    }
  }
}

const circle = (radius, more = {}) =>
  svg(
    "svg",
    { width: 2 * radius + 2, height: 2 * radius + 2, "aria-hidden": "true", class: "size" },
    svg("circle", { cx: radius + 1, cy: radius + 1, r: radius, ...more }),
  );

function showSizes({ largest, most: longest }) {
  const sample = (part) => [circle(largest * Math.sqrt(part)), duration(longest * part)];
  document.querySelector(".sizes").replaceChildren(t("area"), ...sample(0.1), ...sample(1));
}

/** Outlines that stand in these charts: full, hollow, sampled. */
function marksKey(report) {
  const isPartly = (kernel) =>
    (kernel.bandwidth_ratio === null) !== (kernel.compute_ratio === null);
  const isDark = (kernel) => kernel.bandwidth_ratio === null && kernel.compute_ratio === null;
  const keys = [];
  if (report.kernels.some((kernel) => !isSampled(kernel) && (isPartly(kernel) || isDark(kernel)))) {
    keys.push([circle(5), t("mark_hollow")]);
  }
  if (report.kernels.some(isSampled)) {
    const dot = circle(5);
    dot.append(svg("circle", { class: "dot", cx: 6, cy: 6, r: 1.5 }));
    keys.push([dot, t("mark_sampled")]);
  }
  return el(
    "span",
    { class: "marks" },
    keys.map(([mark, text]) => el("span", {}, mark, " ", text)),
  );
}
