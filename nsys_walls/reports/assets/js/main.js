// Wiring: read the document, show the answer at once, then the charts.

async function readDocument() {
  const node = byId("document");
  return JSON.parse(
    node.dataset.encoding === "gzip" ? await inflate(node.textContent) : node.textContent,
  );
}

function trouble(error) {
  byId("trouble").textContent = t("trouble", { message: error.message });
  byId("trouble").hidden = false;
  byId("charts").hidden = true;
}

/** Everything that needs no chart library. */
function showWords(report, state, view) {
  const show = (choice) => {
    state.set({ show: choice, kernel: null });
    byId("kernels").focus({ preventScroll: true }); // what comes next by keyboard is there
    byId("kernels").scrollIntoView();
  };
  showIdentity(report);
  showOverview(report);
  showFindings(report, show);
  const table = new KernelTable(report, state, view);
  new TableTools(report, state, view, table);
  new Picked(report, state, view, table);
  showClasses(report, show);
  showGpuTime(report);
  showCopies(report);
  showRanks(report, show);
  showRanges(report, show);
  showMethod(report, show);
  return table;
}

async function showCharts(report, state, view) {
  const isPlaced = (kernel) => kernel.bandwidth_ratio !== null || kernel.flop_per_s !== null;
  if (!report.kernels.some(isPlaced)) {
    byId("charts").hidden = true; // nothing has a place; the coverage sentence says why
    return null;
  }
  // two frames: the answer is painted before plotly takes the thread
  await new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
  await loadLibrary("plotly", "Plotly");
  const charts = new Charts(report, state, view);
  chartTools(report, state, charts);
  charts.draw();
  charts.watch();
  for (const [name, target] of Object.entries(charts.targets)) {
    new ChartKeys(target, t(name), state, view);
  }
  return charts;
}

async function showPage() {
  const report = await readDocument();
  const state = new State();
  const view = new View(report, state);
  followFragment(
    report,
    state,
    columns(report).map((column) => column.key),
  );
  const table = showWords(report, state, view);
  await table.build().catch((error) => {
    printKernels(table, DRAWN_WHOLE);
    throw error;
  });
  if (view.kernel !== null) await table.reveal(view.kernel.id);
  const charts = await showCharts(report, state, view).catch((error) => {
    trouble(error);
    return null;
  });
  prepareForPaper(table, charts);
}

showPage()
  .catch(trouble)
  .finally(() => {
    document.documentElement.dataset.state = "done";
  });
