/** The file of what was left out: line number, reason, and the row's own fields, as CSV. */
import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import type { Reject } from './row.ts';

const firstColumns = ['line', 'reason'];

/** Writes rejects to a file that is made with the first of them. */
export class RejectsFile {
  readonly path: string;
  /** Rows that were written. */
  count = 0;
  /** Those of them of which nothing was stored. */
  rows = 0;
  readonly #titles: readonly string[];
  #file: FileHandle | null = null;

  /** `titles` names the fields of the rows. An older file at `path` is replaced. */
  constructor(path: string, titles: readonly string[]) {
    this.path = path;
    this.#titles = titles;
  }

  /** Adds one row; `isWhole` when nothing of it was stored. */
  async add({ line, reason, fields }: Reject, isWhole: boolean): Promise<void> {
    this.#file ??= await this.#create();
    await this.#file.write(csvLine([String(line), reason, ...fields]));
    this.count++;
    if (isWhole) this.rows++;
  }

  /** Removes the rejects of an earlier import when there are none now; another file at the path is left alone. */
  async removeStale(): Promise<void> {
    if (this.count > 0) return;
    const text = await readFile(this.path, 'utf8').catch(() => '');
    if (text.startsWith(`${firstColumns.join(',')},`)) await rm(this.path, { force: true });
  }

  /** Completes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  async #create(): Promise<FileHandle> {
    const file = await open(this.path, 'w');
    await file.write(csvLine([...firstColumns, ...this.#titles]));
    return file;
  }
}

function csvLine(fields: readonly string[]): string {
  return `${fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\n`;
}
