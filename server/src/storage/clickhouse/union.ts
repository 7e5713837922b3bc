/** Points of a signal that arrive in pieces, and the union of several signals (Q14). */
import type { Points } from '#model/frame';

/** No points. */
export const noPoints: Points = { timesUs: new Float64Array(0), values: new Float64Array(0) };

/** Pieces in order of time as one. */
export function joinPieces(pieces: readonly Points[]): Points {
  if (pieces.length === 0) return noPoints;
  if (pieces.length === 1) return pieces[0];
  const count = pieces.reduce((sum, { timesUs }) => sum + timesUs.length, 0);
  const timesUs = new Float64Array(count);
  const values = new Float64Array(count);
  let at = 0;
  for (const piece of pieces) {
    timesUs.set(piece.timesUs, at);
    values.set(piece.values, at);
    at += piece.timesUs.length;
  }
  return { timesUs, values };
}

/** The union of columns of points; at the same time the last one listed wins. */
export function unite(columns: readonly Points[]): Points {
  const full = columns.filter(({ timesUs }) => timesUs.length > 0);
  return full.length === 0 ? noPoints : full.reduce(uniteTwo);
}

function uniteTwo(a: Points, b: Points): Points {
  const timesUs = new Float64Array(a.timesUs.length + b.timesUs.length);
  const values = new Float64Array(timesUs.length);
  let count = 0;
  let i = 0;
  for (let j = 0; i < a.timesUs.length || j < b.timesUs.length; count++) {
    const [fromA, fromB] = [a.timesUs[i] ?? Infinity, b.timesUs[j] ?? Infinity];
    timesUs[count] = Math.min(fromA, fromB);
    values[count] = fromB <= fromA ? b.values[j] : a.values[i];
    if (fromA <= fromB) i++;
    if (fromB <= fromA) j++;
  }
  return { timesUs: timesUs.slice(0, count), values: values.slice(0, count) };
}
