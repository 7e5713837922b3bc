/** What is wrong with lines: collected, since the other lines of a body are stored. */

import { PartFault } from '#model/error';

/** A line cannot be read; the message says why, as InfluxDB does where it has words for it. */
export class LineFault extends PartFault {
  override readonly name = 'LineFault';
}

/** One wrong line or value. */
export interface LineProblem {
  /** Counted from 1. */
  line: number;
  /** Of a line of which nothing is stored its text, cut; null: a field is not stored. */
  text: string | null;
  message: string;
  /** The message without what was sent, to be kept among the recent errors. */
  reason: string;
}

/** The most problems of a request that are answered one by one; all are counted. */
export const problemsDefault = 20;

/** The most characters of a line that a message repeats. */
const quotedMax = 120;

/** The problems of one body. */
export class LineProblems {
  readonly #max: number;
  readonly #first: LineProblem[] = [];
  readonly #firstTexts: LineProblem[] = [];
  #lines = 0;
  #texts = 0;
  #values = 0;

  /** Keeps the first `max` of them. */
  constructor(max: number) {
    this.#max = max;
  }

  /** The first of them, by their lines. */
  get first(): readonly LineProblem[] {
    return this.#first.toSorted((a, b) => a.line - b.line);
  }

  /** Lines of which nothing is stored. */
  get lineCount(): number {
    return this.#lines;
  }

  /** Fields that are not stored of lines that are. */
  get valueCount(): number {
    return this.#values;
  }

  /** The first strings of signals without states, by their lines. They are no problem of the request: see I2a. */
  get firstTexts(): readonly LineProblem[] {
    return this.#firstTexts.toSorted((a, b) => a.line - b.line);
  }

  /** Strings of signals without states. */
  get textCount(): number {
    return this.#texts;
  }

  get isEmpty(): boolean {
    return this.#lines + this.#values === 0;
  }

  /** A line of which nothing is stored. */
  addLine(line: number, text: string, reason: string): void {
    this.#lines++;
    this.#add(line, text, `unable to parse '${cut(text)}'`, reason);
  }

  /** A field that is not stored; the others of its line are. */
  addValue(line: number, field: string, reason: string): void {
    this.#values++;
    this.#add(line, null, `field '${cut(field)}' is not stored`, reason);
  }

  /** A string of a signal without states. */
  addText(line: number, field: string, reason: string): void {
    this.#texts++;
    this.#keep(this.#firstTexts, {
      line,
      text: null,
      message: `field '${cut(field)}' is not stored: ${reason}`,
      reason,
    });
  }

  #add(line: number, text: string | null, what: string, reason: string): void {
    this.#keep(this.#first, { line, text, message: `${what}: ${reason}`, reason });
  }

  #keep(list: LineProblem[], problem: LineProblem): void {
    if (list.length < this.#max) list.push(problem);
  }
}

function cut(text: string): string {
  return text.length > quotedMax ? `${text.slice(0, quotedMax)}…` : text;
}
