/** Converts Arrow's columns of numbers and timestamps to doubles. */
import { instantUsMax } from '#model/instant';

/** A type of columns whose values become doubles. */
export interface ColumnType {
  name: string;
  /** Of each value. */
  bytes: number;
  /** What values must be, for messages. */
  rule: string;
  /** Converts all values of `source`; NaN for one that cannot be converted exactly. */
  read(source: Uint8Array, into: Float64Array): void;
}

type Numbers =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float16Array
  | Float32Array;

const finite = 'a finite number or null';
const exact = 'an integer that a double holds exactly, or null';
const time = 'a whole number of microseconds between 1684-07-28 and 2255-06-05';

/** Converts a type that the runtime has arrays for, all of whose values are doubles. */
function narrow(
  name: string,
  Numbers: { new (bytes: ArrayBuffer): Numbers; BYTES_PER_ELEMENT: number },
): ColumnType {
  return {
    name,
    bytes: Numbers.BYTES_PER_ELEMENT,
    rule: finite,
    read: (source, into) => into.set(new Numbers(copyOf(source))),
  };
}

/** Values may begin at any byte; typed arrays may not. */
function copyOf(source: Uint8Array): ArrayBuffer {
  return new Uint8Array(source).buffer;
}

function copyDoubles(source: Uint8Array, into: Float64Array): void {
  new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(source);
}

/** Above 2^53 most integers are not doubles. */
function readIntegers(source: Uint8Array, into: Float64Array, isSigned: boolean): void {
  const bytes = copyOf(source);
  const halves = new Uint32Array(bytes);
  const wholes = isSigned ? new BigInt64Array(bytes) : new BigUint64Array(bytes);
  for (let row = 0; row < into.length; row++) {
    const high = isSigned ? halves[2 * row + 1] | 0 : halves[2 * row + 1];
    const value = joined(high, halves[2 * row]);
    into[row] = Number.isNaN(value) ? exactly(wholes[row]) : value;
  }
}

/** A double for an integer beyond ±2^53; NaN where there is none. */
function exactly(value: bigint): number {
  return BigInt(Number(value)) === value ? Number(value) : Number.NaN;
}

const types: readonly ColumnType[] = [
  { name: 'float64', bytes: 8, rule: finite, read: copyDoubles },
  narrow('float32', Float32Array),
  narrow('float16', Float16Array),
  narrow('int8', Int8Array),
  narrow('int16', Int16Array),
  narrow('int32', Int32Array),
  narrow('uint8', Uint8Array),
  narrow('uint16', Uint16Array),
  narrow('uint32', Uint32Array),
  { name: 'int64', bytes: 8, rule: exact, read: (source, into) => readIntegers(source, into, true) },
  { name: 'uint64', bytes: 8, rule: exact, read: (source, into) => readIntegers(source, into, false) },
];

/** Types of numbers by name. */
export const numberTypes: ReadonlyMap<string, ColumnType> = new Map(types.map((type) => [type.name, type]));

/** The value in a row as text, for messages: one that {@link ColumnType.read} does not convert. */
export function quoteValue(type: ColumnType, source: Uint8Array, row: number): string {
  const bytes = copyOf(source.subarray(row * type.bytes, (row + 1) * type.bytes));
  if (type.rule !== finite)
    return `${(type.name === 'uint64' ? new BigUint64Array(bytes) : new BigInt64Array(bytes))[0]}`;
  const into = new Float64Array(1);
  type.read(new Uint8Array(bytes), into);
  return String(into[0]);
}

/** Units of times that are multiples of a microsecond. */
const unitUs: Readonly<Record<string, number>> = { s: 1e6, ms: 1000, us: 1 };

/** The type of timestamps in a unit, which become µs; NaN outside the range of R3, and for a fraction of a microsecond. */
export function timeType(unit: string): ColumnType {
  const read = unit === 'ns' ? readNanoseconds : readMultiples(unitUs[unit]);
  return { name: `timestamp[${unit}]`, bytes: 8, rule: time, read };
}

function readMultiples(factor: number): ColumnType['read'] {
  return (source, into) => {
    const halves = new Int32Array(copyOf(source));
    for (let row = 0; row < into.length; row++) {
      into[row] = timeUs(joined(halves[2 * row + 1], halves[2 * row] >>> 0) * factor);
    }
  };
}

/** In two parts, since 64 bits are more than a double holds: a multiple of 1000 · 2^32, and a rest below 1000 · 2^32. */
function readNanoseconds(source: Uint8Array, into: Float64Array): void {
  const halves = new Int32Array(copyOf(source));
  for (let row = 0; row < into.length; row++) {
    const high = Math.floor(halves[2 * row + 1] / 1000);
    const rest = (halves[2 * row + 1] - 1000 * high) * 2 ** 32 + (halves[2 * row] >>> 0);
    into[row] = rest % 1000 === 0 ? timeUs(joined(high, rest / 1000)) : Number.NaN;
  }
}

/** The integer of a signed high and an unsigned low half; NaN beyond ±2^53, where doubles have gaps. */
function joined(high: number, low: number): number {
  const isExact = high >= -(2 ** 21) && (high < 2 ** 21 || (high === 2 ** 21 && low === 0));
  return isExact ? high * 2 ** 32 + low : Number.NaN;
}

function timeUs(us: number): number {
  return us >= -instantUsMax && us <= instantUsMax ? us : Number.NaN;
}
