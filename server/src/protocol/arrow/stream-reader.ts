/** Reads an Arrow stream, the body of a request, into the columns of a data frame (W5b). */
import { Columns } from '#model/frame';
import { ProblemList } from '#model/problem-list';
import type { Steps } from '#model/steps';
import { type ColumnType, quoteValue } from './column-type.ts';
import { streamFault } from './fault.ts';
import { FlatTable } from './flatbuffer-reader.ts';
import { continuation, messageTypes, slots, versions } from './format.ts';
import { SchemaReader, type StreamSchema } from './schema-reader.ts';

/** A message of a stream. */
interface Message {
  /** Where it begins in the stream. */
  at: number;
  type: number;
  metadata: Uint8Array;
  header: FlatTable;
  body: Uint8Array;
  /** Where the next one begins. */
  end: number;
}

/** What a stream contains, before its values are read. */
export interface StreamOutline {
  schema: StreamSchema;
  rowCount: number;
  /** Where the first batch begins. */
  batchesAt: number;
  /** Memory of the columns. */
  bytes: number;
}

/** Rows that are converted at once. */
const stepRows = 64 * 1024;

/** Work of reading the metadata of a batch, and a value, ns. */
const batchWork = 2000;
const valueWork = 4;

/** Reads streams, one in a body. */
export class StreamReader {
  readonly #schemas = new SchemaReader();

  /**
   * Reads the schema, and counts the rows. `invalid-params` when it is no stream of such a frame; a stream is as long as its
   * rows need, so the columns take at most 8 times as much memory.
   */
  *outline(bytes: Uint8Array, seriesMax: number): Steps<StreamOutline> {
    const first = readMessage(bytes, 0);
    if (first?.type !== messageTypes.schema) throw streamFault('it must begin with its schema');
    const schema = this.#schemas.read(first.metadata, first.header, seriesMax);
    let rowCount = 0;
    for (let at = first.end; ; ) {
      const message = readMessage(bytes, at);
      if (message === null) break;
      rowCount += rowsOf(message, schema);
      at = message.end;
      yield batchWork;
    }
    return { schema, rowCount, batchesAt: first.end, bytes: 8 * rowCount * schema.types.length };
  }
}

/** Reads the values. `invalid-params` for any that is none, with its row. */
export function* readColumns(bytes: Uint8Array, outline: StreamOutline): Steps<Columns> {
  const { schema, rowCount, batchesAt } = outline;
  const seriesCount = schema.keys.length;
  const timesUs = new Float64Array(rowCount);
  const values = new Float64Array(rowCount * seriesCount);
  const problems = new ProblemList();
  let pointCount = 0;
  let row = 0;
  for (let message = readMessage(bytes, batchesAt); message !== null; ) {
    const batch = new Batch(message, schema);
    for (let column = 0; column <= seriesCount; column++) {
      const target = column === 0 ? timesUs : values.subarray((column - 1) * rowCount, column * rowCount);
      const path = column === 0 ? ['data', 'times'] : ['data', 'series', schema.keys[column - 1]];
      const place = { problems, path, row, mayBeNull: column > 0 };
      const count = yield* readPart(batch.column(column), target.subarray(row, row + batch.rowCount), place);
      if (column > 0) pointCount += count;
    }
    row += batch.rowCount;
    yield batchWork;
    message = readMessage(bytes, message.end);
  }
  problems.throwIfAny();
  return new Columns(timesUs, schema.keys, values, pointCount);
}

/** The number of rows of a batch, all of which its body contains. */
function rowsOf(message: Message, schema: StreamSchema): number {
  const { type, header, body } = message;
  if (type === messageTypes.dictionary) throw streamFault('dictionaries cannot be read; write plain columns');
  if (type !== messageTypes.batch)
    throw streamFault(`there is a message of type ${type} at byte ${message.at}`);
  if (header.table(slots.batch.compression) !== null)
    throw streamFault(
      'its buffers are compressed; write them without, and compress the body (Content-Encoding)',
    );
  const rows = header.size(slots.batch.rows);
  if (rows * schema.rowBytes <= body.length) return rows;
  throw streamFault(`the batch at byte ${message.at} is too short for ${rows} rows`);
}

/** A column of a batch as it is in the body. */
interface RawColumn {
  type: ColumnType;
  source: Uint8Array;
  /** A bit for each row, set where there is a value; null: everywhere. */
  valid: Uint8Array | null;
}

/** The columns of a batch, each checked when it is asked for. */
class Batch {
  readonly rowCount: number;
  readonly #message: Message;
  readonly #schema: StreamSchema;
  readonly #nodesAt: number;
  readonly #buffersAt: number;

  constructor(message: Message, schema: StreamSchema) {
    this.rowCount = rowsOf(message, schema);
    this.#message = message;
    this.#schema = schema;
    const nodes = message.header.structs(slots.batch.nodes, 16);
    const buffers = message.header.structs(slots.batch.buffers, 16);
    const columns = schema.types.length;
    if (nodes.count !== columns || buffers.count !== 2 * columns)
      throw this.#fault('has not the columns of the schema');
    this.#nodesAt = nodes.start;
    this.#buffersAt = buffers.start;
  }

  column(index: number): RawColumn {
    const { header } = this.#message;
    const node = this.#nodesAt + 16 * index;
    const type = this.#schema.types[index];
    if (header.sizeAt(node) !== this.rowCount) throw this.#fault('has columns of different lengths');
    const valid = this.#buffer(2 * index, Math.ceil(this.rowCount / 8), header.sizeAt(node + 8) === 0);
    const source = this.#buffer(2 * index + 1, this.rowCount * type.bytes, this.rowCount === 0);
    return { type, source, valid: valid.length === 0 ? null : valid };
  }

  /** A buffer of a length; it may be empty if `isOptional`. */
  #buffer(index: number, bytes: number, isOptional: boolean): Uint8Array {
    const { header, body } = this.#message;
    const at = this.#buffersAt + 16 * index;
    const start = header.sizeAt(at);
    const length = header.sizeAt(at + 8);
    if (length === 0 && isOptional) return body.subarray(0, 0);
    if (length < bytes || start + length > body.length) throw this.#fault('has a buffer outside of its body');
    return body.subarray(start, start + bytes);
  }

  #fault(words: string) {
    return streamFault(`the batch at byte ${this.#message.at} ${words}`);
  }
}

/** Where problems of a column are noted. */
interface Place {
  problems: ProblemList;
  path: readonly string[];
  /** The number of the first row in the stream. */
  row: number;
  mayBeNull: boolean;
}

/** Converts a column of a batch; returns how many values are not null. */
function* readPart(column: RawColumn, into: Float64Array, place: Place): Steps<number> {
  const { type, source, valid } = column;
  let count = 0;
  for (let start = 0; start < into.length; start += stepRows) {
    const end = Math.min(into.length, start + stepRows);
    type.read(source.subarray(start * type.bytes, end * type.bytes), into.subarray(start, end));
    if (valid !== null) clearNulls(into, valid, start, end);
    const numbers = countNumbers(into, start, end);
    if (numbers < end - start) noteProblems(column, into, start, end, place);
    count += numbers;
    yield valueWork * (end - start);
  }
  return count;
}

/** Replaces the values of rows that are null by NaN; `start` is a multiple of 8. */
function clearNulls(into: Float64Array, valid: Uint8Array, start: number, end: number): void {
  for (let row = start; row < end; row += 8) {
    const bits = valid[row >> 3];
    if (bits === 0xff) continue;
    for (let i = 0; i < 8 && row + i < end; i++) if (((bits >> i) & 1) === 0) into[row + i] = Number.NaN;
  }
}

function countNumbers(values: Float64Array, start: number, end: number): number {
  let count = 0;
  // x - x is 0 for every finite number.
  for (let row = start; row < end; row++) if (values[row] - values[row] === 0) count++;
  return count;
}

/** Notes each value that is not a number, unless it is a null that is allowed. */
function noteProblems(
  { type, source, valid }: RawColumn,
  into: Float64Array,
  start: number,
  end: number,
  { problems, path, row: firstRow, mayBeNull }: Place,
): void {
  for (let row = start; row < end; row++) {
    if (into[row] - into[row] === 0) continue;
    const isNull = valid !== null && ((valid[row >> 3] >> (row & 7)) & 1) === 0;
    if (isNull && mayBeNull) continue;
    const quoted = () => (isNull ? 'null' : quoteValue(type, source, row));
    problems.add([...path, firstRow + row], () => `must be ${type.rule}, got ${quoted()}`);
  }
}

const streamMagic = 'ARROW1';

/** The message that begins at a place; null for the marker of the end. */
function readMessage(bytes: Uint8Array, at: number): Message | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (at + 8 > bytes.length) throw streamFault('it ends before its end marker; close its writer');
  if (view.getUint32(at, true) !== continuation) throw noMessage(bytes, at);
  const metadataBytes = view.getUint32(at + 4, true);
  const bodyAt = at + 8 + metadataBytes;
  if (metadataBytes === 0) return requireEnd(bytes, bodyAt);
  if (bodyAt > bytes.length) throw cutOff(at);
  const metadata = bytes.subarray(at + 8, bodyAt);
  const table = FlatTable.root(metadata);
  const { version, headerType, header: headerSlot, bodyBytes } = slots.message;
  const header = table.table(headerSlot);
  if (header === null || table.int16(version) < versions.v4) throw noMessage(bytes, at);
  const end = bodyAt + table.size(bodyBytes);
  if (end > bytes.length) throw cutOff(at);
  return { at, type: table.uint8(headerType), metadata, header, body: bytes.subarray(bodyAt, end), end };
}

function requireEnd(bytes: Uint8Array, end: number): null {
  if (bytes.length === end) return null;
  throw streamFault(`${bytes.length - end} bytes follow its end marker; send one stream`);
}

function noMessage(bytes: Uint8Array, at: number) {
  const isFile =
    at === 0 && Buffer.from(bytes.subarray(0, streamMagic.length)).equals(Buffer.from(streamMagic));
  if (isFile) return streamFault('it is an Arrow file; write the streaming format');
  return streamFault(`no message of Arrow 0.15 or later begins at byte ${at}`);
}

function cutOff(at: number) {
  return streamFault(`the message at byte ${at} is cut off`);
}
