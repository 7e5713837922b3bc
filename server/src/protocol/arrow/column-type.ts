/** Converts Arrow's columns of numbers and timestamps to doubles. Values may begin at any byte, so they are read by a DataView. */
import { instantUsMax } from '#model/instant';

type ReadValues = (view: DataView, at: number, into: Float64Array, start: number, end: number) => number;

/** A type of columns whose values become doubles. */
export interface ColumnType {
  name: string;
  /** Of each value. */
  bytes: number;
  /** What values must be, for messages. */
  rule: string;
  /**
   * Converts the values from `at` on into `into[start]` to `into[end - 1]`. One that cannot be converted exactly becomes NaN or
   * infinite; the number of the others is returned.
   */
  read: ReadValues;
}

/** Whether a value is finite. */
export function isNumber(value: number): boolean {
  return value - value === 0;
}

/** How many of these values are finite. */
export function countNumbers(values: Float64Array, start: number, end: number): number {
  let count = 0;
  for (let row = start; row < end; row++) if (isNumber(values[row])) count++;
  return count;
}

const finite = 'a finite number or null';
const exact = 'an integer that a double holds exactly, or null';
const time = 'a whole number of microseconds between 1684-07-28 and 2255-06-05';

/** A type all of whose values are doubles. */
function narrow(name: string, bytes: number, get: (view: DataView, at: number) => number): ColumnType {
  return {
    name,
    bytes,
    rule: finite,
    read(view, at, into, start, end) {
      for (let row = start; row < end; row++, at += bytes) into[row] = get(view, at);
      return countNumbers(into, start, end);
    },
  };
}

/** The usual type, with a loop of its own. */
const float64: ColumnType = {
  name: 'float64',
  bytes: 8,
  rule: finite,
  read(view, at, into, start, end) {
    let count = 0;
    for (let row = start; row < end; row++, at += 8) {
      const value = view.getFloat64(at, true);
      into[row] = value;
      if (isNumber(value)) count++;
    }
    return count;
  },
};

/** A 64-bit integer; `whole` reads what is beyond ±2^53, where most integers are not doubles. */
function wide(
  name: string,
  high: (view: DataView, at: number) => number,
  whole: (view: DataView, at: number) => bigint,
): ColumnType {
  return {
    name,
    bytes: 8,
    rule: exact,
    read(view, at, into, start, end) {
      for (let row = start; row < end; row++, at += 8) {
        const value = joined(high(view, at + 4), view.getUint32(at, true));
        into[row] = isNumber(value) ? value : exactly(whole(view, at));
      }
      return countNumbers(into, start, end);
    },
  };
}

/** A double for an integer beyond ±2^53; NaN where there is none. */
function exactly(value: bigint): number {
  return BigInt(Number(value)) === value ? Number(value) : Number.NaN;
}

const types: readonly ColumnType[] = [
  float64,
  narrow('float32', 4, (view, at) => view.getFloat32(at, true)),
  narrow('float16', 2, (view, at) => view.getFloat16(at, true)),
  narrow('int8', 1, (view, at) => view.getInt8(at)),
  narrow('int16', 2, (view, at) => view.getInt16(at, true)),
  narrow('int32', 4, (view, at) => view.getInt32(at, true)),
  narrow('uint8', 1, (view, at) => view.getUint8(at)),
  narrow('uint16', 2, (view, at) => view.getUint16(at, true)),
  narrow('uint32', 4, (view, at) => view.getUint32(at, true)),
  wide(
    'int64',
    (view, at) => view.getInt32(at, true),
    (view, at) => view.getBigInt64(at, true),
  ),
  wide(
    'uint64',
    (view, at) => view.getUint32(at, true),
    (view, at) => view.getBigUint64(at, true),
  ),
];

/** Types of numbers by name. */
export const numberTypes: ReadonlyMap<string, ColumnType> = new Map(types.map((type) => [type.name, type]));

/** A value as text, for messages: one that {@link ColumnType.read} does not convert. */
export function quoteValue(type: ColumnType, view: DataView, at: number): string {
  if (type.name === 'uint64') return String(view.getBigUint64(at, true));
  if (type.rule !== finite) return String(view.getBigInt64(at, true));
  const into = new Float64Array(1);
  type.read(view, at, into, 0, 1);
  return String(into[0]);
}

/** Units of times that are multiples of a microsecond. */
const unitUs: Readonly<Record<string, number>> = { s: 1e6, ms: 1000, us: 1 };

/** The type of timestamps in a unit, which become µs; NaN outside the range of R3, and for a fraction of a microsecond. */
export function timeType(unit: string): ColumnType {
  const read = unit === 'ns' ? readNanoseconds : readMultiples(unitUs[unit]);
  return { name: `timestamp[${unit}]`, bytes: 8, rule: time, read };
}

function readMultiples(factor: number): ReadValues {
  return (view, at, into, start, end) => {
    for (let row = start; row < end; row++, at += 8) {
      into[row] = timeUs(joined(view.getInt32(at + 4, true), view.getUint32(at, true)) * factor);
    }
    return countNumbers(into, start, end);
  };
}

/** In two parts, since 64 bits are more than a double holds: a multiple of 1000 · 2^32, and a rest below 1000 · 2^32. */
const readNanoseconds: ReadValues = (view, at, into, start, end) => {
  for (let row = start; row < end; row++, at += 8) {
    const high = Math.floor(view.getInt32(at + 4, true) / 1000);
    const rest = (view.getInt32(at + 4, true) - 1000 * high) * 2 ** 32 + view.getUint32(at, true);
    into[row] = rest % 1000 === 0 ? timeUs(joined(high, rest / 1000)) : Number.NaN;
  }
  return countNumbers(into, start, end);
};

/** The integer of a high and an unsigned low half; NaN beyond ±2^53, where doubles have gaps. */
function joined(high: number, low: number): number {
  const isExact = high >= -(2 ** 21) && (high < 2 ** 21 || (high === 2 ** 21 && low === 0));
  return isExact ? high * 2 ** 32 + low : Number.NaN;
}

function timeUs(us: number): number {
  return us >= -instantUsMax && us <= instantUsMax ? us : Number.NaN;
}
