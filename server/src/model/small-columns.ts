/**
 * Small columns, cut one after the other from slabs: an array of a kilobyte or more takes half a microsecond to make, most of it in
 * the allocator of C, and about as much to free, which a rollup of a few signals would spend a dozen times.
 */

/** Values of the largest column that is cut from a slab; a column that is kept keeps its slab. */
const smallMax = 1024;

const slabValues = 8192;

let slab = new Float64Array(0);
let used = 0;

/** A new column of zeros. It may share its buffer with others, so the buffer must not be transferred. */
export function newColumn(length: number): Float64Array<ArrayBuffer> {
  if (length > smallMax) return new Float64Array(length);
  if (used + length > slab.length) {
    slab = new Float64Array(slabValues);
    used = 0;
  }
  const column = slab.subarray(used, used + length);
  used += length;
  return column;
}
