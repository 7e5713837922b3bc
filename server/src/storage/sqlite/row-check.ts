/** Checksums of rows: a number beside a row's values, by which a reader notices that one of them is not as it was written. */

const scratch = new Float64Array(1);
const words = new Uint32Array(scratch.buffer);

/**
 * A 32-bit checksum of values in their order; the mixing is that of MurmurHash3. Each word is mixed in reversibly, so a change
 * within one number is always found, any other one but for one in four thousand million. -0 counts as 0, which is what SQLite
 * makes of it, and NaN as null.
 */
export function checkOfNumbers(values: readonly (number | null)[]): number {
  let check = values.length;
  for (const value of values) {
    if (value === null || Number.isNaN(value)) check = mix(mix(check, 1), 0x7ff80000);
    else {
      scratch[0] = value + 0;
      check = mix(mix(check, words[0]), words[1]);
    }
  }
  return finish(check);
}

/** The checksum of a row of the directory without its link, and that of the link, are added: so a link is changed alone. */
export function addChecks(a: number, b: number): number {
  return (a + b) >>> 0;
}

/** The checksum that is left when a part of it is taken away; see {@link addChecks}. */
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
