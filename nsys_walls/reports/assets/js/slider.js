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
      input: () => this.change(),
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

  change() {
    const places = [Number(this.from.value), Number(this.to.value)];
    if (places[0] > places[1]) places.sort((one, other) => one - other);
    // the ends hold all there is; rounding must not lose the kernel that a thumb stands at
    this.state.set({
      time: [
        places[0] === 0 ? 0 : Math.floor(this.time(places[0])),
        places[1] === SLIDER.steps ? Infinity : Math.ceil(this.time(places[1])),
      ],
    });
  }

  follow() {
    const [from, to] = this.state.get("time");
    const [low, high] = [from === 0 ? this.least : from, to === Infinity ? this.most : to];
    if (document.activeElement !== this.from) this.from.value = from === 0 ? 0 : this.place(from);
    if (document.activeElement !== this.to) {
      this.to.value = to === Infinity ? SLIDER.steps : this.place(to);
    }
    this.words.textContent = t("time_range", { from: duration(low), to: duration(high) });
    this.from.setAttribute("aria-valuetext", duration(low));
    this.to.setAttribute("aria-valuetext", duration(high));
  }
}
