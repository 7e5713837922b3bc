/** Checksums of rows: a number stored with a row's values, by which readers detect that a value was damaged. */

const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer);

/**
 * A 32-bit checksum of the first `count` values in order, with the mixing function of MurmurHash3. Each word is mixed in reversibly, so a change
 * of a single word is always detected, and any other with a probability of 1 − 2⁻³². -0 counts as 0, as SQLite stores it, and
 * NaN as null. NaN, which no row stores, where a value is neither: a damaged row may have an empty text in the place of 0.
 */
export function checkOfNumbers(values: readonly (number | null)[], count = values.length): number {
  let check = count;
  for (let i = 0; i < count; i++) {
    const value = values[i];
    if (value === null || Number.isNaN(value)) check = mix(mix(check, 1), 0x7ff80000);
    else if (typeof value !== 'number') return Number.NaN;
    else {
      scratch[0] = value + 0;
      check = mix(mix(check, words[0]), words[1]);
    }
  }
  return finish(check);
}

/** Adds the checksum of a directory row's values and that of its link, so that the link can be changed separately. */
export function addChecks(a: number, b: number): number {
  return (a + b) >>> 0;
}

/** Subtracts a part of a checksum; the inverse of {@link addChecks}. */
export function subtractChecks(a: number, b: number): number {
  return (a - b) >>> 0;
}

function mix(check: number, word: number): number {
  let mixed = Math.imul(word, 0xcc9e2d51);
  mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
  mixed ^= check;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function finish(check: number): number {
  let mixed = check ^ (check >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
