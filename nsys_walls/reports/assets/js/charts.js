// What both charts share: plotly itself, colours, bubbles, hover text, emphasis.

async function inflate(base64) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error(
      "this browser can't unpack what the page carries; Chrome 80, Firefox 113 and Safari 16.4 or later can",
    );
  }
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Run the copy of plotly.js that the page carries; the policy knows its hash. */
async function loadPlotly() {
  const script = document.createElement("script");
  script.textContent = await inflate(byId("plotly").textContent);
  document.head.append(script);
  if (typeof Plotly === "undefined")
    throw new Error("this browser refused the chart library inside the page");
}

function palette() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(`--${name}`).trim();
  const walls = Object.fromEntries(WALLS.map((wall) => [wall.id, read(wall.id)]));
  return {
    ink: read("ink"),
    compute: read("compute-ink"),
    mute: read("mute"),
    line: read("line"),
    panel: read("panel"),
    font: style.fontFamily,
    walls,
  };
}

function translucent(hex, alpha) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgba(${red},${green},${blue},${alpha})`;
}

/** Plotly reads a subset of HTML in its texts: a name must come out as it is. */
function plotlyText(text) {
  return printable(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function wrapped(text, width) {
  const lines = [];
  let rest = text;
  while (rest.length > width) {
    const space =
      Math.max(...[" ", ",", "<", "("].map((mark) => rest.lastIndexOf(mark, width - 1))) + 1;
    const cut = space > width / 2 ? space : width;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...lines, rest];
}

function hoverText(kernel) {
  const name = wrapped(cutMiddle(kernel.full_name, 320), 64).map(plotlyText).join("<br>");
  const ofWall = (ratio, rate, what) =>
    ratio === null
      ? `${what}: not measured`
      : `${what}: ${percent(ratio)} of the wall${ratio > 1 ? ", above it" : ""} (${rate})`;
  const compute =
    kernel.precision === null ? "compute" : `compute, ${precisionLabel(kernel.precision)}`;
  const intensity = kernel.intensity_flop_per_byte;
  return [
    `<b>${name}</b>`,
    `${plotlyText(kernel.class)} · ${WALL_LABELS[kernel.wall]}`,
    `${duration(kernel.time_ns)}, ${percent(kernel.time_ratio)} of kernel time · ` +
      `${plural(kernel.launches, "launch", "launches")} · median ${duration(kernel.median_ns)}`,
    ofWall(kernel.bandwidth_ratio, si(kernel.bytes_per_s, "B/s"), "bandwidth"),
    ofWall(kernel.compute_ratio, si(kernel.flop_per_s, "FLOP/s"), compute),
    `intensity: ${intensity === null ? (kernel.intensity_note ?? "not measured") : `${threeDigits(intensity)} FLOP/byte`}`,
    `counters by ${kernel.match.level}, ${plural(kernel.match.profiled_launches, "profiled launch", "profiled launches")}`,
  ].join("<br>");
}

/** One plotly trace of bubbles; `kernels` stand at `x` and `y` of the given axes. */
function bubbleTrace(kernels, x, y, axes, look) {
  const alpha = axes.hollow ? 0.08 : 0.55;
  return {
    type: "scatter",
    mode: "markers",
    x,
    y,
    xaxis: axes.x,
    yaxis: axes.y,
    meta: "kernels",
    showlegend: false,
    customdata: kernels.map((kernel) => kernel.id),
    hovertext: kernels.map(hoverText),
    hoverinfo: "text",
    cliponaxis: false,
    marker: {
      opacity: 1,
      size: kernels.map((kernel) => 2 * look.radii.of.get(kernel.id)),
      color: kernels.map((kernel) => translucent(look.colours.walls[kernel.wall], alpha)),
      line: { width: 1.25, color: kernels.map((kernel) => look.colours.walls[kernel.wall]) },
    },
    selected: { marker: { opacity: 1 } },
    unselected: { marker: { opacity: 0.12 } },
  };
}

/** A wall, or a stretch of it: above the grid, below the bubbles. */
function wallLine(name, x, y, axes, line) {
  return {
    type: "scatter",
    mode: "lines",
    meta: "wall",
    name,
    x,
    y,
    xaxis: axes.x,
    yaxis: axes.y,
    hoverinfo: "skip",
    line,
  };
}

function baseLayout(look, size, margin) {
  const { colours } = look;
  return {
    ...size,
    margin,
    showlegend: false,
    hovermode: "closest",
    hoverdistance: 12,
    dragmode: "zoom",
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
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colours.mute, activecolor: colours.ink },
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

const PLOT_OPTIONS = {
  displaylogo: false,
  displayModeBar: "hover",
  doubleClick: "reset",
  typesetMath: false,
  // named one by one: plotly's own set has a button that would send the chart to a server
  modeBarButtons: [["toImage"], ["zoom2d", "pan2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]],
  plotlyServerURL: "",
};

function draw(target, figure, onClick) {
  Plotly.purge(target);
  target.replaceChildren();
  if (figure === null) {
    target.append(
      el("p", { class: "empty" }, "No kernel of this GPU has the counters for this chart."),
    );
    return;
  }
  Plotly.newPlot(target, figure.traces, figure.layout, PLOT_OPTIONS);
  target.on("plotly_click", (event) => {
    const id = event.points[0].customdata;
    if (id !== undefined) onClick(id);
  });
}

/** Let the kernels of a set stand out; null takes the emphasis back. */
function emphasise(target, ids) {
  if (target.data === undefined) return;
  const chosen = target.data.map((trace) =>
    trace.meta !== "kernels" || ids === null
      ? null
      : trace.customdata.flatMap((id, place) => (ids.has(id) ? [place] : [])),
  );
  Plotly.restyle(target, { selectedpoints: chosen });
}
