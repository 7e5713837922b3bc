/** Reads a CSV file as a stream: first its head, to find out what it is, then every row in constant memory. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { CommandError, UsageError } from '../usage.ts';

/** A row and the number of the line on which it ends, from 1. */
export interface CsvRow {
  line: number;
  fields: string[];
}

/** Enough to see a few hundred rows. */
const headBytesMax = 64 * 1024;

/** No row is longer: a quote that is never closed is noticed instead of swallowing the file. */
const rowBytesMax = 1024 * 1024;

const dialect = { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true } as const;

/** A CSV file, open for one pass. */
export class CsvReader {
  /** The file's size; null when it is a pipe. */
  readonly bytesTotal: number | null;
  #head: Buffer;
  readonly #chunks: AsyncIterator<Buffer>;
  #bytesRead = 0;

  private constructor(chunks: AsyncIterator<Buffer>, head: Buffer, bytesTotal: number | null) {
    this.#chunks = chunks;
    this.#head = head;
    this.bytesTotal = bytesTotal;
  }

  /** Opens a file, or standard input for `-`. Throws {@link UsageError} when there is none. */
  static async open(path: string): Promise<CsvReader> {
    const bytesTotal = path === '-' ? null : await sizeOf(path);
    const stream: Readable = path === '-' ? process.stdin : createReadStream(path);
    const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    const head: Buffer[] = [];
    for (let bytes = 0; bytes < headBytesMax; ) {
      const next = await chunks.next();
      if (next.done) break;
      head.push(next.value);
      bytes += next.value.length;
    }
    return new CsvReader(chunks, Buffer.concat(head), bytesTotal);
  }

  /** Bytes that have been read so far. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** The whole lines of the file's beginning. */
  headText(): string {
    const text = this.#head.toString('utf8', 0, headBytesMax).replace(/^\ufeff/, '');
    return text.slice(0, text.lastIndexOf('\n') + 1) || text;
  }

  /** The first rows, without reading on. */
  headRows(separator: string): string[][] {
    try {
      return parseNow(this.headText(), { ...dialect, delimiter: separator, to: 200 });
    } catch (error) {
      throw csvProblem(error);
    }
  }

  /** Every row from the first line on; to be called once. Throws {@link CommandError} where the file is no CSV. */
  async *rows(separator: string): AsyncGenerator<CsvRow> {
    const parser = parse({
      ...dialect,
      delimiter: separator,
      max_record_size: rowBytesMax,
      on_record: (fields: string[], { lines }) => ({ line: lines, fields }) as unknown as string[],
    });
    const fed = pipeline(Readable.from(this.#bytes(), { objectMode: true }), parser);
    fed.catch(() => {}); // The iteration below throws the same error.
    try {
      for await (const row of parser) yield row as CsvRow;
      await fed;
    } catch (error) {
      throw csvProblem(error);
    }
  }

  async *#bytes(): AsyncGenerator<Buffer> {
    this.#bytesRead += this.#head.length;
    yield this.#head;
    this.#head = Buffer.alloc(0);
    for (let next = await this.#chunks.next(); !next.done; next = await this.#chunks.next()) {
      this.#bytesRead += next.value.length;
      yield next.value;
    }
  }

  /** Gives the file back. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `cannot read ${path}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}`,
    );
  });
  if (found.isDirectory()) throw new UsageError(`cannot read ${path}: it is a directory`);
  return found.size;
}

function csvProblem(error: unknown): unknown {
  const isCsv =
    error instanceof Error && 'code' in error && String((error as CsvError).code).startsWith('CSV_');
  return isCsv ? new CommandError(`the file is no CSV: ${error.message}`) : error;
}
