// Bubbles side by side: each keeps its place along a strip and moves across until it is free.

const PLACED_ONE_BY_ONE = 800; // the lighter rest of a crowd is strewn across the strip
const GOLDEN = 0.618034;

/**
 * Offsets from the middle of a strip, in pixels, so that bubbles don't overlap.
 *
 * @param {{along: number, radius: number}[]} bubbles largest first, in pixels
 * @param {number} limit how far from the middle an edge may be
 * @returns {{offsets: number[], isCrowded: boolean}} crowded where some had to overlap after all
 */
function swarm(bubbles, limit) {
  const placed = [];
  let isCrowded = false;
  const offsets = bubbles.map(({ along, radius }, order) => {
    if (order >= PLACED_ONE_BY_ONE) {
      isCrowded = true;
      return (2 * ((order * GOLDEN) % 1) - 1) * Math.max(0, limit - radius);
    }
    const taken = [];
    const near = [];
    for (const other of placed) {
      const reach = radius + other.radius + 1;
      const apart = Math.abs(along - other.along);
      if (apart < reach) {
        const half = Math.sqrt(reach * reach - apart * apart);
        taken.push([other.offset - half, other.offset + half]);
        near.push({ apart, offset: other.offset });
      }
    }
    const room = Math.max(0, limit - radius);
    const free = nearestFree(taken, room);
    if (free === null) isCrowded = true;
    const offset = free ?? roomiest(near, room);
    placed.push({ along, radius, offset });
    return offset;
  });
  return { offsets, isCrowded };
}

/** The number closest to 0, within ±room, inside no interval; null where there is none. */
function nearestFree(intervals, room) {
  let best = null;
  let end = -Infinity; // of the taken stretch that the scan is in
  const offer = (value) => {
    if (Math.abs(value) <= room && (best === null || Math.abs(value) < Math.abs(best))) {
      best = value;
    }
  };
  for (const [from, to] of intervals.sort((one, other) => one[0] - other[0])) {
    if (from >= end) {
      if (end <= 0 && from >= 0) return 0;
      offer(end);
      offer(from);
    }
    end = Math.max(end, to);
  }
  if (end <= 0) return 0;
  offer(end);
  return best;
}

const TRIED = 24;

/** The place across a full strip that is farthest from its neighbours' middles. */
function roomiest(near, room) {
  let best = { offset: 0, distance: -1 };
  for (let step = 0; step <= TRIED; step += 1) {
    const offset = ((2 * step) / TRIED - 1) * room;
    const distance = Math.min(
      ...near.map((other) => Math.hypot(other.apart, other.offset - offset)),
    );
    if (distance > best.distance) best = { offset, distance };
  }
  return best.offset;
}
