// Bubbles that would hide each other, moved apart by as little as shows both.

const SLIVER = 6; // pixels of a bubble that must stay in view
const STEP = 2;
const FARTHEST = 40; // steps out; beyond, a bubble may hide after all
const CROWD = 300; // the heaviest bubbles; among more nobody could tell them apart anyway

/**
 * How far to move each bubble, in pixels.
 *
 * @param {{x: number, y: number, radius: number}[]} bubbles in the order in which they are drawn,
 *   largest first
 * @returns {{dx: number, dy: number}[]}
 */
function apart(bubbles) {
  const placed = [];
  return bubbles.map(({ x, y, radius }) => {
    const still = { dx: 0, dy: 0 };
    if (placed.length > CROWD) return still;
    const near = placed.filter(
      (other) => Math.hypot(other.x - x, other.y - y) < FARTHEST * STEP + other.radius + radius,
    );
    const move = spiral().find(({ dx, dy }) =>
      near.every((other) => isSeen(other, { x: x + dx, y: y + dy, radius })),
    );
    const { dx, dy } = move ?? still;
    placed.push({ x: x + dx, y: y + dy, radius });
    return { dx, dy };
  });
}

/** Whether a sliver of the lower one stays in view under the upper one. */
function isSeen(lower, upper) {
  const distance = Math.hypot(lower.x - upper.x, lower.y - upper.y);
  // a small bubble in the middle of a large one hides nothing: its rim is the sliver
  return distance + lower.radius - upper.radius >= Math.min(SLIVER, lower.radius);
}

/** Places to try, nearest first, the one where it is before all others. */
function spiral() {
  if (spiral.places === undefined) {
    spiral.places = [{ dx: 0, dy: 0 }];
    for (let ring = 1; ring <= FARTHEST; ring += 1) {
      for (let turn = 0; turn < 8; turn += 1) {
        const angle = (turn * Math.PI) / 4;
        spiral.places.push({
          dx: ring * STEP * Math.cos(angle),
          dy: -ring * STEP * Math.sin(angle),
        });
      }
    }
  }
  return spiral.places;
}
