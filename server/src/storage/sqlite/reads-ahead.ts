/** What callers have read ahead of their transactions. */
import type { SqlStatement } from './messages.ts';
import type { SqlTable } from './sql-table.ts';

/** A read, and its result at that time. */
export interface ReadAhead {
  statement: SqlStatement;
  table: SqlTable;
}

/** The reads of each port since its last transaction, in their order. */
export class ReadsAhead {
  readonly #byPort = new Map<number, ReadAhead[]>();

  add(port: number, read: ReadAhead): void {
    const reads = this.#byPort.get(port);
    if (reads === undefined) this.#byPort.set(port, [read]);
    else reads.push(read);
  }

  /** Forgets them. */
  take(port: number): readonly ReadAhead[] {
    const reads = this.#byPort.get(port) ?? [];
    this.#byPort.delete(port);
    return reads;
  }
}
