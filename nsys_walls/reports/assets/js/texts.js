// The page's words, in its language: rows of data whose values are filled in here.

const TEXTS = JSON.parse(document.getElementById("texts").textContent);
const PLACEHOLDER = /\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/;

/** A whole number takes the word that fits it, where the text has words for it. */
function filled(value, one, many) {
  if (typeof value !== "number") return value;
  return one === undefined ? count(value) : `${count(value)} ${value === 1 ? one : many}`;
}

/** A text as a list of strings and of the values given, which may be nodes. */
function rich(key, values = {}) {
  const parts = TEXTS[key].split(PLACEHOLDER);
  const pieces = [parts[0]];
  for (let at = 1; at < parts.length; at += 4) {
    const [name, one, many, after] = parts.slice(at, at + 4);
    pieces.push(filled(values[name], one, many), after);
  }
  return pieces.filter((piece) => piece !== "");
}

const t = (key, values) => rich(key, values).join("");

/** What a code of the document is called; codes that have no word stand as they are. */
const called = (prefix, code) => TEXTS[`${prefix}_${code}`] ?? code;
