/** Rows of text without quotes, which need no parser: a line is a row, and its fields are what is between the separators. */

/** A row and the number of the line on which it ends, from 1. */
export interface CsvRow {
  line: number;
  fields: string[];
}

/** Splits text into rows until it cannot: then `rest` and what follows are for a parser. */
export class PlainRows {
  readonly #separator: string;
  readonly #lengthMax: number;
  #ending: '\n' | '\r\n' | null = null;
  #rest = '';
  #lines = 0;

  /** Lines are not longer than `lengthMax` characters. */
  constructor(separator: string, lengthMax: number) {
    this.#separator = separator;
    this.#lengthMax = lengthMax;
  }

  /** How lines end; null: no line has ended yet. */
  get ending(): '\n' | '\r\n' | null {
    return this.#ending;
  }

  /** What has not been read: the line that is not complete, or all that is for a parser. */
  get rest(): string {
    return this.#rest;
  }

  /** The lines that have been read, empty ones included. */
  get lines(): number {
    return this.#lines;
  }

  /** The rows of the next text whose lines have ended; null when a parser has to go on. */
  take(text: string): CsvRow[] | null {
    const isQuoted = text.includes('"');
    this.#rest += text;
    if (isQuoted || this.#rest.length - text.length > this.#lengthMax || !this.#findEnding()) return null;
    if (this.#ending === null) return [];
    const lines = this.#rest.split(this.#ending);
    this.#rest = lines.pop() as string;
    return this.#rowsOf(lines);
  }

  /** The row of the last line, if it has not ended. */
  end(): CsvRow[] {
    return this.#rowsOf([this.#rest]);
  }

  /** False when lines end with a carriage return alone. */
  #findEnding(): boolean {
    if (this.#ending !== null) return true;
    const at = this.#rest.search(/[\r\n]/);
    if (at < 0 || (this.#rest[at] === '\r' && at === this.#rest.length - 1)) return true;
    if (this.#rest[at] === '\n') this.#ending = '\n';
    else if (this.#rest[at + 1] === '\n') this.#ending = '\r\n';
    return this.#ending !== null;
  }

  #rowsOf(lines: readonly string[]): CsvRow[] {
    const rows: CsvRow[] = [];
    for (const text of lines) {
      const line = ++this.#lines;
      if (text !== '') rows.push({ line, fields: text.split(this.#separator) });
    }
    return rows;
  }
}
