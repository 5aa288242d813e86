// Axes, bands, lanes and names of the roofline.

function rooflineLayout(areas, frame, size, margin, spots) {
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
      title: { text: t("intensity_axis"), standoff: 10, font: { size: 12.5 } },
    }),
    yaxis: axis(look, {
      type: "log",
      range: log(range.y),
      dtick: 1,
      exponentformat: "SI",
      anchor: "x",
    }),
    shapes: rooflineShapes(areas, frame),
    annotations: rooflineLabels(areas, frame, spots),
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
  const lane = (x, y) =>
    filledRect(mute, 0.09, {
      xref: `${x} domain`,
      x0: 0,
      x1: 1,
      yref: `${y} domain`,
      y0: 0,
      y1: 1,
    });
  const main = ceilings.find((ceiling) => ceiling.isMain);
  const band = (balance) =>
    filledRect(mute, 0.13, {
      xref: "x",
      x0: balance * device.balance_factor,
      x1: balance,
      yref: "y domain",
      y0: 0,
      y1: 1,
    });
  return [
    ...(main && bandwidth ? [band(main.peak / bandwidth)] : []),
    ...(areas.zero.length > 0 ? [lane("x2", "y2")] : []),
    ...rightLanes.map(([, x]) => lane(x, "y")),
  ];
}

function rooflineLabels(areas, frame, spots) {
  const { look, rightLanes } = frame;
  const { mute } = look.colours;
  const above = { yref: "paper", y: 1, yanchor: "bottom", yshift: 2 };
  const walls = [...roofLabels(frame, spots), ...slopeLabel(frame, spots)];
  const boxes = [...walls.map(({ box }) => box), ...wallBoxes(frame)];
  const names = bubbleLabels(spots, { width: frame.wide, height: frame.tall }, boxes);
  return [
    ...walls.map(({ label }) => label),
    annotation("FLOP/s", mute, { xref: "x domain", x: 0, xanchor: "right", ...above }),
    ...bandLabel(frame, above),
    ...zeroLaneLabels(areas, frame, above),
    ...rightLanes.map(([, x, title]) =>
      annotation(title, mute, { xref: `${x} domain`, x: 0.5, ...above }),
    ),
    ...names.map(({ kernel, text, dx, dy }) => {
      const spot = spots.find((one) => one.kernel === kernel);
      const place = { x: Math.log10(spot.dataX), y: Math.log10(spot.dataY) };
      return annotation(text, mute, { ...place, xshift: dx, yshift: -dy, name: `of ${kernel.id}` });
    }),
  ];
}

/** Boxes along the walls, in pixels: names of bubbles must not lie on a wall. */
function wallBoxes({ bandwidth, ceilings, range, wide, tall }) {
  const across = (x) => (Math.log10(x / range.x[0]) / Math.log10(range.x[1] / range.x[0])) * wide;
  const down = (y) => (Math.log10(range.y[1] / y) / Math.log10(range.y[1] / range.y[0])) * tall;
  const box = (left, right, y, half) => ({ left, right, top: y - half, bottom: y + half });
  const flat = ceilings.map(({ peak }) =>
    box(bandwidth ? across(peak / bandwidth) : 0, wide, down(peak), 2),
  );
  if (!bandwidth) return flat;
  const [start, steps] = [range.x[0], 100];
  const end = Math.min(range.x[1], (ceilings.at(-1)?.peak ?? range.y[1]) / bandwidth);
  const slope = Array.from({ length: steps + 1 }, (_, step) => {
    const x = start * (end / start) ** (step / steps);
    return box(across(x) - 3, across(x) + 3, down(x * bandwidth), 3);
  });
  return [...flat, ...slope];
}

/** Each compute wall's name above it, where bubbles leave room. */
function roofLabels({ look, ceilings, bandwidth, range, wide, tall }, spots) {
  return ceilings.map(({ peak, precisions, isMain }) => {
    const text = `${precisions.map(precisionLabel).join(", ")} ${si(peak, rateUnit(precisions[0]))}`;
    const pixel = (intensity) =>
      (Math.log10(intensity / range.x[0]) / Math.log10(range.x[1] / range.x[0])) * wide;
    const y = (Math.log10(range.y[1] / peak) / Math.log10(range.y[1] / range.y[0])) * tall;
    const start = bandwidth ? Math.max(0, pixel(peak / bandwidth)) : 0;
    const width = textWidth(isMain ? `<b>${text}</b>` : text);
    const places = [wide, (wide + start + width) / 2, start + width + 24, start - 8].map((x) => ({
      x,
      box: labelBox(text, x, y - LABEL_HEIGHT / 2 - 3, "right"),
    }));
    const free = places.find(({ box }) => box.right <= wide && clearance(box, spots) > 1);
    const { x, box } = free ?? places[0];
    const label = annotation(isMain ? `<b>${text}</b>` : text, look.colours.compute, {
      xref: "x domain",
      x: x / wide,
      xanchor: "right",
      yref: "y",
      y: Math.log10(peak),
      yanchor: "bottom",
      yshift: 2,
    });
    return { label, box };
  });
}

function bandLabel({ look, device, bandwidth, ceilings }, above) {
  const main = ceilings.find((ceiling) => ceiling.isMain);
  if (!main || !bandwidth) return [];
  const balance = main.peak / bandwidth;
  const text = t("balance_band", {
    from: threeDigits(balance * device.balance_factor),
    to: threeDigits(balance),
  });
  const x = Math.log10(balance * Math.sqrt(device.balance_factor));
  return [annotation(text, look.colours.mute, { xref: "x", x, ...above })];
}

function zeroLaneLabels(areas, { look }, above) {
  if (areas.zero.length === 0) return [];
  return [
    annotation(`<b>${t("bandwidth")}</b>`, look.colours.walls.bandwidth, {
      xref: "x2 domain",
      x: 0,
      xanchor: "left",
      xshift: -2,
      ...above,
    }),
    annotation("0 FLOP", look.colours.mute, {
      xref: "x2 domain",
      x: 0.5,
      yref: "paper",
      y: 0,
      yanchor: "top",
    }),
  ];
}

/** The bandwidth wall's name along its slope, above it, where bubbles leave most room. */
function slopeLabel(frame, spots) {
  const { look, bandwidth, range, ceilings, wide, tall } = frame;
  if (!bandwidth) return [];
  const across = wide / Math.log10(range.x[1] / range.x[0]); // pixels per decade
  const up = tall / Math.log10(range.y[1] / range.y[0]);
  const angle = Math.atan2(up, across);
  const start = Math.log10(Math.max(range.x[0], range.y[0] / bandwidth));
  const top = ceilings.length > 0 ? ceilings[ceilings.length - 1].peak : range.y[1];
  const end = Math.log10(Math.min(range.x[1], top / bandwidth));
  const half = Math.min(90 / Math.hypot(across, up), (end - start) / 2); // of the text, in decades
  const pixel = (x) => [
    (x - Math.log10(range.x[0])) * across,
    (Math.log10(range.y[1] / bandwidth) - x) * up,
  ];
  // the text is 12 pixels above the line: that is where it must meet no bubble
  const room = (x) => {
    const [px, py] = pixel(x);
    return least(
      spots.map(
        (spot) =>
          Math.hypot(spot.x - px + 12 * Math.sin(angle), spot.y - py + 12 * Math.cos(angle)) -
          spot.radius,
      ),
    );
  };
  const places = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (part) => start + half + part * (end - start - 2 * half),
  );
  const at = places.reduce((best, place) => (room(place) > room(best) ? place : best));
  const text = `<b>${t("wall_bandwidth")} ${si(bandwidth, "B/s")}</b>`;
  const label = annotation(text, look.colours.walls.bandwidth, {
    x: at,
    y: at + Math.log10(bandwidth),
    textangle: (-angle * 180) / Math.PI,
    xshift: -12 * Math.sin(angle),
    yshift: 12 * Math.cos(angle),
  });
  const [px, py] = pixel(at);
  return [{ label, box: labelBox(text, px, py) }];
}
