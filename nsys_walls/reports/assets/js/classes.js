// Time by operator class; a class singles out its kernels.

const CLASSES_SHOWN = 12;

function showClasses(report, show) {
  const longest = Math.max(...report.classes.map((row) => row.time_ns), 0);
  const rows = report.classes.map((row) => [
    el(
      "button",
      {
        type: "button",
        class: "link start",
        title: t("show_class", { class: row.class }),
        click: () => show({ kind: "class", value: row.class }),
      },
      row.class,
    ),
    wallBar(row.time_by_wall_ns, share(row.time_ns, longest) ?? 0),
    timeOf(row.time_ns),
    shareOf(row.time_ratio),
    timeOf(row.recoverable_ns),
  ]);
  const heads = [
    [t("class"), ""],
    [t("by_wall"), "wide"],
    [t("time"), "n"],
    [t("share"), "n"],
    [t("recoverable"), "n"],
  ];
  byId("classes").append(
    ...foldedTable("plain", heads, rows, CLASSES_SHOWN, (number) => t("more_classes", { number })),
  );
}
