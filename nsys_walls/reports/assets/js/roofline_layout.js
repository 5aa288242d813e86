// Axes, bands, lanes and names of the roofline.

function rooflineLayout(areas, frame, size, margin) {
  const { look, range, from, to, inner, rightLanes, zero } = frame;
  const log = (pair) => pair.map(Math.log10);
  const layout = {
    ...baseLayout(look, size, margin),
    xaxis: axis(look, {
      type: "log",
      domain: [from, to],
      range: log(range.x),
      dtick: 1,
      tickformat: ",~g",
      anchor: "y",
      title: { text: "arithmetic intensity, FLOP / byte", standoff: 10, font: { size: 12.5 } },
    }),
    yaxis: axis(look, {
      type: "log",
      range: log(range.y),
      dtick: 1,
      exponentformat: "SI",
      anchor: "x",
    }),
    shapes: rooflineShapes(areas, frame),
    annotations: rooflineLabels(areas, frame),
  };
  if (areas.zero.length > 0) {
    layout.xaxis2 = acrossAxis([0, zero.width / inner], zero.width / 2, "y2");
    layout.yaxis2 = axis(look, {
      range: zero.range,
      anchor: "x2",
      fixedrange: true,
      tickvals: [0, 0.5, 1],
      tickformat: ".0%",
      showgrid: false,
    });
  }
  rightLanes.forEach(([, x], place) => {
    const start = to + (place * LANE.right + 8) / inner;
    layout[`xaxis${x.slice(1)}`] = acrossAxis(
      [start, start + (LANE.right - 8) / inner],
      LANE.right / 2,
      "y",
    );
  });
  return layout;
}

function rooflineShapes(areas, { look, device, bandwidth, ceilings, rightLanes }) {
  const { mute } = look.colours;
  const lane = (x, y) => ({
    type: "rect",
    layer: "below",
    line: { width: 0 },
    fillcolor: translucent(mute, 0.09),
    xref: `${x} domain`,
    x0: 0,
    x1: 1,
    yref: `${y} domain`,
    y0: 0,
    y1: 1,
  });
  const main = ceilings.find((ceiling) => ceiling.isMain);
  const band =
    main && bandwidth
      ? [
          {
            type: "rect",
            layer: "below",
            line: { width: 0 },
            fillcolor: translucent(mute, 0.13),
            xref: "x",
            x0: (main.peak / bandwidth) * device.balance_factor,
            x1: main.peak / bandwidth,
            yref: "y domain",
            y0: 0,
            y1: 1,
          },
        ]
      : [];
  return [
    ...band,
    ...(areas.zero.length > 0 ? [lane("x2", "y2")] : []),
    ...rightLanes.map(([, x]) => lane(x, "y")),
  ];
}

function rooflineLabels(areas, frame) {
  const { look, device, bandwidth, ceilings, rightLanes } = frame;
  const { walls, mute, compute } = look.colours;
  const above = { yref: "paper", y: 1, yanchor: "bottom", yshift: 2 };
  const roof = ceilings.map(({ peak, precisions, isMain }) => {
    const text = `${precisions.map(precisionLabel).join(", ")} ${si(peak, rateUnit(precisions[0]))}`;
    return annotation(isMain ? `<b>${text}</b>` : text, compute, {
      xref: "x domain",
      x: 1,
      xanchor: "right",
      yref: "y",
      y: Math.log10(peak),
      yanchor: "bottom",
      yshift: 2,
    });
  });
  const main = ceilings.find((ceiling) => ceiling.isMain);
  const labels = [
    ...roof,
    annotation("FLOP/s", mute, { xref: "x domain", x: 0, xanchor: "right", ...above }),
  ];
  if (bandwidth) labels.push(slopeLabel(frame, areas.main));
  if (main && bandwidth) {
    const balance = main.peak / bandwidth;
    labels.push(
      annotation(
        `balance ${threeDigits(balance * device.balance_factor)}–${threeDigits(balance)}`,
        mute,
        { xref: "x", x: Math.log10(balance * Math.sqrt(device.balance_factor)), ...above },
      ),
    );
  }
  if (areas.zero.length > 0)
    labels.push(
      annotation("<b>bandwidth</b>", walls.bandwidth, {
        xref: "x2 domain",
        x: 0,
        xanchor: "left",
        xshift: -2,
        ...above,
      }),
      annotation("0 FLOP", mute, {
        xref: "x2 domain",
        x: 0.5,
        yref: "paper",
        y: 0,
        yanchor: "top",
      }),
    );
  return [
    ...labels,
    ...rightLanes.map(([, x, title]) =>
      annotation(title, mute, { xref: `${x} domain`, x: 0.5, ...above }),
    ),
  ];
}

/** The bandwidth wall's name along its slope, above it, where bubbles leave most room. */
function slopeLabel(frame, kernels) {
  const { look, bandwidth, range, ceilings, wide, tall } = frame;
  const across = wide / Math.log10(range.x[1] / range.x[0]); // pixels per decade
  const up = tall / Math.log10(range.y[1] / range.y[0]);
  const angle = Math.atan2(up, across);
  const start = Math.log10(Math.max(range.x[0], range.y[0] / bandwidth));
  const top = ceilings.length > 0 ? ceilings[ceilings.length - 1].peak : range.y[1];
  const end = Math.log10(Math.min(range.x[1], top / bandwidth));
  const half = Math.min(90 / Math.hypot(across, up), (end - start) / 2); // of the text, in decades
  const room = (x) =>
    Math.min(
      Infinity,
      ...kernels.map((kernel) =>
        Math.hypot(
          (Math.log10(kernel.intensity_flop_per_byte) - x) * across,
          (Math.log10(kernel.flop_per_s / bandwidth) - x) * up,
        ),
      ),
    );
  const places = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (part) => start + half + part * (end - start - 2 * half),
  );
  const at = places.reduce((best, place) => (room(place) > room(best) ? place : best));
  return annotation(`<b>bandwidth wall ${si(bandwidth, "B/s")}</b>`, look.colours.walls.bandwidth, {
    x: at,
    y: at + Math.log10(bandwidth),
    textangle: (-angle * 180) / Math.PI,
    xshift: -12 * Math.sin(angle),
    yshift: 12 * Math.cos(angle),
  });
}
