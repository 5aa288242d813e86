// The table on paper and in old browsers: plain, its first rows, and what they are of.

// rows of kernels, beside 6 rows above them; the style sheet lets no other table have more than 7
const PRINTED_ROWS = { most: 10, least: 4, besides: 6, ofTable: 7 };

/** Rows that paper has room for below the tables above. */
function printedRows() {
  const { most, least, besides, ofTable } = PRINTED_ROWS;
  const rowsIn = (id) =>
    [...byId(id).querySelectorAll("table")]
      .filter((one) => one.closest("details") === null)
      .reduce((sum, one) => sum + Math.min(ofTable, one.tBodies[0].rows.length), 0);
  const taken = Math.max(rowsIn("classes"), rowsIn("gpu-time") + 2);
  return Math.min(most, Math.max(least, most - (taken - besides)));
}

/** The kernels of the table, in its order; at most so many. */
function printKernels({ paper, rows, kernels, shownColumns, state, view }, most) {
  const first = rows.slice(0, most);
  const heads = shownColumns.map(({ title, kind }) => [title, kind]);
  const cells = (kernel) =>
    shownColumns.map(({ key, show }) => (key === "name" ? middleCut(kernel.name) : show(kernel)));
  const choice = [
    state.get("show") === null ? "" : view.nameOf(state.get("show")),
    state.get("words"),
  ]
    .filter(Boolean)
    .map((text) => cutMiddle(printable(text), 80))
    .join(t("comma"));
  const chosen = t("printed_choice", { number: rows.length, all: kernels.length });
  const number = t("printed", { shown: first.length, all: rows.length });
  paper.replaceChildren(
    el("p", { class: "sub" }, view.isWhole ? "" : chosen, choice && `: ${choice}`),
    table("kernels", heads, first.map(cells)),
    el("p", { class: "sub" }, number),
  );
}

/** On paper: dark on white, fewer rows, charts of half a page. */
function prepareForPaper(table, charts) {
  const root = document.documentElement;
  addEventListener("beforeprint", () => {
    root.dataset.medium = "print";
    printKernels(table, printedRows());
    charts?.drawForPaper();
  });
  addEventListener("afterprint", () => {
    delete root.dataset.medium;
    table.paper.replaceChildren();
    charts?.draw();
  });
}
