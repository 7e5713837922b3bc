/** Writes a data frame as an Arrow stream: a schema, and batches of rows (W5e). */
import type { Frame } from '#model/frame';
import { freshBytes } from '../fresh-bytes.ts';
import {
  flatBuffer,
  int16,
  int64,
  pairs,
  type Target,
  table,
  tablesWithText,
  text,
  uint8,
  vector,
} from './flatbuffer-writer.ts';
import { continuation, messageTypes, precisions, timeName, timeUnits, typeTags, versions } from './format.ts';

/** Rows of a batch, whose columns then have at most 128 KiB each. */
const batchRows = 16 * 1024;

/** The most bytes of a piece, a multiple of 8: about 0.1 ms of work. */
const pieceBytes = 128 * 1024;

/** Values whose nulls are counted in one step: about a millisecond. */
const countedValues = 1024 * 1024;

const noBytes = Buffer.alloc(0);

/**
 * The bytes of a stream in pieces of at most 128 KiB; an empty piece where other work may run. `metadata` goes into the schema.
 * Columns have no buffer of nulls in a batch without nulls.
 */
export function* streamPieces(
  frame: Frame,
  metadata: ReadonlyMap<string, string>,
): Generator<Buffer, void, undefined> {
  const rowCount = frame.timesUs.length;
  const schema = message(messageTypes.schema, schemaHeader(frame.series.keys(), metadata), 0);
  const pieces = new Pieces(frame.bytes + endMarker.length);
  if (rowCount === 0) yield* pieces.addMore(schema);
  for (let start = 0; start < rowCount; start += batchRows) {
    const before = start === 0 ? schema : noBytes;
    yield* batchPieces(pieces, before, frame, start, Math.min(rowCount, start + batchRows));
  }
  yield* pieces.add(endMarker);
}

/** Fills pieces with bytes; the last one is as long as what is still expected. */
class Pieces {
  #piece: Buffer = noBytes;
  #at = 0;
  /** Bytes that will be added, and have no room yet. */
  #expected: number;

  constructor(expected: number) {
    this.#expected = expected;
  }

  /** Adds bytes that were not expected, and expects so many after them. */
  *addMore(bytes: Uint8Array, after = 0): Generator<Buffer, void, undefined> {
    this.#expected += bytes.length + after;
    yield* this.add(bytes);
  }

  /** Adds bytes of which all are expected, and passes full pieces on. */
  *add(bytes: Uint8Array): Generator<Buffer, void, undefined> {
    for (let from = 0; from < bytes.length; ) {
      const some = bytes.subarray(from, from + this.#room());
      this.#piece.set(some, this.#at);
      from += some.length;
      const full = this.#noteAdded(some.length);
      if (full !== null) yield full;
    }
  }

  /** The same with times, as 64-bit integers; before them there must be a multiple of 8 bytes. */
  *addTimes(timesUs: Float64Array): Generator<Buffer, void, undefined> {
    for (let from = 0; from < timesUs.length; ) {
      const some = timesUs.subarray(from, from + this.#room() / 8);
      const { buffer, byteOffset } = this.#piece;
      writeTimes(some, new Uint32Array(buffer, byteOffset + this.#at, 2 * some.length));
      from += some.length;
      const full = this.#noteAdded(8 * some.length);
      if (full !== null) yield full;
    }
  }

  /** The room in the current piece, which is a new one if the last was full. */
  #room(): number {
    if (this.#at === this.#piece.length) {
      this.#piece = freshBytes(Buffer.allocUnsafeSlow(Math.min(pieceBytes, this.#expected)));
      this.#expected -= this.#piece.length;
    }
    return this.#piece.length - this.#at;
  }

  /** Returns the piece if it is full with so many bytes more, and lets go of it: who gets it may free it. */
  #noteAdded(bytes: number): Buffer | null {
    this.#at += bytes;
    if (this.#at < this.#piece.length) return null;
    const full = this.#piece;
    this.#piece = noBytes;
    this.#at = 0;
    return full;
  }
}

/** A batch, and what comes before it. */
function* batchPieces(
  pieces: Pieces,
  before: Buffer,
  frame: Frame,
  start: number,
  end: number,
): Generator<Buffer, void, undefined> {
  const rowCount = end - start;
  const columns = Array.from(frame.series.values(), (column) => column.subarray(start, end));
  const nullCounts: number[] = [0];
  const columnsPerStep = Math.ceil(countedValues / rowCount);
  for (let first = 0; first < columns.length; first += columnsPerStep) {
    if (first > 0) yield noBytes;
    for (const column of columns.slice(first, first + columnsPerStep)) nullCounts.push(countNulls(column));
  }
  const bitBytes = validityBytes(rowCount) * nullCounts.filter((count) => count > 0).length;
  const bodyBytes = 8 * rowCount * nullCounts.length + bitBytes;
  const header = Buffer.concat([before, batchMessage(rowCount, nullCounts, bodyBytes)]);
  yield* pieces.addMore(header, bitBytes);
  yield* pieces.addTimes(frame.timesUs.subarray(start, end));
  for (let i = 0; i < columns.length; i++) {
    if (nullCounts[i + 1] > 0) yield* pieces.add(validity(columns[i]));
    yield* pieces.add(bytesOf(columns[i]));
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function countNulls(column: Float64Array): number {
  if (hasOnlyNumbers(column)) return 0;
  const { length } = column;
  let count = 0;
  for (let row = 0; row < length; row++) if (Number.isNaN(column[row])) count++;
  return count;
}

/** Whether sums of four values are numbers, which takes a quarter of the time of a look at each; false for infinities of both signs. */
function hasOnlyNumbers(column: Float64Array): boolean {
  const { length } = column;
  const whole = length - (length % 4);
  for (let row = 0; row < whole; row += 4) {
    if (Number.isNaN(column[row] + column[row + 1] + (column[row + 2] + column[row + 3]))) return false;
  }
  for (let row = whole; row < length; row++) if (Number.isNaN(column[row])) return false;
  return true;
}

/** A bit for each row, set where there is a value; padded to a multiple of 8 bytes. */
function validity(column: Float64Array): Uint8Array {
  const { length } = column;
  const bits = new Uint8Array(validityBytes(length));
  for (let row = 0; row < length; row++) {
    if (!Number.isNaN(column[row])) bits[row >> 3] |= 1 << (row & 7);
  }
  return bits;
}

function validityBytes(rowCount: number): number {
  return Math.ceil(rowCount / 64) * 8;
}

/** Writes the lower and the upper half of each time. */
function writeTimes(timesUs: Float64Array, halves: Uint32Array): void {
  const { length } = timesUs;
  for (let row = 0; row < length; row++) {
    const timeUs = timesUs[row];
    const high = Math.floor(timeUs / 2 ** 32);
    halves[2 * row] = timeUs - high * 2 ** 32;
    halves[2 * row + 1] = high;
  }
}

function batchMessage(rowCount: number, nullCounts: readonly number[], bodyBytes: number): Buffer {
  const nodes = new Float64Array(2 * nullCounts.length);
  const buffers = new Float64Array(4 * nullCounts.length);
  let end = 0;
  for (let column = 0; column < nullCounts.length; column++) {
    const bitBytes = nullCounts[column] > 0 ? validityBytes(rowCount) : 0;
    nodes[2 * column] = rowCount;
    nodes[2 * column + 1] = nullCounts[column];
    buffers[4 * column] = end;
    buffers[4 * column + 1] = bitBytes;
    buffers[4 * column + 2] = end + bitBytes;
    buffers[4 * column + 3] = 8 * rowCount;
    end += bitBytes + 8 * rowCount;
  }
  return message(messageTypes.batch, table([int64(rowCount), pairs(nodes), pairs(buffers)]), bodyBytes);
}

const timeField = field(
  text(timeName),
  false,
  typeTags.timestamp,
  table([int16(timeUnits.indexOf('us')), text('UTC')]),
);

const seriesField = tablesWithText((name) =>
  field(name, true, typeTags.float, table([int16(precisions.indexOf('float64'))])),
);

function schemaHeader(keys: Iterable<string>, metadata: ReadonlyMap<string, string>): Target {
  const fields = [timeField, ...Array.from(keys, seriesField)];
  const entries = Array.from(metadata, ([key, value]) => table([text(key), text(value)]));
  return table([int16(0), vector(fields), vector(entries)]);
}

function field(name: Target, isNullable: boolean, typeTag: number, type: Target): Target {
  return table([name, uint8(isNullable ? 1 : 0), uint8(typeTag), type, null, vector([])]);
}

function message(type: number, header: Target, bodyBytes: number): Buffer {
  const metadata = flatBuffer(table([int16(versions.v5), uint8(type), header, int64(bodyBytes)]));
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(continuation);
  prefix.writeUInt32LE(metadata.length, 4);
  return Buffer.concat([prefix, metadata]);
}

const endMarker = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
