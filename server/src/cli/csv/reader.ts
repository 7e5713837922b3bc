/** Reads a CSV file as a stream: first its head, to find out what it is, then every row in constant memory. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { CommandError } from '../usage.ts';
import { type Encoding, TextFileDecoder } from './decode.ts';
import { type CsvRow, PlainRows } from './plain-rows.ts';
import { type Preamble, readPreamble } from './preamble.ts';
import { ByteSource } from './source.ts';

/** Characters of the head: enough to see a few hundred rows. */
const headLengthMax = 64 * 1024;

/** No row is longer: a quote that is never closed is noticed instead of swallowing the file. */
const rowBytesMax = 1024 * 1024;

const dialect = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true } as const;

/** A CSV file, open for one pass. */
export class CsvReader {
  /** The lines before the first row. */
  readonly preamble: Preamble;
  readonly #source: ByteSource;
  readonly #decoder: TextFileDecoder;
  readonly #chunks: AsyncGenerator<string>;
  #head: string;

  private constructor(
    source: ByteSource,
    decoder: TextFileDecoder,
    chunks: AsyncGenerator<string>,
    head: string,
  ) {
    this.preamble = readPreamble(head);
    this.#head = head.slice(this.preamble.length);
    this.#source = source;
    this.#decoder = decoder;
    this.#chunks = chunks;
  }

  /** Opens a file, or standard input for `-`; `encoding` null: find it. Throws {@link UsageError} when it cannot be read. */
  static async open(path: string, encoding: Encoding | null = null): Promise<CsvReader> {
    const source = await ByteSource.open(path);
    const decoder = new TextFileDecoder(encoding);
    const chunks = decodeAll(source, decoder);
    let head = '';
    while (head.length < headLengthMax) {
      const next = await chunks.next();
      if (next.done) break;
      head += next.value;
    }
    return new CsvReader(source, decoder, chunks, head);
  }

  /** The encoding as far as it is known: null while the text is ASCII. */
  get encoding(): Encoding | null {
    return this.#decoder.encoding;
  }

  /** How much of the file has been read, 0..1; null when its size is not known. */
  get part(): number | null {
    const { bytesRead, bytesTotal } = this.#source;
    return bytesTotal === null || bytesTotal === 0 ? null : bytesRead / bytesTotal;
  }

  /** The whole lines of the file's beginning. */
  headText(): string {
    const text = this.#head.slice(0, headLengthMax);
    return text.slice(0, text.lastIndexOf('\n') + 1) || text;
  }

  /** The first rows, without reading on. */
  headRows(separator: string): string[][] {
    try {
      return parseNow(this.headText(), { ...this.#dialect(), delimiter: separator, to: 200 });
    } catch (error) {
      throw csvProblem(error);
    }
  }

  /** Every row from the first line on, in lists; to be called once. Throws {@link CommandError} where the file is not valid CSV. */
  async *rows(separator: string): AsyncGenerator<CsvRow[]> {
    const text = this.#text();
    const plain = new PlainRows(separator, rowBytesMax);
    let isPlain = this.preamble.lastComment === null;
    while (isPlain) {
      const next = await text.next();
      const rows = next.done ? plain.end() : plain.take(next.value);
      if (rows !== null) yield this.#numbered(rows);
      if (next.done) return;
      isPlain = rows !== null;
    }
    yield* this.#parsed(separator, plain, text);
  }

  #numbered(rows: CsvRow[]): CsvRow[] {
    for (const row of rows) row.line += this.preamble.lines;
    return rows;
  }

  /** The rows that a parser finds, behind those that needed none. */
  async *#parsed(
    separator: string,
    { rest, lines: linesBefore, ending }: PlainRows,
    text: AsyncGenerator<string>,
  ): AsyncGenerator<CsvRow[]> {
    const parser = parse({
      ...this.#dialect(),
      delimiter: separator,
      record_delimiter: ending ?? [],
      max_record_size: rowBytesMax,
      on_record: (fields: string[], { lines }) =>
        ({ line: lines + linesBefore + this.preamble.lines, fields }) as unknown as string[],
    });
    const fed = pipeline(Readable.from(withFirst(rest, text), { objectMode: true }), parser);
    fed.catch(() => {}); // The iteration below throws the same error.
    try {
      for await (const row of parser) yield [row as CsvRow];
      await fed;
    } catch (error) {
      throw csvProblem(error);
    }
  }

  #dialect(): object {
    const hasComments = this.preamble.lastComment !== null;
    return hasComments ? { ...dialect, comment: '#', comment_no_infix: true } : dialect;
  }

  async *#text(): AsyncGenerator<string> {
    yield this.#head;
    this.#head = '';
    yield* this.#chunks;
  }

  /** Closes the file. */
  [Symbol.dispose](): void {
    this.#source[Symbol.dispose]();
  }
}

async function* withFirst(first: string, others: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first !== '') yield first;
  yield* others;
}

async function* decodeAll(source: ByteSource, decoder: TextFileDecoder): AsyncGenerator<string> {
  for await (const chunk of source.chunks()) yield decoder.decode(chunk);
  yield decoder.end();
}

function csvProblem(error: unknown): unknown {
  const isCsv =
    error instanceof Error && 'code' in error && String((error as CsvError).code).startsWith('CSV_');
  return isCsv ? new CommandError(`the file is not a valid CSV file: ${error.message}`) : error;
}
