// The reader's choices in the fragment of the address: a link shows what its sender saw.

const LONGEST = 4000; // characters; what chats and trackers still keep in one piece as a link

/** Ids as text: 1-3.7 is 1, 2, 3 and 7. */
function packIds(ids) {
  const runs = [];
  for (const id of [...ids].sort((one, other) => one - other)) {
    const last = runs[runs.length - 1];
    if (last !== undefined && id === last[1] + 1) last[1] = id;
    else runs.push([id, id]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(".");
}

function unpackIds(text, known) {
  const ids = text.split(".").flatMap((run) => {
    const [from, to = from] = run.split("-").map(Number);
    return known.filter((id) => id >= from && id <= to);
  });
  return [...new Set(ids)];
}

const asIs = { write: (value) => value, read: (text) => text };
const asList = { write: (value) => value.join(","), read: (text) => text.split(",") };

/** How each choice is written and read; reading gives undefined for what this report lacks. */
function codecs(report, columnKeys) {
  const knownIds = report.kernels.map((kernel) => kernel.id);
  const known = (values) => ({
    write: asIs.write,
    read: (text) => (values.includes(text) ? text : undefined),
  });
  const index = (rows) => (text) =>
    text === "" || rows[Number(text)] === undefined ? undefined : Number(text);
  const shown = {
    finding: index(report.findings),
    range: index(report.range_tree),
    name: (text) => (report.ranges.some(({ name }) => name === text) ? text : undefined),
    class: (text) => (report.kernels.some((row) => row.class === text) ? text : undefined),
    level: (text) => (LEVELS.some(({ id }) => id === text) ? text : undefined),
    ids: (text) => {
      const ids = unpackIds(text, knownIds);
      return ids.length > 0 ? ids : undefined;
    },
  };
  return {
    kernel: {
      write: String,
      read: (text) => (text !== "" && knownIds.includes(Number(text)) ? Number(text) : undefined),
    },
    show: {
      write: ({ kind, value }) => `${kind}:${kind === "ids" ? packIds(value) : value}`,
      read: (text) => {
        const [kind, ...rest] = text.split(":");
        const value = Object.hasOwn(shown, kind) ? shown[kind](rest.join(":")) : undefined;
        return value === undefined ? undefined : { kind, value };
      },
    },
    words: asIs,
    hidden: { write: (value) => value, read: (text) => text }, // several, one parameter each
    time: {
      write: ([from, to]) => `${from}-${to === Infinity ? "" : to}`,
      read: (text) => {
        const [from, to] = text.split("-");
        const range = [Number(from), to ? Number(to) : Infinity];
        return range.some(Number.isNaN) || range[0] > range[1] ? undefined : range;
      },
    },
    sort: known(columnKeys.flatMap((key) => [key, `-${key}`])),
    columns: {
      write: asList.write,
      read: (text) => asList.read(text).filter((key) => columnKeys.includes(key)),
    },
    colour: known(["wall", "class", "range"]),
    gpu: {
      write: String,
      read: (text) => report.devices.find((device) => String(device.device) === text)?.device,
    },
    roofs: asList,
    caches: { write: () => "1", read: () => true },
  };
}

/** Readable where it can be: only what would end a value is escaped. */
const escaped = (text) =>
  encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%20", "+");

function writeFragment(state, codec) {
  const parts = Object.keys(DEFAULTS)
    .filter((key) => !isSame(state.get(key), DEFAULTS[key]))
    .flatMap((key) => {
      const written = codec[key].write(state.get(key));
      return (Array.isArray(written) ? written : [written]).map((one) => `${key}=${escaped(one)}`);
    });
  return parts.join("&");
}

/** All choices that a fragment names, the others as at first; null where it is an anchor. */
function readFragment(text, codec) {
  if (text !== "" && !text.includes("=")) return null;
  const parameters = new URLSearchParams(text);
  const choices = { ...DEFAULTS };
  for (const key of Object.keys(DEFAULTS)) {
    const read = parameters
      .getAll(key)
      .map((one) => codec[key].read(one))
      .filter((value) => value !== undefined);
    if (read.length > 0) choices[key] = key === "hidden" ? read : read[0];
  }
  return choices;
}

/** Places in the page are gone to, not written into the address: it holds the choices. */
function followAnchors() {
  document.addEventListener("click", (event) => {
    const anchor = event.target.closest('a[href^="#"]');
    const place = anchor && byId(anchor.getAttribute("href").slice(1));
    if (!place || event.defaultPrevented) return;
    event.preventDefault();
    if (place.tabIndex < 0) place.tabIndex = -1; // so that the keyboard goes on from there
    place.focus({ preventScroll: true });
    place.scrollIntoView();
  });
}

/** Keep the address and the choices alike, whoever changes one of them. */
function followFragment(report, state, columnKeys) {
  const codec = codecs(report, columnKeys);
  const restore = () => {
    const choices = readFragment(location.hash.slice(1), codec);
    if (choices !== null) state.set(choices);
  };
  state.fitsLink = true;
  state.listen(Object.keys(DEFAULTS), () => {
    const whole = writeFragment(state, codec);
    state.fitsLink = whole.length <= LONGEST;
    const fragment = state.fitsLink ? whole : ""; // rather than an address of something else
    history.replaceState(null, "", fragment === "" ? location.pathname : `#${fragment}`);
  });
  followAnchors();
  addEventListener("hashchange", restore);
  restore();
}
