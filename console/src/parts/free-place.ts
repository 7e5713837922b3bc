/** Where on the screen something fits without covering what can be pressed. */

/** A rectangle on the screen, CSS pixels. */
export interface Rect extends Place {
  width: number;
  height: number;
}

/** Kept free around the rectangle that is placed. */
const margin = 16;

/** The top left corner of a rectangle. */
export interface Place {
  left: number;
  top: number;
}

/**
 * The place for a rectangle of this size: where it is if that is on the screen, else the bottom right corner, else the next one from there that
 * covers no obstacle; where there is none, the one that covers the fewest.
 */
export function freePlace(
  size: { width: number; height: number },
  screen: { width: number; height: number },
  obstacles: readonly Rect[],
  present: Place | null = null,
): Place {
  const right = Math.max(0, screen.width - size.width - margin);
  const bottom = Math.max(0, screen.height - size.height - margin);
  const columns = [right, right / 2, margin];
  const rows = [0, 0.25, 0.5, 0.75, 1].map((share) => bottom - share * Math.max(0, bottom - margin));
  const others = rows.flatMap((top) => columns.map((left) => ({ left, top })));
  const staysInside = present !== null && present.left <= right && present.top <= bottom;
  const places = staysInside ? [present, ...others] : others;
  const covered = places.map(
    (place) => obstacles.filter((obstacle) => areTouching({ ...place, ...size }, obstacle)).length,
  );
  return places[covered.indexOf(Math.min(...covered))]!;
}

function areTouching(a: Rect, b: Rect): boolean {
  return (
    a.left < b.left + b.width &&
    b.left < a.left + a.width &&
    a.top < b.top + b.height &&
    b.top < a.top + a.height
  );
}
