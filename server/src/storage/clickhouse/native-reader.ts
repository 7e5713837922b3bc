/**
 * Reads ClickHouse's Native format of columns of Float64: blocks of a count of columns, a count of rows, and for each column
 * its name, its type and its values. An error that the server meets after it has begun to answer arrives as text in between.
 */
import { ServerFailure } from './failures.ts';

/** The columns of one block, of equal length. */
export type Block = readonly Float64Array[];

/** So many columns have a statement's answers at most; more are no block. */
const columnsMax = 16;

/** Reads the blocks of an answer of `columnCount` columns. Fails with a {@link ServerFailure} where it is no such answer. */
export async function* readBlocks(
  chunks: AsyncIterable<Uint8Array>,
  columnCount: number,
  origin: string,
): AsyncGenerator<Block> {
  const reader = new BlockReader(columnCount, origin);
  for await (const chunk of chunks) {
    reader.add(chunk);
    for (let block = reader.next(); block !== null; block = reader.next()) yield block;
  }
  reader.requireEnd();
}

class BlockReader {
  readonly #columnCount: number;
  readonly #origin: string;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Bytes without which there is no point in trying again. */
  #neededBytes = 1;

  constructor(columnCount: number, origin: string) {
    this.#columnCount = columnCount;
    this.#origin = origin;
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** The next block, if all of it has arrived. */
  next(): Block | null {
    if (this.#bytes < this.#neededBytes) return null;
    const bytes = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    const cursor = new Cursor(bytes);
    const block = this.#parse(cursor);
    if (block === null) return null;
    this.#chunks = [bytes.subarray(cursor.at)];
    this.#bytes = bytes.length - cursor.at;
    this.#neededBytes = 1;
    return block;
  }

  requireEnd(): void {
    if (this.#bytes > 0) throw this.#broken(Buffer.concat(this.#chunks));
  }

  #parse(cursor: Cursor): Block | null {
    const columnCount = cursor.number();
    if (Number.isNaN(columnCount)) return this.#waitFor(cursor.bytes.length + 1);
    if (columnCount !== this.#columnCount || columnCount > columnsMax) throw this.#broken(cursor.bytes);
    const rowCount = cursor.number();
    const columns: Float64Array[] = [];
    for (let i = 0; i < columnCount; i++) {
      cursor.skipText();
      const type = cursor.text();
      if (type === null || Number.isNaN(rowCount)) return this.#waitFor(cursor.bytes.length + 1);
      if (type !== 'Float64') throw this.#broken(cursor.bytes);
      const column = cursor.floats(rowCount);
      if (column === null) return this.#waitFor(cursor.at + 8 * rowCount * (columnCount - i));
      columns.push(column);
    }
    return columns;
  }

  #waitFor(bytes: number): null {
    this.#neededBytes = bytes;
    return null;
  }

  #broken(bytes: Uint8Array): ServerFailure {
    const text = Buffer.from(bytes.subarray(0, 500)).toString('latin1').trim();
    return new ServerFailure(this.#origin, new Error(`the answer ended with: ${text}`));
  }
}

/** Reads values one after another; each read fails, with NaN or null, where the bytes end. */
class Cursor {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** A number in groups of seven bits, the lowest first. */
  number(): number {
    let value = 0;
    for (let factor = 1; this.at < this.bytes.length; factor *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    return Number.NaN;
  }

  text(): string | null {
    const start = this.#textStart();
    return start === -1 ? null : Buffer.from(this.bytes.subarray(start, this.at)).toString('latin1');
  }

  skipText(): void {
    this.#textStart();
  }

  floats(count: number): Float64Array | null {
    if (this.at + 8 * count > this.bytes.length) return null;
    const column = new Float64Array(count);
    new Uint8Array(column.buffer).set(this.bytes.subarray(this.at, this.at + 8 * count));
    this.at += 8 * count;
    return column;
  }

  #textStart(): number {
    const length = this.number();
    const start = this.at;
    if (!(start + length <= this.bytes.length)) {
      this.at = this.bytes.length;
      return -1;
    }
    this.at = start + length;
    return start;
  }
}
