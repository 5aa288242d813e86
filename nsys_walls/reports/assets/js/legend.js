// What colour, size and outline mean; each colour is a switch.

const HIDDEN_ONE_BY_ONE = 3; // groups of one colouring; more of them come back together

class Legend {
  constructor(report, state, charts) {
    Object.assign(this, { report, state });
    this.groups = new Map(["wall", "class", "range"].map((name) => [name, groups(report, name)]));
    this.chips = el("span", { class: "chips", role: "group" });
    this.back = el("span", { class: "chips" });
    this.node = el(
      "div",
      { class: "legend-rows" },
      el("div", { class: "row" }, this.chips, this.back, el("span", { class: "sizes" })),
      el("div", { class: "row" }, new TimeSlider(report, state).node, marksKey(charts.report)),
    );
    state.listen(["colour"], () => this.build());
    state.listen(["hidden", "time"], () => this.follow());
    this.build();
  }

  build() {
    const colouring = this.state.get("colour");
    const found = this.groups.get(colouring);
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
    const struck = new Set();
    for (const { button, ids } of this.buttons) {
      const isHidden = ids.every((id) => hidden.has(id));
      button.setAttribute("aria-pressed", String(!isHidden));
      if (isHidden) ids.forEach((id) => struck.add(id));
    }
    const isFocused = this.back.contains(document.activeElement);
    this.back.replaceChildren(...this.waysBack(hidden, struck));
    if (isFocused) (this.back.querySelector("button") ?? this.buttons[0].button).focus();
  }

  /** Chips of hidden groups that none of this colouring's chips stands for, and one for all. */
  waysBack(hidden, struck) {
    const found = [...this.groups].map(([colouring, all]) => [
      colouring,
      all.filter(({ id }) => hidden.has(id)),
    ]);
    const chips = found.flatMap(([colouring, all]) => {
      const lost = all.filter(({ id }) => !struck.has(id));
      const number = lost.length;
      if (number > HIDDEN_ONE_BY_ONE) {
        return [this.hiddenChip(t(`hidden_${colouring}`, { number }), lost)];
      }
      return lost.map((group) =>
        this.hiddenChip(t("hidden_group", { group: cutMiddle(group.label, 40) }), [group]),
      );
    });
    const isNarrow = !isSame(this.state.get("time"), DEFAULTS.time);
    if (isNarrow || found.some(([, all]) => all.length > 0)) chips.push(this.showAll());
    return chips;
  }

  hiddenChip(label, lost) {
    const ids = lost.map(({ id }) => id);
    return el(
      "button",
      { type: "button", class: "chip", title: t("unhide"), click: () => this.toggle(ids) },
      `${label} `,
      el("span", { "aria-hidden": "true" }, "×"),
    );
  }

  showAll() {
    const { hidden, time } = DEFAULTS;
    return el(
      "button",
      {
        type: "button",
        class: "small",
        title: t("unhide_all"),
        click: () => this.state.set({ hidden, time }),
      },
      t("show_all"),
    );
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

const CACHE_MARKS = { L2: "M6 1 11 6 6 11 1 6z", L1: "M2 2h8v8h-8z" };

/** Which marks of caches the key explains: those that are drawn. */
function showCacheMarks(names) {
  for (const key of document.querySelectorAll(".marks [data-cache]")) {
    key.hidden = !names.includes(key.dataset.cache);
  }
}

/** Outlines that stand in these charts: hollow, sampled, and caches while they are shown. */
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
  const caches = CACHES.map(([, name]) => {
    const mark = svg(
      "svg",
      { width: 12, height: 12, "aria-hidden": "true", class: "size" },
      svg("path", { d: CACHE_MARKS[name] }),
    );
    const text = t("mark_cache", { cache: name });
    return el("span", { "data-cache": name, hidden: true }, mark, " ", text);
  });
  return el(
    "span",
    { class: "marks" },
    keys.map(([mark, text]) => el("span", {}, mark, " ", text)),
    caches,
  );
}
