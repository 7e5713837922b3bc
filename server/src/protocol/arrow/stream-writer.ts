/** Writes a data frame as an Arrow stream: a schema, and batches of rows (W5e). */
import type { Frame } from '#model/frame';
import {
  flatBuffer,
  int16,
  int64,
  pairs,
  type Target,
  table,
  text,
  uint8,
  vector,
} from './flatbuffer-writer.ts';
import { continuation, messageTypes, precisions, timeName, timeUnits, typeTags, versions } from './format.ts';

/** Rows of a batch. */
const batchRows = 64 * 1024;

/** A piece is passed on when it has so many bytes: about 0.1 ms of work. */
const pieceBytes = 64 * 1024;

/** Values whose nulls are counted in one step: about a millisecond. */
const countedValues = 1024 * 1024;

const noBytes = Buffer.alloc(0);

/**
 * The bytes of a stream in pieces of at most 128 KiB; an empty piece where other work may run. `metadata` goes into the schema. Columns have no buffer of nulls
 * in a batch without nulls.
 */
export function* streamPieces(
  frame: Frame,
  metadata: ReadonlyMap<string, string>,
): Generator<Buffer, void, undefined> {
  const pieces = new Pieces();
  yield* pieces.add(message(messageTypes.schema, schemaHeader(frame.series.keys(), metadata), 0));
  for (let start = 0; start < frame.timesUs.length; start += batchRows) {
    yield* batchPieces(pieces, frame, start, Math.min(frame.timesUs.length, start + batchRows));
  }
  yield* pieces.add(endMarker);
  yield pieces.take();
}

/** Collects bytes to pieces. */
class Pieces {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Adds bytes, which are copied before the next step. */
  *add(bytes: Uint8Array): Generator<Buffer, void, undefined> {
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      const part = bytes.subarray(start, start + pieceBytes);
      this.#parts.push(part);
      this.#length += part.length;
      if (this.#length >= pieceBytes) yield this.take();
    }
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
  const columns = [...frame.series.values()].map((column) => column.subarray(start, end));
  const nullCounts: number[] = [0];
  for (const [index, column] of columns.entries()) {
    nullCounts.push(countNulls(column));
    if (((index + 1) * rowCount) % countedValues < rowCount) yield noBytes;
  }
  yield* pieces.add(batchMessage(rowCount, nullCounts));
  yield* timesPieces(pieces, frame.timesUs.subarray(start, end));
  for (const [index, column] of columns.entries()) {
    if (nullCounts[index + 1] > 0) yield* pieces.add(validity(column));
    yield* pieces.add(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
}

function countNulls(column: Float64Array): number {
  let count = 0;
  for (let row = 0; row < column.length; row++) if (Number.isNaN(column[row])) count++;
  return count;
}

/** A bit for each row, set where there is a value; padded to a multiple of 8 bytes. */
function validity(column: Float64Array): Uint8Array {
  const bits = new Uint8Array(validityBytes(column.length));
  for (let row = 0; row < column.length; row++) {
    if (!Number.isNaN(column[row])) bits[row >> 3] |= 1 << (row & 7);
  }
  return bits;
}

function validityBytes(rowCount: number): number {
  return Math.ceil(rowCount / 64) * 8;
}

function* timesPieces(pieces: Pieces, timesUs: Float64Array): Generator<Buffer, void, undefined> {
  const halves = new Int32Array(2 * timesUs.length);
  for (let row = 0; row < timesUs.length; row++) {
    halves[2 * row] = timesUs[row] % 2 ** 32;
    halves[2 * row + 1] = Math.floor(timesUs[row] / 2 ** 32);
  }
  yield* pieces.add(new Uint8Array(halves.buffer));
}

function batchMessage(rowCount: number, nullCounts: readonly number[]): Buffer {
  const nodes = new Float64Array(2 * nullCounts.length);
  const buffers = new Float64Array(4 * nullCounts.length);
  let end = 0;
  nullCounts.forEach((nullCount, column) => {
    const bitBytes = nullCount > 0 ? validityBytes(rowCount) : 0;
    nodes.set([rowCount, nullCount], 2 * column);
    buffers.set([end, bitBytes, end + bitBytes, 8 * rowCount], 4 * column);
    end += bitBytes + 8 * rowCount;
  });
  return message(messageTypes.batch, table([int64(rowCount), pairs(nodes), pairs(buffers)]), end);
}

function schemaHeader(keys: Iterable<string>, metadata: ReadonlyMap<string, string>): Target {
  const time = table([int16(timeUnits.indexOf('us')), text('UTC')]);
  const float = table([int16(precisions.indexOf('float64'))]);
  const fields = [field(timeName, false, typeTags.timestamp, time)];
  for (const key of keys) fields.push(field(key, true, typeTags.float, float));
  const entries = [...metadata].map(([key, value]) => table([text(key), text(value)]));
  return table([int16(0), vector(fields), vector(entries)]);
}

function field(name: string, isNullable: boolean, typeTag: number, type: Target): Target {
  return table([text(name), uint8(isNullable ? 1 : 0), uint8(typeTag), type, null, vector([])]);
}

function message(type: number, header: Target, bodyBytes: number): Buffer {
  const metadata = flatBuffer(table([int16(versions.v5), uint8(type), header, int64(bodyBytes)]));
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(continuation);
  prefix.writeUInt32LE(metadata.length, 4);
  return Buffer.concat([prefix, metadata]);
}

const endMarker = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
