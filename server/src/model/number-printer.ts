/** Formatting of numbers as JSON does it, into bytes: numbers with few decimals, as sensors send them, in a third of the time. */

/** Maximum number of bytes that {@link writeNumber} writes. */
export const numberBytesMax = 25;

/** Decimal texts of up to 15 digits and numbers correspond one to one; longer ones do not. */
const digitsMax = 1e15;

/** Smaller numbers are written with an exponent. */
const fixedMin = 1e-6;

/** The most decimals that are tried. */
const decimalsMax = 9;

const powers = Float64Array.from({ length: decimalsMax + 1 }, (_, exponent) => 10 ** exponent);

const zero = 0x30;
const minus = 0x2d;
const point = 0x2e;
const nullText = [0x6e, 0x75, 0x6c, 0x6c];

/** The decimals of the last number that had some: the next one of the same column probably has as many. */
let lastDecimals = 3;

/** Writes what `JSON.stringify` gives for a number, `null` for one that is not finite, at `at`. Returns the position after it. */
export function writeNumber(value: number, into: Uint8Array, at: number): number {
  const end = writeShortNumber(value, into, at);
  if (end !== at) return end;
  const text = String(value);
  for (let i = 0; i < text.length; i++) into[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** As {@link writeNumber}, but writes nothing, and returns `at`, where the runtime has to find the digits. */
export function writeShortNumber(value: number, into: Uint8Array, at: number): number {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < digitsMax) return writeWhole(size, into, sign(value, into, at));
  if (size >= fixedMin && size < digitsMax) {
    const end = writeFixed(value, size, lastDecimals, into, at);
    if (end !== at) return end;
    const other = writeFixed(value, size, decimalsMax, into, at);
    if (other !== at) return other;
  }
  return Number.isFinite(value) ? at : writeBytes(nullText, into, at);
}

/** Writes a number that has at most so many decimals; returns `at` for any other. */
function writeFixed(
  value: number,
  size: number,
  decimalsTried: number,
  into: Uint8Array,
  at: number,
): number {
  let decimals = decimalsTried;
  let digits = Math.round(size * powers[decimals]);
  if (!(digits < digitsMax) || digits / powers[decimals] !== size) return at;
  for (let shorter = digits / 10; Number.isInteger(shorter); shorter = digits / 10) {
    digits = shorter;
    decimals--;
  }
  lastDecimals = decimals;
  const whole = Math.floor(digits / powers[decimals]);
  const dot = writeWhole(whole, into, sign(value, into, at));
  into[dot] = point;
  return writeDigits(digits - whole * powers[decimals], decimals, into, dot + 1);
}

function sign(value: number, into: Uint8Array, at: number): number {
  if (!(value < 0)) return at;
  into[at] = minus;
  return at + 1;
}

/** Writes a whole number from 0 to {@link digitsMax}. */
function writeWhole(value: number, into: Uint8Array, at: number): number {
  if (value < 1e9) return writeDigits(value, digitCount(value), into, at);
  const high = Math.floor(value / 1e9);
  return writeDigits(value - high * 1e9, 9, into, writeDigits(high, digitCount(high), into, at));
}

function digitCount(value: number): number {
  let count = 1;
  for (let bound = 10; value >= bound; bound *= 10) count++;
  return count;
}

/** Writes the last `count` digits of a whole number below 10^9. */
function writeDigits(value: number, count: number, into: Uint8Array, at: number): number {
  let rest = value | 0;
  for (let i = at + count - 1; i >= at; i--) {
    const next = (rest / 10) | 0;
    into[i] = zero + rest - next * 10;
    rest = next;
  }
  return at + count;
}

function writeBytes(bytes: readonly number[], into: Uint8Array, at: number): number {
  for (let i = 0; i < bytes.length; i++) into[at + i] = bytes[i];
  return at + bytes.length;
}
