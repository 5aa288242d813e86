// Where the GPU's time went: kernels, copies, other work, idle, for each GPU.

const GPUS_SHOWN = 8;

/** The parts of a span; they add up to it. */
function timeParts(totals) {
  return ["busy", "copy", "other", "idle"].map((id) => ({
    value: totals[`${id}_ns`] ?? 0,
    label: t(`gpu_${id}`),
    means: t(`gpu_means_${id}`),
    swatch: `time-${id}`,
  }));
}

function showGpuTime(report) {
  const timed = report.devices.filter((device) => device.totals.span_ns);
  if (timed.length === 0) return;
  const section = byId("gpu-time");
  section.append(
    ...(timed.length === 1 ? [oneGpu(timed[0])] : severalGpus(timed)),
    ...idleTables(report),
  );
  section.hidden = false;
}

function oneGpu(device) {
  const parts = timeParts(device.totals);
  return el("div", { class: "gpu-bar" }, bar(parts), barKey(parts, t("gpu_time")));
}

function severalGpus(devices) {
  const longest = Math.max(...devices.map((device) => device.totals.span_ns));
  const heads = [
    [t("gpu_column"), ""],
    [t("busy_copies_idle"), "wide"],
    [t("gpu_busy"), "n"],
    [t("gpu_copy"), "n"],
    [t("gpu_idle"), "n"],
    [t("span"), "n"],
  ];
  const rows = devices.map(({ device, totals }) => [
    String(device),
    bar(timeParts(totals), totals.span_ns / longest),
    ...["busy", "copy", "idle"].map((id) => shareOf(share(totals[`${id}_ns`], totals.span_ns))),
    timeOf(totals.span_ns),
  ]);
  return [
    ...foldedTable("plain", heads, rows, GPUS_SHOWN, (number) => t("more_gpus", { number })),
    barLegend(timeParts(devices[0].totals)),
  ];
}

/** What the colours of bars in a table are. */
function barLegend(parts) {
  return el(
    "ul",
    { class: "key small-key" },
    parts.map((part) => el("li", { title: part.means }, swatch(part.swatch), part.label)),
  );
}
