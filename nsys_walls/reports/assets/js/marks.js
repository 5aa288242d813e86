// Bubbles, walls and labels: how they look and what they say.

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

/** What is known of a kernel, in lines; the first is its name. */
function kernelLines(kernel) {
  const ofWall = (ratio, rate, what) =>
    ratio === null
      ? t("hover_unknown", { what })
      : t(ratio > 1 ? "hover_above" : "hover_wall", { what, share: percent(ratio), rate });
  const compute =
    kernel.precision === null
      ? t("compute")
      : t("compute_of", { precision: precisionLabel(kernel.precision) });
  const intensity = kernel.intensity_flop_per_byte;
  return [
    `${kernel.class} · ${WALL_LABELS[kernel.wall]}`,
    t("hover_time", {
      time: duration(kernel.time_ns),
      share: percent(kernel.time_ratio),
      launches: kernel.launches,
      median: duration(kernel.median_ns),
    }),
    ofWall(kernel.bandwidth_ratio, si(kernel.bytes_per_s, "B/s"), t("bandwidth")) +
      (isSampled(kernel) ? t("hover_sampled", { samples: kernel.sampled.samples }) : ""),
    ofWall(kernel.compute_ratio, si(kernel.flop_per_s, "FLOP/s"), compute),
    t("hover_intensity", {
      intensity:
        intensity === null
          ? (kernel.intensity_note ?? t("not_measured"))
          : `${threeDigits(intensity)} FLOP/byte`,
    }),
    t("hover_match", {
      level: called("level", kernel.match.level),
      launches: kernel.match.profiled_launches,
    }),
  ];
}

function hoverText(kernel) {
  const name = wrapped(cutMiddle(kernel.full_name, 320), 64).map(plotlyText).join("<br>");
  return [`<b>${name}</b>`, ...kernelLines(kernel).map(plotlyText)].join("<br>");
}

/**
 * One plotly trace of bubbles; `kernels` stand at `x` and `y` of the given axes.
 *
 * Hollow ones lack a part of their counters; those with a dot have a sampled bandwidth.
 */
function bubbleTrace(kernels, x, y, axes, look) {
  const colours = kernels.map(look.colour);
  const fill = (kernel, place) =>
    isSampled(kernel) ? colours[place] : translucent(colours[place], axes.hollow ? 0.08 : 0.55);
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
      symbol: kernels.map((kernel) => (isSampled(kernel) ? "circle-open-dot" : "circle")),
      size: kernels.map((kernel) => 2 * look.radii.of.get(kernel.id)),
      color: kernels.map(fill),
      line: { width: 1.25, color: colours },
    },
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

const LABEL_HEIGHT = 16;
const NAMED = 6; // bubbles with a label, where there is room

/** Pixels that the text of a label takes; one in <b> is bold. */
function textWidth(text) {
  textWidth.pen ??= document.createElement("canvas").getContext("2d");
  const weight = text.startsWith("<b>") ? "bold " : "";
  const { fontFamily } = getComputedStyle(document.documentElement);
  textWidth.pen.font = `${weight}12px ${fontFamily}`;
  return textWidth.pen.measureText(text.replace(/<[^>]*>/g, "")).width;
}

/** Pixels of the box of a text around a place; `anchor` is which part of the box that place is. */
function labelBox(text, x, y, anchor = "center") {
  const width = textWidth(text);
  const left = { left: x, center: x - width / 2, right: x - width }[anchor];
  return { left, right: left + width, top: y - LABEL_HEIGHT / 2, bottom: y + LABEL_HEIGHT / 2 };
}

/** Free pixels between a box and the nearest bubble; negative where they overlap. */
function clearance(box, spots) {
  return spots.reduce((least, { x, y, radius }) => {
    const dx = Math.max(box.left - x, 0, x - box.right);
    const dy = Math.max(box.top - y, 0, y - box.bottom);
    return Math.min(least, Math.hypot(dx, dy) - radius);
  }, Infinity);
}

const isInside = (box, { width, height }) =>
  box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height;

const doOverlap = (one, other) =>
  one.left < other.right &&
  other.left < one.right &&
  one.top < other.bottom &&
  other.top < one.bottom;

/** The heaviest bubble of each of the heaviest classes. */
function heaviestOfClasses(spots) {
  const first = new Map();
  for (const spot of spots) {
    if (!first.has(spot.kernel.class)) first.set(spot.kernel.class, spot);
  }
  return [...first.values()].slice(0, NAMED);
}

/**
 * Class names beside the heaviest bubbles, where they hide no bubble and no other label.
 *
 * @param {{kernel: object, x: number, y: number, radius: number}[]} spots in pixels, heaviest first
 * @returns {{kernel: object, text: string, dx: number, dy: number}[]} places of the middles
 */
function bubbleLabels(spots, room, taken) {
  const labels = [];
  const boxes = [...taken];
  for (const { kernel, x, y, radius } of heaviestOfClasses(spots)) {
    const text = kernel.class;
    const half = textWidth(text) / 2;
    const places = [
      [radius + 5 + half, 0],
      [-radius - 5 - half, 0],
      [0, -radius - 10],
      [0, radius + 10],
    ];
    const found = places.find(([dx, dy]) => {
      const box = labelBox(text, x + dx, y + dy);
      return (
        isInside(box, room) &&
        clearance(box, spots) > 1 &&
        !boxes.some((other) => doOverlap(box, other))
      );
    });
    if (found === undefined) continue;
    const [dx, dy] = found;
    boxes.push(labelBox(text, x + dx, y + dy));
    labels.push({ kernel, text, dx, dy });
  }
  return labels;
}
