/** Reads the values of fields and the times of lines from bytes. Results are in fields, which avoids an object for each call. */
import { instantUsMax } from '#model/instant';
import { backslash, comma, isDigit, isSpace, minus, quoteMark } from '../bytes.ts';
import { NumberScanner } from '../number-scanner.ts';
import { LineFault } from './line-fault.ts';

/** The unit of times: ns is divided, the others are multiplied, to µs. */
export type Precision = 'ns' | 'us' | 'ms' | 's' | 'm' | 'h';

/** Unit → its µs. */
const unitUs: Readonly<Record<Precision, number>> = {
  ns: 0.001,
  us: 1,
  ms: 1000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
};

const integerMark = 0x69;
const unsignedMark = 0x75;

/** Integers of so many digits and a sign are exact in any case. */
const exactLength = 15;

/** The largest integer that is stored; above it not every one is a double. */
const integerMax = 2n ** 53n;

const words = new Map([
  ...['t', 'T', 'true', 'True', 'TRUE'].map((word) => [word, 1] as const),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((word) => [word, 0] as const),
]);

const floatForm = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
const integerForm = /^[+-]?[0-9]{1,20}[iu]$/;

/** The longest string, as InfluxDB has it, with its quotes; it is read in one go. */
const textBytesMax = 65_536;

/** The longest value that is no string. */
const wordBytesMax = 1024;

/** Scans one value or one time at a time. */
export class ValueScanner {
  /** The number read by {@link scanValue}; NaN when the value is a string, or is refused. */
  value = 0;
  /** Whether the value is a string: it begins behind its quote and ends at {@link textEnd}. */
  isText = false;
  textEnd = 0;
  /** Why the value is not stored, though the line can be read; null: it is stored. */
  refusal: string | null = null;
  /** The time read by {@link scanTime}, µs; NaN when it is outside the range of times. */
  timeUs = 0;
  readonly #numbers = new NumberScanner();

  /** Reads the value at `at`. Returns the position behind it. Fails with a {@link LineFault} when it is none. */
  scanValue(bytes: Buffer, at: number): number {
    this.isText = false;
    this.refusal = null;
    if (bytes[at] === quoteMark) return this.#scanText(bytes, at);
    const end = this.#numbers.scan(bytes, at);
    if (end > 0) {
      if (isBehindValue(bytes[end])) {
        this.value = this.#numbers.value;
        return end;
      }
      if (this.#isShortInteger(bytes, at, end)) {
        this.value = this.#numbers.value + 0;
        return end + 1;
      }
    }
    return this.#scanWord(bytes, at);
  }

  #isShortInteger(bytes: Buffer, at: number, end: number): boolean {
    const mark = bytes[end];
    if (end - at > exactLength || !isBehindValue(bytes[end + 1])) return false;
    if (mark !== integerMark && (mark !== unsignedMark || bytes[at] === minus)) return false;
    for (let i = at + 1; i < end; i++) if (!isDigit(bytes[i])) return false;
    return true;
  }

  #scanText(bytes: Buffer, at: number): number {
    this.isText = true;
    this.value = Number.NaN;
    const end = Math.min(bytes.length, at + textBytesMax);
    for (let i = at + 1; i < end; i++) {
      if (bytes[i] === backslash) i++;
      else if (bytes[i] === quoteMark) {
        this.textEnd = i;
        if (!isBehindValue(bytes[i + 1])) throw new LineFault('invalid field format');
        return i + 1;
      }
    }
    throw new LineFault(
      end < bytes.length ? `a string of more than ${textBytesMax} bytes` : 'unbalanced quotes',
    );
  }

  /** A value that is seldom: a boolean, a long integer, a number as programs but not JSON write it. */
  #scanWord(bytes: Buffer, at: number): number {
    let end = at;
    while (!isBehindValue(bytes[end])) {
      if (++end - at > wordBytesMax) throw new LineFault(`a value of more than ${wordBytesMax} bytes`);
    }
    if (end === at) throw new LineFault('missing field value');
    const text = bytes.toString('latin1', at, end);
    if (integerForm.test(text)) this.#takeInteger(text);
    else if (floatForm.test(text)) this.#takeFloat(text);
    else this.#takeWord(text);
    return end;
  }

  #takeInteger(text: string): void {
    const size = BigInt(text.slice(0, -1).replace('+', ''));
    if (text.endsWith('u') && size < 0n) throw new LineFault('invalid number');
    this.value = Number(size);
    if (size > integerMax || size < -integerMax) {
      this.refusal = `integers are exact up to 2^53, got ${text}; write it as a float (without "${text.at(-1)}") to store the nearest one`;
      this.value = Number.NaN;
    }
  }

  #takeFloat(text: string): void {
    this.value = Number(text);
    if (!Number.isFinite(this.value)) throw new LineFault('number out of range');
  }

  #takeWord(text: string): void {
    const value = words.get(text);
    if (value !== undefined) this.value = value;
    else if (/^[+-]?(nan|inf|infinity)$/i.test(text)) {
      this.value = Number.NaN;
      this.refusal = `must be a finite number, got ${text}`;
    } else throw new LineFault(/^[-+.0-9]/.test(text) ? 'invalid number' : 'invalid boolean');
  }

  /** Reads the whole number at `at` as a time. Returns the position behind it. Fails with a {@link LineFault} when it is none. */
  scanTime(bytes: Buffer, at: number, precision: Precision): number {
    const isNegative = bytes[at] === minus;
    const first = isNegative ? at + 1 : at;
    let end = first;
    while (isDigit(bytes[end])) end++;
    if (end === first || end - first > 19 || !isSpace(bytes[end])) throw new LineFault('bad timestamp');
    const isNs = precision === 'ns';
    const wholeEnd = isNs ? Math.max(first, end - 3) : end;
    let size = 0;
    for (let i = first; i < wholeEnd; i++) size = size * 10 + bytes[i] - 48;
    if (!isNs) size *= unitUs[precision];
    else if (isNegative) size += hasRest(bytes, wholeEnd, end);
    if (!(size <= instantUsMax)) throw new LineFault('time outside range');
    this.timeUs = isNegative ? 0 - size : size;
    return end;
  }
}

/** 1 when digits that are cut off are not all zero: times before 1970 are rounded to the earlier microsecond too. */
function hasRest(bytes: Buffer, from: number, to: number): number {
  for (let i = from; i < to; i++) if (bytes[i] !== 48) return 1;
  return 0;
}

function isBehindValue(code: number | undefined): boolean {
  return code === comma || isSpace(code);
}
