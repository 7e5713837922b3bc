/** A batch of rows: where its columns are, and whether all of it is inside of its body. */
import type { ColumnType } from './column-type.ts';
import { streamFault } from './fault.ts';
import { readSize } from './flatbuffer-reader.ts';
import { messageTypes, slots } from './format.ts';
import type { Message } from './message.ts';
import type { StreamSchema } from './schema-reader.ts';

/** Rows of a column that are read at once; a multiple of 8. */
export const partRows = 64 * 1024;

/** The number of rows of a batch, all of which its body contains. */
export function rowsOf(message: Message, schema: StreamSchema): number {
  const { type, header, bodyAt, end } = message;
  if (type === messageTypes.dictionary) throw streamFault('dictionaries cannot be read; write plain columns');
  if (type !== messageTypes.batch)
    throw streamFault(`there is a message of type ${type} at byte ${message.at}`);
  if (header.table(slots.batch.compression) !== null)
    throw streamFault(
      'its buffers are compressed; write them without, and compress the body (Content-Encoding)',
    );
  const rows = header.size(slots.batch.rows);
  if (rows * schema.rowBytes <= end - bodyAt) return rows;
  throw streamFault(`the batch at byte ${message.at} is too short for ${rows} rows`);
}

/** The columns of a batch, in parts of at most {@link partRows} rows. Each is checked when it is asked for. */
export class Batch {
  /** The next part to be read. */
  next = 0;
  readonly view: DataView;
  readonly rowCount: number;
  /** 0 for a batch without rows. */
  readonly partsPerColumn: number;
  readonly types: readonly ColumnType[];
  readonly #message: Message;
  readonly #nodesAt: number;
  readonly #buffersAt: number;

  constructor(message: Message, schema: StreamSchema) {
    this.view = message.view;
    this.types = schema.types;
    this.rowCount = rowsOf(message, schema);
    this.partsPerColumn = Math.ceil(this.rowCount / partRows);
    this.#message = message;
    const nodes = message.header.structs(slots.batch.nodes, 16);
    const buffers = message.header.structs(slots.batch.buffers, 16);
    const columns = schema.types.length;
    if (nodes.count !== columns || buffers.count !== 2 * columns)
      throw this.#fault('has not the columns of the schema');
    this.#nodesAt = message.metadataAt + nodes.start;
    this.#buffersAt = message.metadataAt + buffers.start;
  }

  /** The parts of all columns, one column after the other. */
  get partCount(): number {
    return this.partsPerColumn * this.types.length;
  }

  /** Where the values of a column begin in the stream. */
  valuesAt(column: number): number {
    return this.#bufferAt(2 * column + 1, this.rowCount * this.types[column].bytes);
  }

  /** Where the bits of a column begin, set for rows with a value; -1: every row has one. */
  bitsAt(column: number): number {
    const node = this.#nodesAt + 16 * column;
    if (readSize(this.view, node) !== this.rowCount) throw this.#fault('has columns of different lengths');
    const isAbsent = readSize(this.view, this.#buffersAt + 32 * column + 8) === 0;
    if (isAbsent && readSize(this.view, node + 8) === 0) return -1;
    return this.#bufferAt(2 * column, Math.ceil(this.rowCount / 8));
  }

  #bufferAt(index: number, bytes: number): number {
    const { bodyAt, end } = this.#message;
    const at = this.#buffersAt + 16 * index;
    const start = bodyAt + readSize(this.view, at);
    if (readSize(this.view, at + 8) < bytes || start + bytes > end)
      throw this.#fault('has a buffer outside of its body');
    return start;
  }

  #fault(words: string) {
    return streamFault(`the batch at byte ${this.#message.at} ${words}`);
  }
}
