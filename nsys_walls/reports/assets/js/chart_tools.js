// Above the charts: which GPU, colours, precisions, caches; beside each: save it as a picture.

function chartTools(report, state, charts) {
  const tools = document.querySelector(".charts-tools");
  const rows = [
    gpuChoice(report, state),
    colourChoice(report, state),
    roofChoice(report, state, charts),
    cacheChoice(report, state),
  ];
  tools.append(...rows.filter((row) => row !== null));
  const legend = new Legend(report, state, charts);
  document.querySelector(".legend").append(legend.node);
  for (const [name, target] of Object.entries(charts.targets)) {
    const fileName = `${report.run.name}-${name}`.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 100);
    target.parentElement.querySelector(".save").append(
      ...["png", "svg"].map((format) =>
        el(
          "button",
          {
            type: "button",
            class: "small",
            "aria-label": t("save_as", { chart: t(name), format: format.toUpperCase() }),
            title: t("save_as", { chart: t(name), format: format.toUpperCase() }),
            click: () => charts.save(target, format, fileName),
          },
          format.toUpperCase(),
        ),
      ),
    );
  }
}

/** A labelled choice that follows the state. */
function choice(label, key, state, options) {
  const select = el(
    "select",
    { change: () => state.set({ [key]: options[select.selectedIndex].value }) },
    options.map(({ text }) => el("option", {}, text)),
  );
  const follow = () => {
    const chosen = options.findIndex(({ value }) => value === state.get(key));
    select.selectedIndex = Math.max(0, chosen);
  };
  state.listen([key], follow);
  follow();
  return el("label", {}, `${label} `, select);
}

function gpuChoice(report, state) {
  if (report.devices.length < 2) return null;
  const byTime = report.devices
    .slice()
    .sort((one, other) => other.totals.kernel_ns - one.totals.kernel_ns);
  return choice(
    t("charts_of"),
    "gpu",
    state,
    byTime.map((device) => ({
      value: device.device,
      text: t("gpu_option", {
        gpu: String(device.device),
        name: deviceName(device),
        time: duration(device.totals.kernel_ns),
      }),
    })),
  );
}

function colourChoice(report, state) {
  const options = colourings(report).map((id) => ({ value: id, text: t(`colour_${id}`) }));
  return choice(t("colour_by"), "colour", state, options);
}

/** A switch for the wall of each precision that the GPU has. */
function roofChoice(report, state, charts) {
  const row = el("span", { class: "chips", role: "group", "aria-label": t("roofs") });
  const build = () => {
    const { device, kernels } = charts;
    const shown = new Set(state.get("roofs") ?? usualRoofs(kernels, device));
    const toggle = (precision) => {
      if (!shown.delete(precision)) shown.add(precision);
      state.set({ roofs: [...shown].sort() });
    };
    const chips = Object.entries(device.peak_flop_per_s).map(([precision, peak]) =>
      el(
        "button",
        {
          type: "button",
          class: "chip",
          "data-precision": precision,
          "aria-pressed": String(shown.has(precision)),
          title: si(peak, rateUnit(precision)),
          click: () => toggle(precision),
        },
        precisionLabel(precision),
      ),
    );
    const focused = row.contains(document.activeElement)
      ? document.activeElement.dataset.precision
      : null;
    row.replaceChildren(...chips);
    if (focused) row.querySelector(`[data-precision="${focused}"]`)?.focus();
  };
  state.listen(["gpu", "roofs"], build);
  build();
  return menu(t("roofs"), row);
}

function cacheChoice(report, state) {
  if (!report.kernels.some((kernel) => cacheIntensities(kernel).some((one) => one !== null))) {
    return null;
  }
  const box = el("input", {
    type: "checkbox",
    change: () => state.set({ caches: box.checked }),
  });
  const follow = () => {
    box.checked = state.get("caches");
  };
  state.listen(["caches"], follow);
  follow();
  return el("label", { title: t("caches_means") }, box, ` ${t("caches")}`);
}
