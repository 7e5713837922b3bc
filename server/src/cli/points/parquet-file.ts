/** Parquet files, read a group of rows at a time. The sole importer of hyparquet. */
import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import zlib from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { CommandError } from '../usage.ts';

/** What the values of a column are. `other`: what cannot be imported, such as lists. */
export type ColumnKind = 'time' | 'local-time' | 'number' | 'boolean' | 'text' | 'other';

/** A column. Times are given as µs, text as strings, integers of 64 bits as bigint, missing values as null or undefined. */
export interface ParquetColumn {
  name: string;
  kind: ColumnKind;
}

/** Consecutive rows. */
export interface ParquetPart {
  /** Counted from 1. */
  firstRow: number;
  rowCount: number;
  /** By the name of the column. */
  values: ReadonlyMap<string, ArrayLike<unknown>>;
}

/** A larger group of rows, decompressed, is not read: it is decoded as a whole. */
const groupBytesMax = 1024 ** 3;

const inflate = (decompress: (bytes: Uint8Array) => Buffer) => (bytes: Uint8Array) =>
  new Uint8Array(decompress(bytes));
const compressors: Compressors = {
  GZIP: inflate(zlib.gunzipSync),
  ZSTD: inflate(zlib.zstdDecompressSync),
  BROTLI: inflate(zlib.brotliDecompressSync),
};

const parsers = {
  timestampFromMilliseconds: (ms: bigint) => Number(ms) * 1000,
  timestampFromMicroseconds: Number,
  timestampFromNanoseconds: earlierUs,
  dateFromDays: (days: number) => days * 86_400e6,
  jsonFromBytes: (bytes: Uint8Array) => bytes && Buffer.from(bytes).toString(),
};

/** Finer than a microsecond is cut off, to the earlier one. */
function earlierUs(ns: bigint): number {
  const us = ns / 1000n;
  return Number(us * 1000n > ns ? us - 1n : us);
}

/** A file that is read once. */
export class ParquetFile {
  readonly columns: readonly ParquetColumn[];
  readonly #handle: FileHandle;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;

  private constructor(handle: FileHandle, file: AsyncBuffer, metadata: FileMetaData) {
    this.#handle = handle;
    this.#file = file;
    this.#metadata = metadata;
    this.columns = parquetSchema(metadata).children.map(({ element, children }) => {
      return { name: element.name, kind: children.length > 0 ? 'other' : kindOf(element) };
    });
  }

  /** Opens a file. Throws {@link CommandError} when it is not Parquet. */
  static async open(path: string): Promise<ParquetFile> {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      const file = { byteLength: size, slice: (start: number, end = size) => readSlice(handle, start, end) };
      return new ParquetFile(handle, file, await parquetMetadataAsync(file).catch(damaged));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Rows of the file. */
  get rowCount(): number {
    return Number(this.#metadata.num_rows);
  }

  /** All rows, of these columns. Throws {@link CommandError} where the file is damaged. */
  async *parts(columns: readonly string[]): AsyncGenerator<ParquetPart, void, void> {
    let rowStart = 0;
    for (const { num_rows, total_byte_size } of this.#metadata.row_groups) {
      const rowCount = Number(num_rows);
      if (total_byte_size > groupBytesMax)
        throw new CommandError(
          `the rows from ${rowStart + 1} on are a group of ${total_byte_size} bytes; write the file with groups of at most ${groupBytesMax}, for example of 100,000 rows`,
        );
      if (rowCount > 0) yield await this.#read(columns, rowStart, rowCount);
      rowStart += rowCount;
    }
  }

  async #read(columns: readonly string[], rowStart: number, rowCount: number): Promise<ParquetPart> {
    const pieces = new Map<string, ArrayLike<unknown>[]>(columns.map((name) => [name, []]));
    await parquetRead({
      ...{ file: this.#file, metadata: this.#metadata, columns: [...columns], compressors, parsers },
      ...{ rowStart, rowEnd: rowStart + rowCount, geoparquet: false },
      onChunk: ({ columnName, columnData }) => void pieces.get(columnName)?.push(columnData),
    }).catch(damaged);
    const values = [...pieces].map(([name, list]) => [name, joined(list)] as const);
    return { firstRow: rowStart + 1, rowCount, values: new Map(values) };
  }

  /** Closes the file. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#handle.close();
  }
}

async function readSlice(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) throw new Error('the file has become shorter');
    at += bytesRead;
  }
  return bytes.buffer;
}

function damaged(error: unknown): never {
  throw new CommandError(`the file is not a Parquet file that can be read: ${(error as Error).message}`);
}

function joined(pieces: readonly ArrayLike<unknown>[]): ArrayLike<unknown> {
  return pieces.length === 1 ? pieces[0] : pieces.flatMap((piece) => Array.from(piece));
}

const textTypes = ['STRING', 'ENUM', 'JSON'];
const textForms = ['UTF8', 'ENUM', 'JSON'];

const numberTypes = ['INT32', 'INT64', 'FLOAT', 'DOUBLE'];

function kindOf({ type, converted_type, logical_type, repetition_type }: SchemaElement): ColumnKind {
  if (type === undefined || repetition_type === 'REPEATED') return 'other';
  if (logical_type?.type === 'TIMESTAMP') return logical_type.isAdjustedToUTC ? 'time' : 'local-time';
  if (type === 'INT96' || converted_type?.startsWith('TIMESTAMP_')) return 'time';
  if (converted_type === 'DATE' || logical_type?.type === 'DATE') return 'local-time';
  if (type === 'BOOLEAN') return 'boolean';
  if (type === 'BYTE_ARRAY' && converted_type === undefined && logical_type === undefined) return 'text';
  if (textTypes.includes(logical_type?.type ?? '') || textForms.includes(converted_type ?? '')) return 'text';
  if (converted_type === 'DECIMAL' || logical_type?.type === 'FLOAT16') return 'number';
  const isPlain = logical_type === undefined || logical_type.type === 'INTEGER';
  return isPlain && numberTypes.includes(type) ? 'number' : 'other';
}
