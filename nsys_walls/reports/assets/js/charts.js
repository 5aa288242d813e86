// What both charts share: axes, layout, drawing.

const HOVER_DISTANCE = 12; // pixels from a bubble's edge

function baseLayout(look, size, margin) {
  const { colours } = look;
  return {
    ...size,
    margin,
    showlegend: false,
    hovermode: "closest",
    hoverdistance: HOVER_DISTANCE,
    dragmode: "select",
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: colours.font, size: 12, color: colours.mute },
    hoverlabel: {
      align: "left",
      namelength: -1,
      bgcolor: colours.panel,
      bordercolor: colours.line,
      font: { family: colours.font, size: 12.5, color: colours.ink },
    },
    modebar: { bgcolor: colours.ground, color: colours.mute, activecolor: colours.ink },
  };
}

function axis(look, more) {
  return {
    gridcolor: look.colours.line,
    zeroline: false,
    showline: false,
    ticks: "",
    tickfont: { size: 11.5 },
    ticklabelstandoff: 4,
    ...more,
  };
}

/** An axis across a strip or lane, in pixels from its middle. */
function acrossAxis(domain, half, anchor) {
  return { domain, range: [-half, half], anchor, visible: false, fixedrange: true };
}

function annotation(text, colour, place) {
  return { text, showarrow: false, font: { size: 12, color: colour }, ...place };
}

/** Shapes lie below the bubbles and their grid. */
const filledRect = (colour, alpha, place) => ({
  type: "rect",
  layer: "below",
  line: { width: 0 },
  fillcolor: translucent(colour, alpha),
  ...place,
});

const DRAG_MODES = { select: "select2d", lasso: "lasso2d", zoom: "zoom2d", pan: "pan2d" };

const plotOptions = () => ({
  displaylogo: false,
  displayModeBar: "hover",
  doubleClick: "reset",
  showTips: false, // English, whatever the page's language
  typesetMath: false,
  // named one by one: plotly's own set has a button that would send the chart to a server
  modeBarButtons: [Object.values(DRAG_MODES), ["zoomIn2d", "zoomOut2d", "resetScale2d"]],
  plotlyServerURL: "",
  locale: "page",
  locales: {
    page: {
      dictionary: {
        "Box Select": t("drag_select"),
        "Lasso Select": t("drag_lasso"),
        Zoom: t("drag_zoom"),
        Pan: t("drag_pan"),
        "Zoom in": t("zoom_in"),
        "Zoom out": t("zoom_out"),
        "Reset axes": t("zoom_reset"),
      },
      format: {},
    },
  },
});

/** Draw anew: what a drag does stays, and so do zoomed axes while they are of the same `gpu`. */
function draw(target, figure, gpu) {
  const { mode, ranges } = readView(target);
  const kept = target.gpu === gpu ? ranges : {};
  Object.assign(target, { gpu, unseen: { mode, ranges: kept } });
  Plotly.purge(target);
  target.replaceChildren();
  if (figure === null) {
    target.append(el("p", { class: "empty" }, t("no_chart")));
    return;
  }
  Plotly.newPlot(target, figure.traces, { ...figure.layout, dragmode: mode }, plotOptions());
  target.firstRanges = Object.fromEntries(
    Object.entries(target.layout)
      .filter(([key, axis]) => /^[xy]axis/.test(key) && !axis.fixedrange)
      .map(([key, axis]) => [key, axis.range.slice()]),
  );
  zoom(target, kept); // after the drawing, so that a reset still goes back to the first ranges
}

/** What the reader did to the view: how a drag acts, and the range of each axis that is zoomed. */
function readView(target) {
  const { layout, firstRanges } = target;
  if (layout === undefined) return target.unseen ?? { mode: "select", ranges: {} };
  const zoomed = Object.entries(firstRanges).filter(
    ([key, first]) => !isSame(layout[key].range, first),
  );
  return {
    mode: layout.dragmode,
    ranges: Object.fromEntries(zoomed.map(([key]) => [key, layout[key].range.slice()])),
  };
}

function zoom(target, ranges) {
  const change = Object.entries(ranges).map(([key, range]) => [`${key}.range`, range.slice()]);
  if (change.length > 0) Plotly.relayout(target, Object.fromEntries(change));
}

function unzoom(target) {
  const zoomed = Object.keys(readView(target).ranges);
  zoom(target, Object.fromEntries(zoomed.map((key) => [key, target.firstRanges[key]])));
}

/** Where kernels stand in a chart, and the traces as they were before anything was hidden. */
function remember(target, figure) {
  target.isPlain = true;
  target.kernelTraces = (figure?.traces ?? []).flatMap((trace, place) =>
    trace.meta === "kernels" ? [{ place, ids: trace.customdata, x: trace.x, y: trace.y }] : [],
  );
}

/** Hide what is not visible, and dim what is not bright; null: all of them are bright. */
function emphasise(target, isVisible, bright) {
  const traces = target.kernelTraces ?? [];
  const isPlain = bright === null && traces.every(({ ids }) => ids.every(isVisible));
  // a fresh drawing is plain already, and drawing thousands of bubbles again takes its time
  if (traces.length === 0 || (isPlain && target.isPlain)) return;
  target.isPlain = isPlain;
  const shown = (values, ids) => values.map((value, at) => (isVisible(ids[at]) ? value : null));
  const chosen = ({ ids }) =>
    bright === null ? null : ids.flatMap((id, at) => (bright.has(id) ? [at] : []));
  Plotly.update(
    target,
    {
      x: traces.map(({ x, ids }) => shown(x, ids)),
      y: traces.map(({ y, ids }) => shown(y, ids)),
      selectedpoints: traces.map(chosen),
    },
    labelsOf(target, (id) => isVisible(id) && (bright === null || bright.has(id))),
    traces.map(({ place }) => place),
  );
}

/** Which labels of bubbles stay, as plotly wants to hear it. */
function labelsOf(target, isShown) {
  const change = {};
  target.layout.annotations.forEach(({ name }, place) => {
    if (name?.startsWith("of ")) {
      change[`annotations[${place}].visible`] = isShown(Number(name.slice(3)));
    }
  });
  return change;
}

/** Where kernels are drawn, in pixels of the drawing; what a zoom has moved out of view is not. */
function drawnKernels(target) {
  return (target.kernelTraces ?? []).flatMap(({ place, ids, x, y }) => {
    const { xaxis, yaxis, marker } = target.data[place];
    const [across, down] = [toPixels(target.layout, xaxis), toPixels(target.layout, yaxis)];
    return ids
      .map((id, at) => ({
        id,
        subplot: xaxis + yaxis,
        x: across(x[at]),
        y: down(y[at]),
        radius: marker.size[at] / 2,
      }))
      .filter((spot) => spot.x !== null && spot.y !== null);
  });
}

/** From values of an axis, such as "y2", to pixels of the drawing; null where it does not reach. */
function toPixels({ margin, width, height, ...layout }, id) {
  const { type, range, domain = [0, 1] } = layout[id.replace(/^[xy]/, "$&axis")];
  const isAcross = id.startsWith("x");
  const room = isAcross ? width - margin.l - margin.r : height - margin.t - margin.b;
  return (value) => {
    const along = type === "log" ? Math.log10(value) : value;
    const part = (along - range[0]) / (range[1] - range[0]);
    if (!(part >= 0 && part <= 1)) return null;
    const place = domain[0] + part * (domain[1] - domain[0]);
    return isAcross ? margin.l + place * room : margin.t + (1 - place) * room;
  };
}
