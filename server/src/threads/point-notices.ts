/** Tells the threads of the process that there are new points. Without subscribers it costs a look at shared memory. */
import type { PointNotices } from '#storage/coordination';
import type { NumberTable, NumberTables } from './number-table.ts';

/** The notices as one thread gives and gets them. */
export class SharedPointNotices implements PointNotices {
  readonly #table: NumberTable;
  readonly #listeners = new Set<() => void>();
  #isWaiting = false;
  #isRaised = false;

  constructor(tables: NumberTables) {
    this.#table = tables.table('new points', { records: 16, fields: 1, evicts: true });
  }

  raise(): void {
    this.#table.wakeOthers(this.#isWaiting);
    if (this.#listeners.size > 0) this.#notify();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#watch();
    return () => void this.#listeners.delete(listener);
  }

  /** Once for all that is raised in one iteration of the event loop. */
  #notify(): void {
    if (this.#isRaised) return;
    this.#isRaised = true;
    setImmediate(() => {
      this.#isRaised = false;
      for (const listener of this.#listeners) listener();
    });
  }

  #watch(): void {
    if (this.#isWaiting || this.#listeners.size === 0) return;
    this.#isWaiting = true;
    this.#table.waitForOthers(() => {
      this.#isWaiting = false;
      this.#notify();
      this.#watch();
    });
  }
}
