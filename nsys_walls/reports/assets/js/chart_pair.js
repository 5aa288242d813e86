// Both charts of one GPU: drawn together, emphasised together, redrawn when something around them changes.

const PRINT_WIDTH = 760; // pixels; the style sheet scales the drawing to the paper
const MANY = 500; // bubbles from which on a change waits for the next
const WAIT_MS = 120;

class Charts {
  constructor(report, state, view) {
    Object.assign(this, { report, state, view });
    this.targets = { plane: byId("plane"), roofline: byId("roofline") };
    for (const target of Object.values(this.targets)) new ChartDrag(target, this);
    if (state.get("gpu") === null) this.seek();
    state.listen(["kernel", "show"], (changed) => {
      const isChosen = changed.includes("gpu") && state.get("gpu") !== null;
      if (!isChosen) this.seek();
    });
    state.listen(["colour", "gpu", "roofs"], () => this.draw());
    state.listen(["hidden", "time", "show", "words", "kernel", "caches"], () => this.soon());
  }

  get device() {
    const chosen = this.state.get("gpu");
    return this.report.devices.find((one) => one.device === chosen) ?? busiest(this.report);
  }

  get kernels() {
    return this.report.kernels.filter((kernel) => kernel.device === this.device.device);
  }

  /** Go to the GPU of what is singled out where this one has none of it. */
  seek() {
    const { report, state, device } = this;
    const ids = this.picked;
    const times = new Map();
    for (const kernel of report.kernels.filter(({ id }) => ids.has(id))) {
      times.set(kernel.device, (times.get(kernel.device) ?? 0) + (kernel.time_ns ?? 0));
    }
    if (times.has(device?.device)) return;
    const found = report.devices
      .filter((one) => times.has(one.device))
      .sort((one, other) => times.get(other.device) - times.get(one.device));
    if (found.length === 0) return;
    state.set({ gpu: found[0] === busiest(report) ? null : found[0].device });
  }

  /** Ids of what is singled out: one kernel, several, or one beside several. */
  get picked() {
    const { shown, kernel } = this.view;
    return new Set([...(shown ?? []), ...(kernel === null ? [] : [kernel.id])]);
  }

  draw(width = null) {
    const { plane, roofline } = this.targets;
    const wide = width ?? plane.clientWidth;
    const { look, figure } = this.fit(wide);
    this.look = look;
    const height = figure?.layout.height ?? 480;
    this.show(plane, figure);
    this.show(roofline, rooflineFigure(this.kernels, this.device, look, wide, height));
    showSizes(look.radii);
    this.emphasise();
  }

  /** The walls plane with bubbles so small that they fit side by side, where that can be. */
  fit(wide) {
    const colours = palette();
    const colour = colourOf(this.report, this.state.get("colour"), colours);
    const roofsChosen = this.state.get("roofs");
    let scale = 1;
    for (;;) {
      const look = { colours, colour, roofs: roofsChosen, radii: radii(this.kernels, wide, scale) };
      const figure = planeFigure(this.kernels, this.device, look, wide);
      if (!figure?.isCrowded || scale < 0.4 || this.kernels.length > MANY) return { look, figure };
      scale *= 0.8;
    }
  }

  show(target, figure) {
    draw(target, figure, this.device.device);
    remember(target, figure);
    if (figure !== null) this.follow(target);
    const drawn = new Set(target.kernelTraces.flatMap((trace) => trace.ids));
    const missing = this.kernels.filter((kernel) => !drawn.has(kernel.id));
    target.nextElementSibling.textContent =
      (figure?.note ?? "") +
      (figure === null || missing.length === 0
        ? ""
        : t("drawn", {
            drawn: count(drawn.size),
            kernels: this.kernels.length,
            reasons: whyMissing(missing),
          }));
  }

  /** Clicks while drags zoom or move; where they select, `ChartDrag` has both. */
  follow(target) {
    target.on("plotly_click", ({ points: [{ customdata }], event }) =>
      this.click(customdata ?? null, event?.shiftKey),
    );
  }

  /** Single a kernel out, or let go of it; `isMore`: those singled out already stay. */
  click(id, isMore) {
    if (id === null) return;
    const { shown, kernel } = this.view;
    if (!isMore) {
      this.state.set({ kernel: kernel?.id === id ? null : id });
      return;
    }
    const ids = this.picked;
    // beside a single kernel, others that were singled out before it are dim
    const isBright = kernel === null ? shown?.has(id) : kernel.id === id;
    if (isBright) ids.delete(id);
    else ids.add(id);
    this.singleOut(ids);
  }

  /** Single several kernels out; `isMore`: beside those that are singled out already. */
  pick(ids, isMore) {
    if (ids.length > 0) this.singleOut(new Set([...(isMore ? this.picked : []), ...ids]));
  }

  singleOut(ids) {
    const value = [...ids].sort((one, other) => one - other);
    this.state.set({ show: value.length === 0 ? null : { kind: "ids", value }, kernel: null });
  }

  /** Let go of what is singled out, and of a chart's zoom. */
  reset(target) {
    this.state.set({ show: null, kernel: null });
    unzoom(target);
  }

  /** Emphasise at once, or with many bubbles when the reader pauses. */
  soon() {
    clearTimeout(this.timer);
    if (this.kernels.length < MANY) this.emphasise();
    else this.timer = setTimeout(() => this.emphasise(), WAIT_MS);
  }

  emphasise() {
    const { view, state } = this;
    const single = view.kernel;
    const some = view.isWhole ? null : new Set(view.chosen.map((kernel) => kernel.id));
    const bright = single === null ? some : new Set([single.id]);
    const isVisible = (id) => view.isVisible(view.byId.get(id));
    for (const target of Object.values(this.targets)) emphasise(target, isVisible, bright);
    const all = state.get("caches") ? view.chosen : [];
    const kernels = (single === null ? all : [single]).filter(
      (kernel) => kernel.device === this.device.device,
    );
    showCacheMarks(showCaches(this.targets.roofline, kernels, this.look));
  }

  /** Redraw when the room or the colours change; paper has its own room. */
  watch() {
    const { plane } = this.targets;
    const redraw = () => {
      if (document.documentElement.dataset.medium !== "print") this.draw();
    };
    let width = plane.clientWidth;
    let timer = null;
    new ResizeObserver(() => {
      if (plane.clientWidth === width) return;
      width = plane.clientWidth;
      clearTimeout(timer);
      timer = setTimeout(redraw, 150);
    }).observe(plane);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  }

  /** Draw for paper: the drawing may be scaled to any room. */
  drawForPaper() {
    this.draw(PRINT_WIDTH);
    for (const target of Object.values(this.targets)) {
      for (const drawing of target.querySelectorAll(".main-svg")) {
        const { width, height } = target.layout;
        drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
      }
    }
  }

  /** A picture of a chart as a file, on the page's own ground. */
  async save(target, format, name) {
    const { width, height } = target.layout;
    const figure = {
      data: target.data,
      layout: { ...target.layout, paper_bgcolor: this.look.colours.ground },
    };
    await Plotly.downloadImage(figure, { format, filename: name, width, height, scale: 2 });
  }
}
