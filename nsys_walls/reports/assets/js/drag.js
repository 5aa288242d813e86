// Charts by pointer: a drag sums up what it encloses.

const LEAST_DRAG = 6; // pixels; less is a click

// corners of what a drag encloses, by plotly's name of the mode
const OUTLINES = {
  select: (path) => {
    const [[left, top], [right, bottom]] = [path[0], path.at(-1)];
    return [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ];
  },
  lasso: (path) => path,
};

/**
 * Drags that select, in all areas of a chart at once.
 *
 * Plotly's own stop at the edge of the area in which they start, so in these two modes it does not
 * hear of presses; where it would have told of a click, this does.
 */
class ChartDrag {
  constructor(target, charts) {
    Object.assign(this, { target, charts, path: null, isDrag: false });
    target.style.touchAction = "pan-y"; // a finger still scrolls the page
    for (const kind of ["mousedown", "touchstart"]) {
      target.addEventListener(kind, (event) => this.keep(event), { capture: true });
    }
    target.addEventListener("pointerdown", (event) => this.press(event), { capture: true });
    target.addEventListener("pointermove", (event) => this.move(event));
    target.addEventListener("pointerup", (event) => this.release(event));
    target.addEventListener("pointercancel", () => this.end());
    target.addEventListener("click", (event) => this.click(event));
    target.addEventListener("dblclick", (event) => this.isOurs(event) && charts.reset(target));
    addEventListener("keydown", (event) => this.cancel(event), { capture: true });
  }

  get mode() {
    return this.target.layout?.dragmode;
  }

  /** A press of the first button in a mode that selects, on no button and no handle of an axis. */
  isOurs(event) {
    if (!Object.hasOwn(OUTLINES, this.mode) || event.button > 0 || event.ctrlKey) return false;
    if (event.target.closest(".modebar") !== null) return false;
    const handle = event.target.closest(".drag");
    return handle === null || handle.classList.contains("nsewdrag");
  }

  keep(event) {
    // plotly takes a press of any button for a click
    if (event.button > 0 || event.ctrlKey) event.stopPropagation();
    if (!this.isOurs(event)) return;
    event.stopPropagation();
    if (event.type === "mousedown") event.preventDefault(); // else text is selected
  }

  press(event) {
    if (!this.isOurs(event) || !event.isPrimary) return;
    this.isDrag = false;
    this.path = [this.placeOf(event)];
  }

  move(event) {
    if (this.path === null || !event.isPrimary) return;
    const place = this.placeOf(event);
    const [start] = this.path;
    this.path.push(place);
    if (!this.isDrag) {
      if (Math.hypot(place[0] - start[0], place[1] - start[1]) < LEAST_DRAG) return;
      this.begin(event.pointerId);
    }
    this.draw();
  }

  release(event) {
    if (this.path === null || !event.isPrimary) return;
    const ids = this.isDrag ? this.enclosed() : [];
    this.end();
    this.charts.pick(ids, event.shiftKey);
  }

  click(event) {
    if (!this.isOurs(event) || this.isDrag) return;
    const area = event.target.closest(".nsewdrag")?.dataset.subplot;
    const spots = this.shownSpots.filter(({ subplot }) => subplot === area);
    this.charts.click(kernelAt(spots, this.placeOf(event)), event.shiftKey);
  }

  /** Escape ends a drag with nothing selected; what was singled out before stays. */
  cancel(event) {
    if (event.key !== "Escape" || this.path === null || !this.isDrag) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.end();
  }

  begin(pointer) {
    const { look } = this.charts;
    this.isDrag = true;
    this.target.setPointerCapture(pointer); // the drag may leave the chart; no bubble hears of it
    this.spots = this.shownSpots;
    const { mute, ink, ground, font } = look.colours;
    this.outline = svg("polygon", {
      fill: translucent(mute, 0.12),
      "fill-rule": "evenodd",
      stroke: mute,
      "stroke-linejoin": "round",
    });
    this.sum = svg("text", {
      fill: ink,
      stroke: ground,
      "stroke-width": 4,
      style: `font:12px ${font};paint-order:stroke`,
    });
    this.layer = svg(
      "svg",
      { class: "enclosed", style: "position:absolute;inset:0;width:100%;height:100%" },
      this.outline,
      this.sum,
    );
    this.layer.style.pointerEvents = "none";
    this.frame.append(this.layer);
  }

  draw() {
    const corners = OUTLINES[this.mode](this.path);
    this.outline.setAttribute("points", corners.map((corner) => corner.join()).join(" "));
    const { view, report } = this.charts;
    const kernels = this.enclosed().map((id) => view.byId.get(id));
    const time = totalTime(kernels);
    this.sum.textContent = t("picked_sum", {
      number: kernels.length,
      time: duration(time),
      share: percent(share(time, report.totals.kernel_ns)),
    });
    const [x, y] = this.path.at(-1);
    const isRight = x > this.target.layout.width / 2;
    this.sum.setAttribute("text-anchor", isRight ? "end" : "start");
    this.sum.setAttribute("x", x);
    this.sum.setAttribute("y", Math.max(14, y - 8));
  }

  end() {
    this.path = null;
    this.layer?.remove();
  }

  enclosed() {
    const corners = OUTLINES[this.mode](this.path);
    return this.spots.filter((spot) => isWithin(spot, corners)).map(({ id }) => id);
  }

  get shownSpots() {
    const { view } = this.charts;
    return drawnKernels(this.target).filter(({ id }) => view.isVisible(view.byId.get(id)));
  }

  get frame() {
    return this.target.querySelector(".svg-container");
  }

  /** Pixels of the drawing where a pointer is; beyond its edge, at the edge. */
  placeOf({ clientX, clientY }) {
    const { left, top } = this.frame.getBoundingClientRect();
    const { width, height } = this.target.layout;
    const inside = (value, most) => Math.min(Math.max(value, 0), most);
    return [inside(clientX - left, width), inside(clientY - top, height)];
  }
}

/**
 * The kernel at a place, by the rule of plotly's hovering, which lags behind a quick pointer: the
 * smallest and uppermost bubble around it, else the nearest edge.
 */
function kernelAt(spots, [left, top]) {
  let found = { far: HOVER_DISTANCE, id: null };
  for (const { id, x, y, radius } of spots) {
    const far = Math.max(Math.hypot(x - left, y - top) - radius, 1 - 3 / Math.max(3, radius));
    if (far <= found.far) found = { far, id };
  }
  return found.id;
}

/** Whether a place is inside a polygon: a ray from it crosses the outline at odd times. */
function isWithin({ x, y }, corners) {
  let isInside = false;
  corners.forEach(([endX, endY], at) => {
    const [startX, startY] = corners.at(at - 1);
    const isBeside = startY > y !== endY > y;
    if (isBeside && x < startX + ((y - startY) / (endY - startY)) * (endX - startX)) {
      isInside = !isInside;
    }
  });
  return isInside;
}
