/** "Did you mean": the known name that is nearest to a mistyped one. */

/** Names longer than this are not compared: no alias and no function is that long. */
const lengthMax = 40;

/** The nearest name, when it is near: a third of the letters may differ; case alone always is near. Else null. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  if (name.length > lengthMax) return null;
  let nearest: string | null = null;
  let distanceMin = Math.min(3, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), distanceMin);
    if (distance < distanceMin) {
      nearest = candidate;
      distanceMin = distance;
    }
  }
  return nearest;
}

/**
 * Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). Not more than `limit`, where
 * it gives up. O(length of a × b) at the most.
 */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? beforeLast[j - 2] + 1 : Infinity;
      row.push(Math.min(last[j] + 1, row[j - 1] + 1, replaced, swapped));
    }
    if (Math.min(...row) >= limit && Math.min(...last) >= limit) return limit;
    beforeLast = last;
    last = row;
  }
  return Math.min(limit, last[b.length]);
}
