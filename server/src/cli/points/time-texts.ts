/** The times of a file as text, of the form that the user has named, or of those that tell themselves apart. */
import { findTimeForm, type TimeForm, textForm } from '../csv/row-time.ts';
import type { RowTime } from '../csv/time-pattern.ts';

/** Reads the times of one file; numbers by the size of the first one. */
export class TimeTexts {
  readonly #given: TimeForm | null;
  #found: TimeForm | null = null;

  /** Null: RFC 3339 and its relatives, or numbers. */
  constructor(given: TimeForm | null) {
    this.#given = given;
  }

  /** Reads a time; null: it is none. */
  read(text: string): RowTime | null {
    if (this.#given !== null) return this.#given.read(text);
    const read = this.#found?.read(text) ?? null;
    if (read !== null) return read;
    const found = findTimeForm([text]);
    if (found === null || typeof found === 'string') return textForm.read(text);
    this.#found ??= found;
    return found.read(text);
  }
}
