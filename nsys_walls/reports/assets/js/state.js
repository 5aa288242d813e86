// What the reader has chosen, kept in one place; parts of the page listen for what concerns them.

const DEFAULTS = {
  kernel: null, // id of the kernel that is singled out
  show: null, // several kernels singled out: {kind, value}, see view.js
  words: "", // searched for
  hidden: [], // groups that are left out, such as "wall:latency"
  time: [0, Infinity], // total time of a kernel, ns
  sort: "-time_ns", // a column's key, with a minus for descending
  columns: null, // keys of the columns shown; null: the usual ones
  colour: "wall",
  gpu: null, // whose charts are drawn; null: the busiest
  roofs: null, // precisions whose walls are drawn; null: those in use
  caches: false, // intensities of L2 and L1 traffic
};

class State {
  constructor() {
    this.values = { ...DEFAULTS };
    this.listeners = [];
  }

  get(key) {
    return this.values[key];
  }

  /** Change several choices at once; listeners hear of it once. */
  set(change) {
    const changed = Object.keys(change).filter((key) => !isSame(this.values[key], change[key]));
    if (changed.length === 0) return;
    Object.assign(this.values, change);
    for (const { keys, listener } of this.listeners) {
      if (changed.some((key) => keys.includes(key))) listener(changed);
    }
  }

  /** Hear of changes of these keys, in the order in which parts of the page asked. */
  listen(keys, listener) {
    this.listeners.push({ keys, listener });
  }
}

function isSame(one, other) {
  // Infinity has no JSON
  const text = (value) => JSON.stringify(value, (_, part) => (part === Infinity ? "inf" : part));
  return text(one) === text(other);
}
