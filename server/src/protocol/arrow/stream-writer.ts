/** Writes a data frame as an Arrow stream: a schema, and batches of rows (W5e). */
import type { Frame } from '#model/frame';
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

/** A piece is passed on when it has so many bytes: about 0.1 ms of work. */
const pieceBytes = 64 * 1024;

/** Values whose nulls are counted in one step: about a millisecond. */
const countedValues = 1024 * 1024;

const noBytes = Buffer.alloc(0);

/**
 * The bytes of a stream in pieces of at most 256 KiB; an empty piece where other work may run. `metadata` goes into the schema.
 * Columns have no buffer of nulls in a batch without nulls.
 */
export function* streamPieces(
  frame: Frame,
  metadata: ReadonlyMap<string, string>,
): Generator<Buffer, void, undefined> {
  const pieces = new Pieces();
  yield* pieces.addLarge(message(messageTypes.schema, schemaHeader(frame.series.keys(), metadata), 0));
  for (let start = 0; start < frame.timesUs.length; start += batchRows) {
    yield* batchPieces(pieces, frame, start, Math.min(frame.timesUs.length, start + batchRows));
  }
  pieces.add(endMarker);
  yield pieces.take();
}

/** Collects bytes to pieces. */
class Pieces {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Adds at most 128 KiB, which are copied when the piece is taken. */
  add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  /** Adds any number of bytes, and passes full pieces on. */
  *addLarge(bytes: Uint8Array): Generator<Buffer, void, undefined> {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      this.add(bytes.subarray(start, start + pieceBytes));
      if (this.isFull) yield this.take();
    }
  }

  get isFull(): boolean {
    return this.#length >= pieceBytes;
  }

  take(): Buffer {
    const piece = Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return piece;
  }
}

function* batchPieces(
  pieces: Pieces,
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
  yield* pieces.addLarge(batchMessage(rowCount, nullCounts));
  yield* pieces.addLarge(timeBytes(frame.timesUs.subarray(start, end)));
  for (let i = 0; i < columns.length; i++) {
    if (nullCounts[i + 1] > 0) pieces.add(validity(columns[i]));
    pieces.add(bytesOf(columns[i]));
    if (pieces.isFull) yield pieces.take();
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function countNulls(column: Float64Array): number {
  const { length } = column;
  let count = 0;
  for (let row = 0; row < length; row++) if (Number.isNaN(column[row])) count++;
  return count;
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

function timeBytes(timesUs: Float64Array): Uint8Array {
  const { length } = timesUs;
  const halves = new Uint32Array(2 * length);
  for (let row = 0; row < length; row++) {
    const timeUs = timesUs[row];
    const high = Math.floor(timeUs / 2 ** 32);
    halves[2 * row] = timeUs - high * 2 ** 32;
    halves[2 * row + 1] = high;
  }
  return bytesOf(halves);
}

function batchMessage(rowCount: number, nullCounts: readonly number[]): Buffer {
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
  return message(messageTypes.batch, table([int64(rowCount), pairs(nodes), pairs(buffers)]), end);
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
