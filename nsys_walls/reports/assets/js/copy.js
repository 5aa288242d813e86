// To the clipboard: names, links, the table as CSV.

/** A button that copies a text; where there is no clipboard it selects `shown` instead. */
function copyButton(label, text, shown = null) {
  const button = el(
    "button",
    {
      type: "button",
      class: "small",
      click: async () => {
        try {
          await navigator.clipboard.writeText(text());
          button.textContent = t("copied");
        } catch {
          // no clipboard here: leave the text selected, one key away
          button.textContent = shown === null ? t("no_clipboard") : t("selected");
          if (shown !== null) getSelection().selectAllChildren(shown);
        }
        setTimeout(() => {
          button.textContent = label;
        }, 4000);
      },
    },
    label,
  );
  return button;
}

// Spreadsheets run a text that begins with one of these as a formula.
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = Array.isArray(value) ? value.join("x") : String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Kernels as CSV with the document's own keys and base units; not measured is empty. */
function csvText(kernels, columns) {
  const fields = columns.flatMap((column) => column.fields);
  const lines = [
    fields.map(([name]) => name),
    ...kernels.map((kernel) => fields.map(([, read]) => csvCell(read(kernel)))),
  ];
  return lines.map((cells) => `${cells.join(",")}\r\n`).join("");
}
