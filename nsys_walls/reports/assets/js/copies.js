// Copies and sets: how fast, against the link or memory that they had to pass.

const COPIES_SHOWN = 8;

function showCopies(report) {
  if (report.copies.length === 0) return;
  const several = report.devices.length > 1;
  const heads = [
    [t("copy_what"), "wide"],
    ...(several ? [[t("gpu_column"), "n"]] : []),
    [t("copy_number"), "n"],
    [t("bytes"), "n"],
    [t("time"), "n"],
    [t("copy_hidden"), "n"],
    [t("rate"), "n"],
    [t("of_its_wall"), "n"],
  ];
  const rows = report.copies.map((row) => [
    [el("span", {}, copyName(row)), copyNotes(row)],
    ...(several ? [String(row.device)] : []),
    count(row.copies),
    amount(row.bytes, "B"),
    timeOf(row.time_ns),
    shareOf(share(row.hidden_ns, row.time_ns)),
    amount(row.bytes_per_s, "B/s"),
    linkCell(row),
  ]);
  byId("copies").append(
    ...foldedTable("plain", heads, rows, COPIES_SHOWN, (number) => t("more_copies", { number })),
  );
  byId("copies").hidden = false;
}

/** "host to device, pageable memory". */
function copyName({ operation, source_memory: source, target_memory: target }) {
  const what = operation === null ? t("copy_other") : called("copy", operation);
  const kinds = [source, target].filter((kind) => ["pageable", "pinned", "managed"].includes(kind));
  return kinds.length === 0 ? what : `${what}${t("comma")}${called("memory", kinds[0])}`;
}

const copyNotes = ({ notes }) =>
  notes.length === 0 ? "" : el("small", {}, prose(notes.join(t("semicolon"))));

function linkCell(row) {
  if (row.wall === null) return quantity(null);
  const title = t("link_wall", {
    link: called("link", row.wall),
    rate: row.wall_bytes_per_s === null ? NOT_MEASURED : si(row.wall_bytes_per_s, "B/s"),
  });
  return el(
    "span",
    { title },
    shareOf(row.wall_ratio),
    " ",
    el("span", { class: "mute link-name" }, called("link", row.wall)),
  );
}
