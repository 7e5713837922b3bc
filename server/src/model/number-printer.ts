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

/** Numbers below this have at most nine digits with three decimals. */
const thousandthsSizeMax = 1e6;

/** The three digits of each number below 1,000, and how many there are without zeros at the end. */
const triples = Uint8Array.from({ length: 4000 }, (_, i) => {
  const digits = String(i >> 2).padStart(3, '0');
  return i % 4 === 3 ? digits.replace(/0+$/, '').length : digits.charCodeAt(i % 4);
});

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
  if (size < thousandthsSizeMax) {
    const end = writeThousandths(value, size, into, at);
    if (end !== at) return end;
  }
  if (size >= fixedMin && size < digitsMax) {
    const end = writeFixed(value, size, lastDecimals, into, at);
    if (end !== at) return end;
    const other = writeFixed(value, size, decimalsMax, into, at);
    if (other !== at) return other;
  }
  return Number.isFinite(value) ? at : writeBytes(nullText, into, at);
}

/** Writes a number that has at most three decimals, as most measured values; returns `at` for any other. Not for whole numbers. */
function writeThousandths(value: number, size: number, into: Uint8Array, at: number): number {
  const rounded = Math.floor(size * 1000 + 0.5);
  if (rounded / 1000 !== size) return at;
  const thousandths = rounded | 0;
  const whole = (thousandths / 1000) | 0;
  const dot = writeWhole(whole, into, sign(value, into, at));
  const triple = (thousandths - whole * 1000) * 4;
  into[dot] = point;
  into[dot + 1] = triples[triple];
  into[dot + 2] = triples[triple + 1];
  into[dot + 3] = triples[triple + 2];
  return dot + 1 + triples[triple + 3];
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
  if (value < 1000) return writeTriple(value | 0, into, at);
  if (value < 1e9) return writeDigits(value, digitCount(value), into, at);
  const high = Math.floor(value / 1e9);
  return writeDigits(value - high * 1e9, 9, into, writeDigits(high, digitCount(high), into, at));
}

/** Writes a whole number below 1,000. */
function writeTriple(value: number, into: Uint8Array, start: number): number {
  const triple = value * 4;
  let at = start;
  if (value >= 100) into[at++] = triples[triple];
  if (value >= 10) into[at++] = triples[triple + 1];
  into[at] = triples[triple + 2];
  return at + 1;
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
