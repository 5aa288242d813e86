// Intensities of DRAM, L2 and L1 traffic of one kernel, joined by a thin line.

const CACHES = [
  ["l2_bytes", "L2", "diamond-open"],
  ["l1_bytes", "L1", "square-open"],
];

/** Empty traces that `showCaches` fills: the lines, then one of markers for each cache. */
function cacheTraces() {
  const trace = (more) => ({
    type: "scatter",
    meta: "caches",
    x: [],
    y: [],
    xaxis: "x",
    yaxis: "y",
    showlegend: false,
    ...more,
  });
  return [
    trace({ mode: "lines", hoverinfo: "skip", line: { width: 1 } }),
    ...CACHES.map(([, name, symbol]) =>
      trace({ mode: "markers", name, hoverinfo: "text", marker: { symbol, size: 7 } }),
    ),
  ];
}

const cacheIntensities = (kernel) =>
  CACHES.map(([key]) => (kernel[key] > 0 && kernel.flop > 0 ? kernel.flop / kernel[key] : null));

/**
 * Draw the caches of these kernels, each in its own colour.
 *
 * @returns {string[]} names of the caches that have a mark now
 */
function showCaches(target, kernels, look) {
  const first = (target.data ?? []).findIndex((trace) => trace.meta === "caches");
  if (first < 0 || (kernels.length === 0 && target.data[first].x.length === 0)) return [];
  const placed = kernels.filter(
    (kernel) => kernel.intensity_flop_per_byte > 0 && kernel.flop_per_s > 0,
  );
  const lines = { x: [], y: [] };
  const marks = CACHES.map(() => ({ x: [], y: [], text: [], colour: [] }));
  for (const kernel of placed) {
    const known = cacheIntensities(kernel);
    if (known.every((intensity) => intensity === null)) continue;
    const line = [kernel.intensity_flop_per_byte, ...known.filter((one) => one !== null)];
    lines.x.push(...line, null);
    lines.y.push(...line.map(() => kernel.flop_per_s), null);
    known.forEach((intensity, place) => {
      if (intensity === null) return;
      const mark = marks[place];
      mark.x.push(intensity);
      mark.y.push(kernel.flop_per_s);
      mark.colour.push(look.colour(kernel));
      mark.text.push(cacheText(kernel, place, intensity));
    });
  }
  const all = [lines, ...marks];
  Plotly.restyle(
    target,
    {
      x: all.map(({ x }) => x),
      y: all.map(({ y }) => y),
      hovertext: all.map(({ text }) => text ?? ""),
      "line.color": look.colours.mute,
      "marker.color": all.map(({ colour }) => colour ?? look.colours.mute),
    },
    all.map((_, place) => first + place),
  );
  return CACHES.map(([, name]) => name).filter((_, place) => marks[place].x.length > 0);
}

function cacheText(kernel, place, intensity) {
  const [key, name] = CACHES[place];
  const values = { cache: name, intensity: threeDigits(intensity), bytes: si(kernel[key], "B") };
  return `${plotlyText(cutMiddle(kernel.name, 60))}<br>${t("hover_cache", values)}`;
}
