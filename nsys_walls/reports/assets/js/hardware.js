// Every number of the hardware with where it is from.

function hardwareTables(report) {
  return [...wallTables(report.devices), linkTable(report.copies)];
}

/** One table for each set of GPUs whose walls are the same in number and origin. */
function wallTables(devices) {
  const alike = new Map();
  for (const device of devices) {
    const key = JSON.stringify({ ...device, device: null, totals: null });
    alike.set(key, [...(alike.get(key) ?? []), device]);
  }
  return [...alike.values()].map((group) => {
    const [device] = group;
    const heads = [
      [deviceTitle(group), "device"],
      [t("value"), "n"],
      [t("balance_column"), "n"],
      [t("from"), ""],
      [t("document"), "document"],
    ];
    const compute = Object.entries(device.peak_flop_per_s).map(([precision, peak]) => [
      t("compute_wall_of", { precision: precisionLabel(precision) }),
      amount(peak, rateUnit(precision)),
      balanceCell(device, precision),
      originCell(device.peak_from[precision]),
      documentCell(device.documents[precision]),
    ]);
    const bandwidth = [
      t("wall_bandwidth"),
      amount(device.bandwidth_bytes_per_s, "B/s"),
      "",
      originCell(device.bandwidth_from),
      documentCell(device.documents.bandwidth_bytes_per_s),
    ];
    return table("plain", heads, [bandwidth, ...compute]);
  });
}

const originCell = (origin) =>
  (origin ?? null) === null ? quantity(null) : called("origin", origin);

function balanceCell(device, precision) {
  const balance = device.balance_flop_per_byte[precision];
  return balance === undefined ? "" : quantity([threeDigits(balance), "FLOP/B"]);
}

/** Links that copies were held against. */
function linkTable(copies) {
  const links = new Map();
  for (const copy of copies) {
    if (copy.wall === null || copy.wall === "dram" || copy.wall_bytes_per_s === null) continue;
    links.set(`${copy.wall} ${copy.wall_bytes_per_s}`, copy);
  }
  if (links.size === 0) return "";
  const heads = [
    [t("links"), "device"],
    [t("value"), "n"],
    [t("document"), "document"],
  ];
  const rows = [...links.values()].map((copy) => [
    called("link", copy.wall),
    amount(copy.wall_bytes_per_s, "B/s"),
    documentCell(copy.wall_from ?? undefined),
  ]);
  return table("plain", heads, rows);
}

function documentCell(text) {
  if (text === undefined) return "";
  const found = text.match(/^(.*?)\(?(https:\/\/[^\s()]*[^\s(),.;:])\)?(.*)$/);
  if (found === null) return printable(text);
  const [, before, address, after] = found;
  const [host, ...path] = address.slice("https://".length).split("/").filter(Boolean);
  const shown = path.length > 1 ? `${host}/…/${path.at(-1)}` : [host, ...path].join("/");
  return [
    printable(before),
    el("a", { href: address, title: address, rel: "noopener noreferrer" }, printable(shown)),
    printable(after),
  ];
}

function deviceTitle(group) {
  const [device] = group;
  const origin = device.hardware_from === null ? "" : called("origin", device.hardware_from);
  const parts = [
    t("gpu_of", { gpus: group.map((one) => one.device).join(", "), name: deviceName(device) }),
    device.hardware === null ? null : t("part", { part: device.hardware, origin }),
    device.compute_capability === null ? null : `CC ${printable(device.compute_capability)}`,
    device.sm_count === null ? null : `${count(device.sm_count)} SM`,
    device.mig === null ? null : `MIG ${printable(device.mig)}`,
  ];
  return parts.filter((part) => part !== null).join(" · ");
}
