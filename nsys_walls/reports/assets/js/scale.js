// Kernel time along the balance point: each kernel's intensity as a part of its own balance.

// pixels; from where to where in powers of ten of the balance point
const SCALE = { width: 960, height: 112, top: 24, floor: 86, from: -3, to: 1.5, bins: 54 };
const SCALE_EDGE = 34; // pixels at both ends where a number would meet the 0, or the end

/** Time by position; kernels without floating-point work are all the way to the left. */
function scaleBins(kernels) {
  const bins = Array.from({ length: SCALE.bins + 1 }, () => ({ memory: 0, compute: 0 }));
  for (const kernel of kernels) {
    if (kernel.side === null) continue;
    const part = kernel.compute_ratio / kernel.bandwidth_ratio;
    const along = (Math.log10(part) - SCALE.from) / (SCALE.to - SCALE.from);
    const place = part > 0 ? 1 + Math.floor(along * SCALE.bins) : 0;
    bins[Math.max(0, Math.min(SCALE.bins, place))][kernel.side] += kernel.time_ns ?? 0;
  }
  return bins;
}

/** Powers of ten: of an intensity where the balance point is known, else of parts of it. */
function scaleTicks(balance) {
  const whole = balance ?? 1;
  const first = Math.ceil(Math.log10(whole) + SCALE.from);
  const last = Math.floor(Math.log10(whole) + SCALE.to);
  return Array.from({ length: last - first + 1 }, (_, step) => {
    const tick = Number(`1e${first + step}`);
    return { part: tick / whole, label: tickLabel(tick, balance) };
  });
}

function tickLabel(tick, balance) {
  if (balance === undefined) return percent(tick);
  return tick < 1 ? String(tick) : count(tick);
}

function balanceScale(kernels, device, precision) {
  const bins = scaleBins(kernels);
  const most = Math.max(...bins.map((bin) => bin.memory + bin.compute));
  if (most === 0) return null;
  const wide = SCALE.width / bins.length;
  const bars = bins.flatMap((bin, place) =>
    ["memory", "compute"]
      .filter((side) => bin[side] > 0)
      .map((side) => {
        const height = Math.max(2, (bin[side] / most) * (SCALE.floor - SCALE.top - 6));
        return svg("rect", {
          class: side === "memory" ? "fill-bandwidth" : "fill-compute",
          x: (place * wide + 0.5).toFixed(1),
          y: (SCALE.floor - height).toFixed(1),
          width: (wide - 1).toFixed(1),
          height: height.toFixed(1),
        });
      }),
  );
  const at = (part) =>
    wide * (1 + ((Math.log10(part) - SCALE.from) / (SCALE.to - SCALE.from)) * SCALE.bins);
  const balance = device.balance_flop_per_byte[precision];
  return el(
    "figure",
    { class: "scale" },
    svg(
      "svg",
      {
        viewBox: `0 0 ${SCALE.width} ${SCALE.height}`,
        role: "img",
        "aria-label": t("scale_label"),
      },
      svg("rect", {
        class: "band",
        x: at(device.balance_factor),
        y: SCALE.top,
        width: at(1) - at(device.balance_factor),
        height: SCALE.floor - SCALE.top,
      }),
      bars,
      svg("line", { class: "balance", x1: at(1), x2: at(1), y1: SCALE.top, y2: SCALE.floor }),
      svg(
        "text",
        { x: at(1), y: SCALE.top - 8, class: "middle" },
        [t("balance_point"), ...(balance === undefined ? [] : [threeDigits(balance)])].join(" "),
      ),
      svg("line", { class: "floor", x1: 0, x2: SCALE.width, y1: SCALE.floor, y2: SCALE.floor }),
      svg("text", { x: wide / 2, y: SCALE.floor + 18, class: "middle" }, "0"),
      scaleTicks(balance)
        .map(({ part, label }) => ({ x: at(part), label }))
        .filter(({ x }) => x > SCALE_EDGE && x < SCALE.width - SCALE_EDGE)
        .map(({ x, label }) => svg("text", { x, y: SCALE.floor + 18, class: "middle" }, label)),
    ),
    el(
      "figcaption",
      { class: "sub" },
      t(balance === undefined ? "scale_parts" : "scale_text", {
        precision: precision === null ? "" : precisionLabel(precision),
      }),
    ),
  );
}
