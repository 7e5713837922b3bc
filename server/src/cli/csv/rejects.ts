/** The file of the rows that were left out: line number, reason, and the row's own fields, as CSV. */
import { type FileHandle, open } from 'node:fs/promises';
import type { Reject } from './row.ts';

/** Writes rejects to a file that is made with the first of them. */
export class RejectsFile {
  readonly path: string;
  /** How many were written. */
  count = 0;
  readonly #titles: readonly string[];
  #file: FileHandle | null = null;

  /** `titles` names the fields of the rows. An older file at `path` is replaced when there is a reject. */
  constructor(path: string, titles: readonly string[]) {
    this.path = path;
    this.#titles = titles;
  }

  /** Adds one row. */
  async add({ line, reason, fields }: Reject): Promise<void> {
    this.#file ??= await this.#create();
    await this.#file.write(csvLine([String(line), reason, ...fields]));
    this.count++;
  }

  /** Completes the file. */
  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  async #create(): Promise<FileHandle> {
    const file = await open(this.path, 'w');
    await file.write(csvLine(['line', 'reason', ...this.#titles]));
    return file;
  }
}

function csvLine(fields: readonly string[]): string {
  return `${fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\n`;
}
