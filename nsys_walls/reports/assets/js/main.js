// Wiring: read the document, show the answer at once, then the charts.

async function readDocument() {
  const node = byId("document");
  return JSON.parse(
    node.dataset.encoding === "gzip" ? await inflate(node.textContent) : node.textContent,
  );
}

function trouble(error) {
  byId("trouble").textContent = `Part of this page could not be drawn: ${error.message}.`;
  byId("trouble").hidden = false;
  byId("charts").hidden = true;
}

class Charts {
  constructor(report, onClick) {
    this.report = report;
    this.onClick = onClick;
    this.device = busiest(report);
    this.ids = null;
  }

  get kernels() {
    return this.report.kernels.filter((kernel) => kernel.device === this.device.device);
  }

  draw(width = null) {
    const [plane, roofline] = [byId("plane"), byId("roofline")];
    const wide = width ?? plane.clientWidth;
    const { look, figure } = this.fit(wide);
    this.show(plane, figure);
    this.show(
      roofline,
      rooflineFigure(this.kernels, this.device, look, wide, figure?.layout.height ?? 480),
    );
    showSizes(look.radii);
    this.emphasise(this.ids);
  }

  /** The walls plane with bubbles so small that they fit side by side, where that can be. */
  fit(wide) {
    const colours = palette();
    let scale = 1;
    for (;;) {
      const look = { colours, radii: radii(this.kernels, wide, scale) };
      const figure = planeFigure(this.kernels, this.device, look, wide);
      if (!figure?.isCrowded || scale < 0.4 || this.kernels.length > 500) return { look, figure };
      scale *= 0.8;
    }
  }

  show(target, figure) {
    draw(target, figure, this.onClick);
    const kernels = this.kernels;
    const shown =
      figure === null
        ? []
        : figure.traces
            .filter((trace) => trace.meta === "kernels")
            .flatMap((trace) => trace.customdata);
    const drawn = new Set(shown);
    const missing = kernels.filter((kernel) => !drawn.has(kernel.id));
    target.nextElementSibling.textContent =
      (figure?.note ?? "") +
      (figure === null || missing.length === 0
        ? ""
        : `${count(drawn.size)} of ${plural(kernels.length, "kernel")} stand here; not drawn: ${whyMissing(missing)}.`);
  }

  emphasise(ids) {
    this.ids = ids;
    if (typeof Plotly === "undefined") return;
    emphasise(byId("plane"), ids);
    emphasise(byId("roofline"), ids);
  }

  /** Redraw when the room, the colours or the medium change. */
  watch() {
    let width = byId("plane").clientWidth;
    let timer = null;
    new ResizeObserver(() => {
      if (byId("plane").clientWidth === width) return;
      width = byId("plane").clientWidth;
      clearTimeout(timer);
      timer = setTimeout(() => this.draw(), 150);
    }).observe(byId("plane"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    const root = document.documentElement;
    addEventListener("beforeprint", () => {
      root.dataset.medium = "print";
      this.draw(PRINT_WIDTH);
    });
    addEventListener("afterprint", () => {
      delete root.dataset.medium;
      this.draw();
    });
  }
}

const PRINT_WIDTH = 490; // pixels: half a page across

function chartTools(report, charts, kernelTable) {
  const tools = document.querySelector(".charts-tools");
  if (report.devices.length > 1) {
    const byTime = report.devices
      .slice()
      .sort((one, other) => other.totals.kernel_ns - one.totals.kernel_ns);
    const select = el(
      "select",
      {
        change: () => {
          charts.device = report.devices.find((device) => String(device.device) === select.value);
          charts.draw();
        },
      },
      byTime.map((device) =>
        el(
          "option",
          { value: device.device },
          `GPU ${device.device}: ${deviceName(device)}, ${duration(device.totals.kernel_ns)}`,
        ),
      ),
    );
    tools.append(el("label", {}, "Charts of ", select));
  }
  const hidden = new Set();
  const present = WALLS.filter((wall) => report.kernels.some((kernel) => kernel.wall === wall.id));
  const chips = present.map((wall) => {
    const button = el(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": "true",
        title: wall.means,
        click: () => {
          const shown = hidden.delete(wall.id) || (hidden.add(wall.id), false);
          button.setAttribute("aria-pressed", String(shown));
          kernelTable.setFilter({ hiddenWalls: hidden });
        },
      },
      swatch(wall.id),
      wall.label,
    );
    return button;
  });
  tools.append(
    el("span", { class: "chips", role: "group", "aria-label": "Walls shown" }, chips),
    el("span", { class: "sizes" }),
  );
}

/** Beside the charts: which kernel is singled out, a way to its row and a way back. */
function showPicked(kernel, kernelTable) {
  document.querySelector(".picked").replaceChildren(
    ...(kernel === null
      ? []
      : [
          "Singled out:",
          el(
            "button",
            {
              type: "button",
              class: "chip",
              title: "Show all kernels again",
              click: () => kernelTable.toggle(kernel.id),
            },
            middleCut(kernel.name),
            "×",
          ),
          el(
            "button",
            {
              type: "button",
              class: "link",
              click: () => kernelTable.rowOf(kernel.id).scrollIntoView({ block: "center" }),
            },
            "its row",
          ),
        ]),
  );
}

function showSizes({ largest, most }) {
  const circle = (radius) =>
    svg(
      "svg",
      { width: 2 * radius + 2, height: 2 * radius + 2, "aria-hidden": "true", class: "size" },
      svg("circle", { cx: radius + 1, cy: radius + 1, r: radius }),
    );
  const sample = (part) => [circle(largest * Math.sqrt(part)), duration(most * part)];
  document
    .querySelector(".sizes")
    .replaceChildren("area = total time", ...sample(0.1), ...sample(1));
}

async function showPage() {
  const report = await readDocument();
  let charts = null;
  const kernelTable = new KernelTable(report, (ids, open) => {
    charts?.emphasise(ids);
    showPicked(open, kernelTable);
  });
  const showKernels = (ids, why) => {
    kernelTable.showOnly(ids, why);
    byId("kernels").scrollIntoView();
  };
  showIdentity(report);
  showOverview(report);
  showFindings(report, showKernels);
  showClasses(report);
  showReading(report);
  showRanges(report);
  showMethod(report);
  if (
    !report.kernels.some((kernel) => kernel.bandwidth_ratio !== null || kernel.flop_per_s !== null)
  ) {
    byId("charts").hidden = true; // nothing has a place; the coverage sentence says why
    return;
  }
  // two frames: the answer is painted before plotly takes the thread
  await new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
  await loadPlotly();
  charts = new Charts(report, (id) => kernelTable.reveal(id));
  chartTools(report, charts, kernelTable);
  charts.draw();
  charts.watch();
}

showPage()
  .catch(trouble)
  .finally(() => {
    document.documentElement.dataset.state = "done";
  });
