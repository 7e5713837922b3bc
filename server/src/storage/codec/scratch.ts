/** Memory for numbers that is used again and again: large arrays are dear to make, and the garbage collector lets them gather. */

/** Numbers that are kept at most; for more, memory is made each time. */
const keptMax = 65_536;

/** Memory for one kind of array, of which only the last one is in use. */
export class Scratch {
  #memory = new Float64Array(0);

  /** So many numbers, which have any values; those that were taken before must not be used any more. */
  take(count: number): Float64Array {
    if (count > keptMax) return new Float64Array(count);
    if (this.#memory.length < count) this.#memory = new Float64Array(count);
    return this.#memory.subarray(0, count);
  }
}
