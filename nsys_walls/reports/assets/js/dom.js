// The only way nodes are made: names from a trace become text, never markup.

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}

function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

const SHORT_ESCAPES = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Control and direction characters made visible: they can make a name read as another one. */
function printable(text) {
  const hex = (char) => char.codePointAt(0).toString(16);
  return text.replace(
    HIDDEN,
    (char) =>
      SHORT_ESCAPES[char] ??
      (hex(char).length > 2
        ? `\\u${hex(char).padStart(4, "0")}`
        : `\\x${hex(char).padStart(2, "0")}`),
  );
}

/** A name in one line: where room is short its middle goes, its whole text stays. */
function middleCut(name) {
  const text = cutMiddle(printable(name), 400);
  const tail = text.length > 30 ? 12 : 0;
  const cut = text.length - tail;
  return el(
    "span",
    { class: "cut", title: text, translate: "no" },
    el("span", { class: "head" }, text.slice(0, cut)),
    tail ? el("span", { class: "tail" }, text.slice(cut)) : null,
  );
}

const byId = (id) => document.getElementById(id);

/** A number and its unit; null is a dash that says "not measured". */
function quantity(parts) {
  if (parts === null) {
    return el(
      "span",
      { class: "none", title: "not measured", "aria-label": "not measured" },
      NOT_MEASURED,
    );
  }
  return el("span", { class: "q" }, `${parts[0]}\u00a0`, el("span", { class: "unit" }, parts[1]));
}

const QUANTITY = /[\d.,]*\d (?:%|[nµm]?s\b|[kMGT]?B\b)/g;

/** A sentence whose numbers stay on one line with their units. */
function prose(sentence) {
  const text = printable(sentence);
  const quantities = text.match(QUANTITY) ?? [];
  return text
    .split(QUANTITY)
    .flatMap((plain, place) =>
      place < quantities.length ? [plain, el("span", { class: "q" }, quantities[place])] : [plain],
    );
}

function swatch(wall) {
  return el("i", { class: `swatch wall-${wall}`, "aria-hidden": "true" });
}

/** A bar of parts by wall; `scale` is its length as a part of the room it has. */
function wallBar(timeByWall, total, scale = 1) {
  const label = WALLS.filter((wall) => timeByWall[wall.id])
    .map((wall) => `${wall.label} ${duration(timeByWall[wall.id])}`)
    .join(", ");
  const parts = WALLS.filter((wall) => timeByWall[wall.id]).map((wall) => {
    const part = timeByWall[wall.id];
    const title = `${wall.label}: ${duration(part)}, ${percent(share(part, total))}`;
    return el("i", { class: `wall-${wall.id}`, style: `flex-grow:${part}`, title });
  });
  return el(
    "span",
    { class: "bar", role: "img", "aria-label": label, style: `width:${scale * 100}%` },
    parts,
  );
}

function table(className, heads, rows) {
  const head = heads.map(([title, kind]) => el("th", { class: kind, scope: "col" }, title));
  const body = rows.map((cells) =>
    el(
      "tr",
      {},
      cells.map((cell, place) => el("td", { class: heads[place][1] }, cell)),
    ),
  );
  return el(
    "table",
    { class: className },
    el("thead", {}, el("tr", {}, head)),
    el("tbody", {}, body),
  );
}
