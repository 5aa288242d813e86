// The only way nodes are made: names from a trace become text, never markup.

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(2).filter((child) => child !== null));
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
      { class: "none", title: t("not_measured") },
      el("span", { "aria-hidden": "true" }, NOT_MEASURED),
      el("span", { class: "unseen" }, t("not_measured")),
    );
  }
  return el("span", { class: "q" }, `${parts[0]}\u00a0`, el("span", { class: "unit" }, parts[1]));
}

const timeOf = (value) => quantity(durationParts(value));
const shareOf = (ratio) => quantity(percentParts(ratio));
const amount = (value, unit) => quantity(siParts(value, unit));

const TYPED = /(`[^`]+`)/;
const QUANTITY = /([\d.,]*\d (?:%|[nµm]?s\b|[kMGT]?B\b))/;

/** A sentence whose numbers stay on one line with their units, and whose `commands` look typed. */
function prose(sentence) {
  // splitting by a group gives what is outside and what is inside in turn
  return printable(sentence)
    .split(TYPED)
    .flatMap((part, place) => (place % 2 === 1 ? [typed(part)] : withQuantities(part)));
}

/** The ticks are not seen but stay in the text: a foreign name may have them. */
function typed(text) {
  const tick = () => el("span", { class: "tick" }, "`");
  return el("code", {}, tick(), text.slice(1, -1), tick());
}

const withQuantities = (text) =>
  text
    .split(QUANTITY)
    .map((part, place) => (place % 2 === 1 ? el("span", { class: "q" }, part) : part));

const swatch = (name) => el("i", { class: `swatch ${name}`, "aria-hidden": "true" });

/**
 * A bar of parts side by side; `scale` is its length as a part of the room it has.
 *
 * @param {{value: number, label: string, swatch: string}[]} parts those of 0 are left out
 */
function bar(parts, scale = 1) {
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  const there = parts.filter((part) => part.value > 0);
  const say = ({ label, value }) => `${label} ${duration(value)}, ${percent(share(value, total))}`;
  return el(
    "span",
    {
      class: "bar",
      role: "img",
      "aria-label": there.map(say).join("; ") || t("nothing"),
      style: `width:${scale * 100}%`,
    },
    there.map((part) =>
      el("i", { class: part.swatch, style: `flex-grow:${part.value}`, title: say(part) }),
    ),
  );
}

function wallBar(timeByWallNs, scale = 1) {
  const parts = WALLS.map(({ id, label }) => ({
    value: timeByWallNs[id] ?? 0,
    label,
    swatch: `wall-${id}`,
  }));
  return bar(parts, scale);
}

/** Swatch, name, time and share of each part of a bar. */
function barKey(parts, label) {
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  return el(
    "ul",
    { class: "key", "aria-label": label },
    parts
      .filter((part) => part.value > 0)
      .map((part) =>
        el(
          "li",
          { title: part.means ?? null },
          swatch(part.swatch),
          `${part.label} `,
          el("b", { class: "q" }, duration(part.value)),
          el("span", { class: "q mute" }, ` · ${percent(share(part.value, total))}`),
        ),
      ),
  );
}

/** What is too wide for its room can be scrolled, so the keyboard must reach it. */
const scrolls = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});

function wideTable(content) {
  const room = el("div", { class: "wide-table" }, content);
  scrolls.observe(room);
  return room;
}

/**
 * @param {[string, string][]} heads title and class of each column; "n" aligns numbers
 * @param {(string|Node|(string|Node)[])[][]} rows
 */
function table(className, heads, rows) {
  const head = heads.map(([title, kind]) => el("th", { class: kind, scope: "col" }, title));
  const body = rows.map((cells) =>
    el(
      "tr",
      {},
      cells.map((cell, place) => el("td", { class: heads[place][1] }, cell)),
    ),
  );
  return wideTable(
    el("table", { class: className }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)),
  );
}

/** Rows beyond the first few are folded away. */
function foldedTable(className, heads, rows, shown, moreText) {
  const first = table(className, heads, rows.slice(0, shown));
  if (rows.length <= shown) return [first];
  const rest = rows.slice(shown);
  return [
    first,
    el("details", {}, el("summary", {}, moreText(rest.length)), table(className, heads, rest)),
  ];
}

/** A button that opens a panel; Escape and a click elsewhere close it. */
function menu(title, ...content) {
  const node = el(
    "details",
    {
      class: "menu",
      keydown: (event) => {
        if (event.key !== "Escape") return;
        node.open = false;
        node.firstElementChild.focus();
      },
    },
    el("summary", { class: "small" }, title),
    el("div", { class: "menu-list" }, content),
  );
  document.addEventListener("pointerdown", (event) => {
    if (!node.contains(event.target)) node.open = false;
  });
  return node;
}
