/** Reads JSON numbers from ASCII text, with exactly the results of JSON.parse. */
import { comma } from './bytes.ts';

const minus = 0x2d;
const point = 0x2e;

/** 10^0 … 10^22: the powers of ten that doubles hold exactly. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * Up to 15 digits make an integer that a double holds exactly, and dividing it by an exact power of ten rounds once, so
 * correctly (Clinger 1990); longer numbers and exponents go to `Number`.
 */
const digitsMax = 15;

/** A longer number is read in another way, which refuses it: looking at millions of digits would take too long. */
const numberBytesMax = 1024;

/** White space that is skipped in one go. Where there is more, a text is read in another way, in steps. */
const spaceBytesMax = 64 * 1024;

/** The position of the first byte that is not JSON white space; where there is very much of it, a position within it. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  const end = from + spaceBytesMax;
  let at = from;
  for (;;) {
    if (at === end) return at;
    const code = bytes[at];
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** Scans numbers. Results are stored in fields, which avoids an object for each call. */
export class NumberScanner {
  /** The number read by {@link scan}. */
  value = 0;
  /** Number of values that are not null in the column read by {@link scanColumn}. */
  pointCount = 0;

  /** Reads the finite number at `at`. Returns the position after it, -1 if there is none. */
  scan(bytes: Buffer, at: number): number {
    const isNegative = bytes[at] === minus;
    const first = isNegative ? at + 1 : at;
    const stop = at + numberBytesMax;
    let end = first;
    let digits = 0;
    let code = bytes[end];
    for (; isDigit(code) && end < stop; code = bytes[++end]) digits = digits * 10 + (code - 48);
    let digitCount = end - first;
    if (digitCount === 0 || (digitCount > 1 && bytes[first] === 48)) return -1;
    let scale = 0;
    if (code === point) {
      const fraction = end + 1;
      code = bytes[++end];
      for (; isDigit(code) && end < stop; code = bytes[++end]) digits = digits * 10 + (code - 48);
      scale = end - fraction;
      if (scale === 0) return -1;
      digitCount += scale;
    }
    if (end === stop) return -1;
    if (digitCount > digitsMax || (code | 32) === 0x65) return this.#scanLong(bytes, at, end);
    const size = scale === 0 ? digits : digits / powers[scale];
    this.value = isNegative ? -size : size;
    return end;
  }

  /**
   * Reads numbers and nulls (as NaN) with commas between them into `values[from … to)`. Returns the position after `behind`, which
   * must follow the last of them: the end of their array, or a comma. -1 if anything else does.
   */
  scanColumn(
    bytes: Buffer,
    start: number,
    values: Float64Array,
    from: number,
    to: number,
    behind: number,
  ): number {
    let nullCount = 0;
    let at = start;
    for (let row = from; row < to; row++) {
      if (bytes[at] <= 32) at = skipSpace(bytes, at);
      if (bytes[at] === 0x6e && isNull(bytes, at)) {
        values[row] = Number.NaN;
        nullCount++;
        at += 4;
      } else {
        at = this.scan(bytes, at);
        if (at < 0) return -1;
        values[row] = this.value;
      }
      if (bytes[at] <= 32) at = skipSpace(bytes, at);
      if (bytes[at] !== (row + 1 < to ? comma : behind)) return -1;
      at++;
    }
    this.pointCount = to - from - nullCount;
    return at;
  }

  /** Reads numbers of many digits or with an exponent; `end` may be before the exponent. */
  #scanLong(bytes: Buffer, start: number, end: number): number {
    let at = end;
    if ((bytes[at] | 32) === 0x65) {
      const sign = bytes[++at];
      if (sign === minus || sign === 0x2b) at++;
      const exponent = at;
      while (isDigit(bytes[at]) && at - start <= numberBytesMax) at++;
      if (at === exponent) return -1;
    }
    if (at - start > numberBytesMax) return -1;
    this.value = Number(bytes.toString('latin1', start, at));
    return Number.isFinite(this.value) ? at : -1;
  }
}

/** Whether the `n` at this position begins `null`. */
function isNull(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0x75 && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c;
}

/** Behind the end of a text the code is undefined, which is none. */
function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
