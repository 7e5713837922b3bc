/**
 * Rows of the log that are kept although their points are in blocks, so that those who follow the log (log-changes.ts) may continue
 * where they were before a pause or a restart. A bounded number of the newest ones, which is small beside the other data.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** How many rows are kept; those that are not sealed yet count too. */
const rowsMax = 4096;
/** Bytes of data that are kept at most. */
export const keptBytesMax = 1024 * 1024;
/** Bytes that are kept in a small store: some hundred rows of a few values. */
const keptBytesMin = 64 * 1024;
/** The share of a store's other data that may be kept. */
const keptShare = 1 / 16;

const pagesInUse = `select (select page_count from pragma_page_count) - (select freelist_count from pragma_freelist_count),
  (select page_size from pragma_page_size)`;

/** Deletes all rows that need not be kept: points of theirs were deleted, and must not be read again. */
export const forgetSealedRows = 'delete from series_log where seq <= (select sealed_seq from series_state)';

/** Which rows are kept. */
export class KeptRows {
  readonly #selectNew: StatementSync;
  readonly #selectPages: StatementSync;
  /** The rows that are kept, oldest first, from {@link #from} on; their numbers have no gaps. */
  #bytes: number[] = [];
  #from = 0;
  #firstSeq = 0;
  #sum = 0;

  constructor(db: DatabaseSync) {
    this.#selectNew = db.prepare('select seq, length(data) from series_log where seq > ? order by seq');
    this.#selectNew.setReturnArrays(true);
    this.#selectPages = db.prepare(pagesInUse);
    this.#selectPages.setReturnArrays(true);
  }

  /** The number of the oldest row that is kept. Looks at each row once. */
  firstSeq(): number {
    const lastSeq = this.#firstSeq + this.#bytes.length - this.#from - 1;
    const rows = this.#selectNew.iterate(lastSeq) as unknown as Iterable<[number, number]>;
    for (const [seq, bytes] of rows) this.#add(seq, bytes);
    const bytesMax = this.#bytesMax();
    while (this.#count > rowsMax || (this.#sum > bytesMax && this.#count > 0)) this.#dropFirst();
    return this.#firstSeq;
  }

  get #count(): number {
    return this.#bytes.length - this.#from;
  }

  #bytesMax(): number {
    const [pages, pageBytes] = this.#selectPages.get() as unknown as [number, number];
    const otherBytes = pages * pageBytes - this.#sum;
    return Math.min(keptBytesMax, Math.max(keptBytesMin, otherBytes * keptShare));
  }

  #add(seq: number, bytes: number): void {
    if (this.#count === 0) this.#firstSeq = seq;
    this.#bytes.push(bytes);
    this.#sum += bytes;
  }

  #dropFirst(): void {
    this.#sum -= this.#bytes[this.#from++];
    this.#firstSeq++;
    if (this.#from < rowsMax) return;
    this.#bytes = this.#bytes.slice(this.#from);
    this.#from = 0;
  }
}
