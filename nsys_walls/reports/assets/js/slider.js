// Which kernels by their total time: from both ends, so that the long tail can be had alone.

const SLIDER = { steps: 1000, width: 260, height: 16 };

class TimeSlider {
  constructor(report, state) {
    Object.assign(this, { report, state });
    const times = report.kernels.map((kernel) => kernel.time_ns ?? 0).filter((time) => time > 0);
    this.least = Math.max(1, least(times));
    this.most = Math.max(this.least, most(times));
    if (times.length < 2 || this.least === this.most) {
      this.node = el("span");
      return;
    }
    this.written = null; // the range that the thumbs stand for
    this.from = this.thumb(t("time_from"), 0);
    this.to = this.thumb(t("time_to"), SLIDER.steps);
    this.words = el("output", {});
    this.node = el(
      "span",
      { class: "slider" },
      el("span", { class: "label" }, t("time_slider")),
      el("span", { class: "rail" }, this.ticks(times), this.from, this.to),
      this.words,
    );
    state.listen(["time"], () => this.follow());
    this.follow();
  }

  thumb(label, value) {
    return el("input", {
      type: "range",
      min: 0,
      max: SLIDER.steps,
      step: 1,
      value,
      "aria-label": label,
      input: (event) => this.change(event.target),
    });
  }

  /** A stroke for each kernel: where the crowd is. */
  ticks(times) {
    const strokes = [...new Set(times.map((time) => this.place(time)))].map(
      (place) => `M${((place / SLIDER.steps) * SLIDER.width).toFixed(1)} 0v${SLIDER.height}`,
    );
    return svg(
      "svg",
      {
        viewBox: `0 0 ${SLIDER.width} ${SLIDER.height}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      },
      svg("path", { d: strokes.join("") }),
    );
  }

  place(time) {
    const part = Math.log(time / this.least) / Math.log(this.most / this.least);
    return Math.round(SLIDER.steps * Math.max(0, Math.min(1, part)));
  }

  time(place) {
    return this.least * (this.most / this.least) ** (place / SLIDER.steps);
  }

  /** A thumb goes no further than the other one. */
  change(moved) {
    if (Number(this.from.value) > Number(this.to.value)) {
      moved.value = (moved === this.from ? this.to : this.from).value;
    }
    const [from, to] = [Number(this.from.value), Number(this.to.value)];
    // the ends hold all there is; rounding must not lose the kernel that a thumb stands at
    this.written = [
      from === 0 ? 0 : Math.floor(this.time(from)),
      to === SLIDER.steps ? Infinity : Math.ceil(this.time(to)),
    ];
    this.state.set({ time: this.written });
    this.stack();
  }

  /** Where both thumbs stand at one end, the one that can still move is on top. */
  stack() {
    this.from.style.zIndex = Number(this.from.value) > SLIDER.steps / 2 ? 1 : 0;
  }

  follow() {
    const [from, to] = this.state.get("time");
    const [low, high] = [from === 0 ? this.least : from, to === Infinity ? this.most : to];
    // rounded times would move the thumb that is being dragged
    if (!isSame(this.written, [from, to])) {
      this.from.value = from === 0 ? 0 : this.place(from);
      this.to.value = to === Infinity ? SLIDER.steps : this.place(to);
      this.written = [from, to];
      this.stack();
    }
    this.words.textContent = t("time_range", { from: duration(low), to: duration(high) });
    this.from.setAttribute("aria-valuetext", duration(low));
    this.to.setAttribute("aria-valuetext", duration(high));
  }
}
