/** What a text format of exports is made of, and how its parts become pieces of bounded size. */
import type { ExportBlock } from '#model/export';

/** A text format, for one export. */
export interface TextFormat {
  /** What comes first. */
  head(): string;
  /** The rows of a block as texts of a few rows each, so that the event loop is held for about a millisecond between two. */
  rows(block: ExportBlock): Generator<string, void, void>;
  /** What comes last: where the export goes on, when it is cut; null: it is complete. */
  tail(next: string | null): string;
}

/** Texts are collected up to this length; about a millisecond of work. */
const textMax = 32 * 1024;

/** Joins lines to texts of about {@link textMax} characters. */
export class TextCollector {
  #text = '';

  /** Adds a line; the collected text when it is long enough, else null. */
  add(line: string): string | null {
    this.#text += line;
    return this.#text.length < textMax ? null : this.take();
  }

  /** What has been collected. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

/** The shortest text that is read as the same number, -0 included. */
export function printNumber(value: number): string {
  return value === 0 && 1 / value < 0 ? '-0' : String(value);
}
