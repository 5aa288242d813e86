// Numbers as text: the rules of nsys_walls/units.py, which a test compares with these.

const NOT_MEASURED = "–";
const NO_BREAK = "\u00a0";
const PREFIXES = [
  [1e18, "E"],
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];
const TIMES = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
];

function threeDigits(value) {
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size >= 99.95) return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.9995) return value.toFixed(2);
  return String(Number(value.toPrecision(3)));
}

function scaled(value, scales, rest) {
  for (const [scale, unit] of scales) {
    if (Math.abs(value) >= 0.9995 * scale) return [threeDigits(value / scale), unit];
  }
  return [threeDigits(value), rest];
}

/** Value and unit apart, for columns that align; null stays null. */
function siParts(value, unit) {
  if (value === null) return null;
  const [digits, prefix] = scaled(value, PREFIXES, "");
  return [digits, prefix + unit];
}

function durationParts(timeNs) {
  return timeNs === null ? null : scaled(timeNs, TIMES, "ns");
}

function percentParts(ratio) {
  if (ratio === null) return null;
  const value = ratio * 100;
  const size = Math.abs(value);
  if (size > 0 && size < 0.05) return ["< 0.1", "%"]; // "0.0 %" would read as none
  const fine = (size > 0 && size < 9.95) || (value > 99 && value < 99.95);
  return [fine ? value.toFixed(1) : count(Math.round(value)), "%"];
}

function joined(parts) {
  return parts === null ? NOT_MEASURED : parts.join(" ");
}

const si = (value, unit) => joined(siParts(value, unit));
const duration = (timeNs) => joined(durationParts(timeNs));
const percent = (ratio) => joined(percentParts(ratio));

function count(value) {
  return value === null ? NOT_MEASURED : value.toLocaleString("en-US");
}

/** A launch shape as it is typed, without dimensions of one at its end: 48×12. */
function shape(sizes) {
  if (sizes === null) return NOT_MEASURED;
  const needed = sizes.slice();
  while (needed.length > 1 && needed[needed.length - 1] === 1) needed.pop();
  return needed.join("×");
}

/** A part of a whole; null where either is not known, or the whole is nothing. */
function share(part, whole) {
  return whole && part !== null ? part / whole : null;
}

/** Both ends of a long text, with the number of characters left out between them. */
function cutMiddle(text, limit) {
  if (text.length <= limit) return text;
  const left = Math.ceil(limit * 0.7);
  const right = limit - left;
  const cut = text.length - limit;
  return `${text.slice(0, left)} … ${t("cut", { number: cut })} … ${text.slice(text.length - right)}`;
}
