// Charts by keyboard: arrows go from kernel to kernel by time, Enter singles one out, Escape lets go.

const FORWARD = ["ArrowRight", "ArrowDown"];
const BACK = ["ArrowLeft", "ArrowUp"];

class ChartKeys {
  constructor(target, label, state, view) {
    Object.assign(this, { target, state, view, current: null });
    this.said = el("p", { class: "unseen", "aria-live": "polite" });
    target.before(this.said);
    target.tabIndex = 0;
    target.setAttribute("role", "application");
    target.setAttribute("aria-label", t("chart_keys", { chart: label }));
    target.addEventListener("keydown", (event) => this.press(event));
    target.addEventListener("blur", () => this.leave());
  }

  /** Kernels that stand in the chart, heaviest first, with their place in plotly's traces. */
  get points() {
    return (this.target.kernelTraces ?? [])
      .flatMap(({ place, ids }) => ids.map((id, at) => ({ id, place, at })))
      .filter(({ id }) => this.view.isVisible(this.view.byId.get(id)))
      .sort((one, other) => one.id - other.id);
  }

  press(event) {
    const step = FORWARD.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0;
    if (step !== 0) {
      this.move(step);
    } else if (event.key === "Enter" && this.current !== null) {
      this.state.set({ kernel: this.current });
    } else if (event.key === "Escape") {
      this.state.set({ kernel: null, show: null });
    } else {
      return;
    }
    event.preventDefault();
  }

  move(step) {
    const { points } = this;
    if (points.length === 0) return;
    const at = points.findIndex(({ id }) => id === this.current);
    const start = at < 0 && step < 0 ? 0 : at;
    const next = points[(start + step + points.length) % points.length];
    this.current = next.id;
    this.hover(next);
    const kernel = this.view.byId.get(next.id);
    this.said.textContent = [cutMiddle(printable(kernel.name), 200), ...kernelLines(kernel)].join(
      ". ",
    );
  }

  hover({ place, at }) {
    const { xaxis, yaxis } = this.target.data[place];
    const subplot = `${xaxis}${yaxis}`;
    Plotly.Fx.hover(this.target, [{ curveNumber: place, pointNumber: at }], subplot);
  }

  leave() {
    if (this.target.data !== undefined) Plotly.Fx.unhover(this.target);
  }
}
