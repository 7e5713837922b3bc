/**
 * Reads the data frame of a request directly from its text into columns. It accepts only frames for which the result is the
 * same as with JSON.parse: plain keys, numbers and nulls, times, and arrays of equal length. For any other frame it returns
 * null, and the caller uses JSON.parse, which also reports errors. It takes half the time.
 */
import { bug } from '#model/error';
import { Columns } from '#model/frame';
import { brace, braceEnd, bracket, bracketEnd, colon, comma, quoteMark } from './bytes.ts';
import { KeyMemory } from './key-memory.ts';
import { NumberScanner, skipSpace } from './number-scanner.ts';
import { TimeScanner } from './time-scanner.ts';

/** A frame and the position of its literal, including the braces. */
export interface FrameLiteral {
  start: number;
  end: number;
  columns: Columns;
}

/** What a frame may have at most. */
export interface FrameLimits {
  seriesMax: number;
  rowsMax: number;
}

/** A large frame is read in steps of about this many bytes of text: a few milliseconds. */
const stepBytes = 64 * 1024;

/** Values of a column that are read without looking whether the step is over. */
const pieceRows = 4096;

/** Searched for without its first quote: there are quotes everywhere in JSON, on each of which the search would stop. */
const nameRest = 'data"';

/** The position after the first `"data"`, -1 if there is none. */
function* endOfName(bytes: Buffer): Generator<void, number, void> {
  for (let from = 1; from < bytes.length; from += stepBytes) {
    if (from > 1) yield;
    const part = bytes.subarray(from, from + stepBytes + nameRest.length - 1);
    for (let at = part.indexOf(nameRest); at >= 0; at = part.indexOf(nameRest, at + nameRest.length)) {
      if (bytes[from + at - 1] === quoteMark) return from + at + nameRest.length;
    }
  }
  return -1;
}

/** Reads frames, one at a time, and caches the keys of recent ones. */
export class FrameScanner {
  readonly #keys = new KeyMemory();
  readonly #numbers = new NumberScanner();
  readonly #times = new TimeScanner();
  #stepEnd = 0;
  /** Counts the frames, so that reading one is not continued after another one was begun. */
  #frame = 0;

  /**
   * The frame of the first member `"data"` that holds one: `{"times": […], "series": {…}}` in this order,
   * with at most `seriesMax` series and `rowsMax` rows. Null: it has to be read by JSON.parse.
   * Stops after each step. Frames are read one at a time: reading another one before this one has ended is a bug.
   */
  *steps(bytes: Buffer, { seriesMax, rowsMax }: FrameLimits): Generator<void, FrameLiteral | null, void> {
    this.#frame++;
    const nameEnd = yield* endOfName(bytes);
    if (nameEnd < 0) return null;
    const start = openMember(bytes, nameEnd, brace);
    if (start < 0) return null;
    const timesAt = openNamed(bytes, start + 1, '"times"', bracket);
    if (timesAt < 0) return null;
    this.#stepEnd = timesAt + stepBytes;
    const timesEnd = yield* this.#scanTimes(bytes, timesAt + 1, rowsMax);
    if (timesEnd < 0) return null;
    const between = skipSpace(bytes, timesEnd);
    if (bytes[between] !== comma) return null;
    const seriesAt = openNamed(bytes, between + 1, '"series"', brace);
    return seriesAt < 0 ? null : yield* this.#scanSeries(bytes, start, seriesAt + 1, seriesMax);
  }

  /** Stops between two steps. */
  *#pause(at: number): Generator<void, void, void> {
    this.#stepEnd = at + stepBytes;
    const frame = this.#frame;
    yield;
    if (frame !== this.#frame) bug('another frame was read with the same scanner');
  }

  /** Reads times up to the end of their array. Returns the position after it, -1 if a value is not a time. */
  *#scanTimes(bytes: Buffer, from: number, rowsMax: number): Generator<void, number, void> {
    let at = skipSpace(bytes, from);
    if (bytes[at] === bracketEnd) return -1; // No rows: rare, and soon read the other way.
    this.#times.begin(bytes, rowsMax);
    for (;;) {
      at = this.#times.scan(bytes, at, this.#stepEnd);
      if (at < 0 || this.#times.isFinished) return at;
      yield* this.#pause(at);
    }
  }

  *#scanSeries(
    bytes: Buffer,
    start: number,
    from: number,
    seriesMax: number,
  ): Generator<void, FrameLiteral | null, void> {
    const timesUs = this.#times.timesUs;
    const rowCount = timesUs.length;
    const reading = this.#keys.begin();
    let values = new Float64Array(0);
    let pointCount = 0;
    let at = skipSpace(bytes, from);
    for (let column = 0; bytes[at] === quoteMark; column++) {
      const keyEnd = column === seriesMax ? -1 : reading.next(bytes, at);
      if (keyEnd < 0) return null;
      at = openMember(bytes, keyEnd, bracket);
      if (at < 0) return null;
      const offset = column * rowCount;
      if (offset + rowCount > values.length) {
        // Not more than the remaining text can contain: a value and its separator take at least two characters.
        const columnsMax = column + 1 + Math.floor((bytes.length - at) / (2 * rowCount));
        const columns = Math.min(
          Math.max(reading.expected, alike(column, at - from, bytes.length - from)),
          columnsMax,
        );
        values = grown(values, columns * rowCount);
      }
      at++;
      for (let row = 0; row < rowCount; row += pieceRows) {
        if (at >= this.#stepEnd) yield* this.#pause(at);
        const end = Math.min(rowCount, row + pieceRows);
        const behind = end < rowCount ? comma : bracketEnd;
        at = this.#numbers.scanColumn(bytes, at, values, offset + row, offset + end, behind);
        if (at < 0) return null;
        pointCount += this.#numbers.pointCount;
      }
      at = skipSpace(bytes, at);
      if (bytes[at] !== comma) break;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== quoteMark) return null;
    }
    if (bytes[at] !== braceEnd) return null;
    const end = skipSpace(bytes, at + 1);
    if (bytes[end] !== braceEnd) return null;
    const found = reading.finish();
    if (found === null) return null;
    const columns = new Columns(timesUs, found, values.subarray(0, found.length * rowCount), pointCount);
    return { start, end: end + 1, columns };
  }
}

/**
 * How many columns there will be, if those to come have as much text as those before, and some more, but at least twice as many as
 * before: to make room for more, all that have been read are copied at one go.
 */
function alike(columns: number, readBytes: number, allBytes: number): number {
  return columns === 0 ? 1 : Math.ceil(Math.max(2 * columns, (1.03 * columns * allBytes) / readBytes));
}

/** The position of `open` after a colon; -1 if something else follows. */
function openMember(bytes: Buffer, from: number, open: number): number {
  const at = skipSpace(bytes, from);
  if (bytes[at] !== colon) return -1;
  const value = skipSpace(bytes, at + 1);
  return bytes[value] === open ? value : -1;
}

function openNamed(bytes: Buffer, from: number, name: string, open: number): number {
  const at = skipSpace(bytes, from);
  return startsWith(bytes, at, name) ? openMember(bytes, at + name.length, open) : -1;
}

function startsWith(bytes: Buffer, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name.charCodeAt(i)) return false;
  return true;
}

function grown(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(length);
  longer.set(array);
  return longer;
}
