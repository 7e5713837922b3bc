/** Binary search. */

/** The first index in `[from, to)` whose value is at or above `bound`, in values that ascend; `to` when there is none. */
export function lowerBound(
  ascending: Float64Array | Uint32Array,
  bound: number,
  from = 0,
  to = ascending.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
