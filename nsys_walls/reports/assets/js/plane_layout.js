// Axes, bands and names of the walls plane.

function planeLayout(frame, size, margin, placed, spots) {
  const { look, xRange, yRange, strips, side, domains: parts, left } = frame;
  const step = (range) => (range[1] <= 1.6 ? 0.2 : undefined);
  const title = (text, standoff) => ({ text, standoff, font: { size: 12.5 } });
  const layout = {
    ...baseLayout(look, size, margin),
    xaxis: axis(look, {
      domain: [left, 1],
      range: xRange,
      anchor: "free",
      position: 0,
      tickformat: ".0%",
      dtick: step(xRange),
      title: title(t("share_of_bandwidth"), 10),
    }),
    yaxis: axis(look, {
      domain: parts.y,
      range: yRange,
      anchor: "free",
      position: 0,
      tickformat: ".0%",
      dtick: step(yRange),
      title: title(t("share_of_compute"), 8),
    }),
    shapes: planeShapes(frame),
    annotations: planeLabels(frame, placed, spots),
  };
  for (const strip of strips) {
    layout[`yaxis${strip.yaxis.slice(1)}`] = acrossAxis(parts[strip.yaxis], strip.half, "x");
  }
  if (left > 0) layout.xaxis2 = acrossAxis([0, laneEnd(frame)], side.half, "y");
  return layout;
}

/** Where the lane at the left ends, as a part of the drawing's width. */
const laneEnd = ({ left, side }) => (left * 2 * side.half) / (2 * side.half + STRIP.gap);

function planeShapes({ look, device, xRange, yRange, strips, domains: parts, left }) {
  const { walls, mute } = look.colours;
  const near = device.near_ratio;
  const line = (colour, width, place, dash = "solid") => ({
    type: "line",
    layer: "below",
    line: { color: colour, width, dash },
    ...place,
  });
  const across = { xref: "x domain", x0: 0, x1: 1 };
  const diagonal = Math.min(xRange[1], yRange[1]);
  const last = strips.filter((strip) => strip.name !== "nothing").at(-1);
  const bottom = last === undefined ? parts.y[0] : parts[last.yaxis][0];
  const above = { yref: "paper", y0: bottom, y1: 1 };
  return [
    ...strips.map((strip) =>
      filledRect(mute, 0.07, { ...across, yref: `${strip.yaxis} domain`, y0: 0, y1: 1 }),
    ),
    filledRect(walls.bandwidth, 0.07, { xref: "x", x0: near, x1: xRange[1], ...above }),
    filledRect(walls.compute, 0.07, { ...across, yref: "y", y0: near, y1: yRange[1] }),
    line(mute, 1, { xref: "x", x0: 0, x1: diagonal, yref: "y", y0: 0, y1: diagonal }, "dot"),
    line(walls.bandwidth, 3, { xref: "x", x0: 1, x1: 1, ...above }), // between the strips
    ...(left > 0
      ? [
          filledRect(mute, 0.07, {
            xref: "x2 domain",
            x0: 0,
            x1: 1,
            yref: "y domain",
            y0: 0,
            y1: 1,
          }),
        ]
      : []),
  ];
}

function planeLabels(frame, placed, spots) {
  const { look, strips, domains: parts, left } = frame;
  const { mute } = look.colours;
  const balance = balanceLabel(frame, spots);
  return [
    ...wallNames(frame, placed),
    balance.label,
    ...strips.map((strip) =>
      annotation(strip.title, mute, {
        xref: "x domain",
        x: 0,
        xanchor: "left",
        yref: "paper",
        y: parts[strip.yaxis][1],
        yanchor: "bottom",
      }),
    ),
    ...(left > 0
      ? [
          annotation(t("no_bytes"), mute, {
            xref: "paper",
            x: laneEnd(frame),
            xanchor: "left",
            yref: "y domain",
            y: 0.5,
            textangle: -90,
          }),
        ]
      : []),
    ...bubbleLabels(spots, { width: frame.wide, height: frame.tall }, [balance.box]).map(
      ({ kernel, text, dx, dy }) => {
        const spot = spots.find((one) => one.kernel === kernel);
        const place = { xref: "x", x: spot.dataX, yref: "y", y: spot.dataY };
        return annotation(text, mute, {
          ...place,
          xshift: dx,
          yshift: -dy,
          name: `of ${kernel.id}`,
        });
      },
    ),
  ];
}

/** Both walls' names with as many of their numbers as fit in one line of so many pixels. */
function wallTexts(rate, peak, room) {
  const choices = [
    [rate, peak],
    [rate, ""],
    ["", ""],
  ].map(([one, other]) => [
    `<b>${t("wall_bandwidth")} ${one}</b>`,
    `<b>${t("wall_compute")} ${other}</b>`,
  ]);
  const fits = ([one, other]) => textWidth(one) + textWidth(other) <= room;
  return choices.find(fits) ?? choices.at(-1);
}

function wallNames({ look, device, xRange, yRange, wide }, placed) {
  const { walls, compute } = look.colours;
  const top = { yref: "paper", y: 1, yanchor: "bottom", yshift: 2 };
  const bandwidth = device.bandwidth_bytes_per_s;
  const precisions = [...workByPrecision(placed, device).keys()];
  const peak =
    precisions.length === 1
      ? `${si(peakOf(device, precisions[0]), rateUnit(precisions[0]))} ${precisionLabel(precisions[0])}`
      : t("of_each_precision");
  const isMiddle = xRange[1] > 1.4; // then the label before the wall would meet the one at the left
  const rate = bandwidth === null ? "" : si(bandwidth, "B/s");
  const isAtTop = yRange[1] < 1.5;
  const atTop = isAtTop ? top : { yref: "y", y: 1, yanchor: "bottom", yshift: 2 };
  const beforeWall = (wide * (1 - xRange[0])) / (xRange[1] - xRange[0]);
  const room = isAtTop && !isMiddle ? beforeWall - 12 : Infinity;
  const [bandwidthName, computeName] = wallTexts(rate, isMiddle ? "" : peak, room);
  return [
    annotation(bandwidthName, walls.bandwidth, {
      xref: "x",
      x: 1,
      xanchor: isMiddle ? "left" : "right",
      ...top,
    }),
    annotation(computeName, compute, {
      xref: "x domain",
      x: 0,
      xanchor: "left",
      ...atTop,
    }),
  ];
}

/** The diagonal's name, beside it where bubbles leave most room. */
function balanceLabel({ look, xRange, yRange, wide, tall }, spots) {
  const text = t("balance_point");
  const places = [0.9, 0.75, 0.6, 0.45, 0.3, 0.15].map((ratio) => {
    const x = ((ratio - xRange[0]) / (xRange[1] - xRange[0])) * wide - 4;
    const y = ((yRange[1] - ratio) / (yRange[1] - yRange[0])) * tall - LABEL_HEIGHT / 2;
    return { ratio, box: labelBox(text, x, y, "right") };
  });
  const { ratio, box } =
    places.find((place) => clearance(place.box, spots) > 4) ??
    places.reduce((best, place) =>
      clearance(place.box, spots) > clearance(best.box, spots) ? place : best,
    );
  const label = annotation(text, look.colours.mute, {
    xref: "x",
    x: ratio,
    yref: "y",
    y: ratio,
    xanchor: "right",
    yanchor: "bottom",
  });
  return { label, box };
}
