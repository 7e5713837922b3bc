/**
 * Adds and removes blocks, and counts for each time column the blocks that refer to it. A column is added with the first block
 * that refers to it. One to which none refers any more is deleted later, a few at a time. The caller opens the transaction.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { bug } from '#model/error';
import { columnsIn } from '../codec/block.ts';
import { damagedColumn } from '../codec/block-times.ts';
import { isDamage } from './errors.ts';
import { checkOfNumbers } from './row-check.ts';

/** Something to be stored under an ID. */
export interface StoredBytes {
  id: number;
  data: Uint8Array;
}

/** Maximum number of time columns that one call deletes. */
const unusedMax = 64;

/** The tables of blocks and of time columns. */
export class BlockTable {
  readonly #select: StatementSync;
  readonly #remove: StatementSync;
  readonly #add: StatementSync;
  readonly #selectRefs: StatementSync;
  readonly #saveRefs: StatementSync;
  readonly #addColumn: StatementSync;
  readonly #removeColumn: StatementSync;
  readonly #selectUnused: StatementSync;

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('select data from series_block where id = ?');
    this.#remove = db.prepare('delete from series_block where id = ?');
    this.#add = db.prepare('insert into series_block (id, data) values (?, ?)');
    this.#selectRefs = db.prepare('select refs, row_check as "check" from series_times where id = ?');
    this.#saveRefs = db.prepare('update series_times set refs = ?, row_check = ? where id = ?');
    this.#addColumn = db.prepare('insert into series_times (id, refs, row_check, data) values (?, ?, ?, ?)');
    this.#removeColumn = db.prepare('delete from series_times where id = ?');
    this.#selectUnused = db.prepare(`select id from series_times where refs = 0 limit ${unusedMax}`);
  }

  /** Removes and adds blocks, and adds the time columns that are new in them. */
  change(removed: readonly number[], added: readonly StoredBytes[], columns: readonly StoredBytes[]): void {
    const changes = new Map<number, number>();
    const count = (data: Uint8Array, by: number) => {
      for (const id of columnsIn(data) ?? []) changes.set(id, (changes.get(id) ?? 0) + by);
    };
    for (const id of removed) {
      // The references of a block that cannot be read remain counted, so its columns are kept.
      const data = this.#read(id);
      if (data !== null) count(data, -1);
      this.#remove.run(id);
    }
    for (const { id, data } of added) {
      count(data, 1);
      this.#add.run(id, data);
    }
    for (const { id, data } of columns) {
      const refs = changes.get(id) ?? bug(`no block refers to the new time column ${id}`);
      this.#addColumn.run(id, refs, checkOfNumbers([id, refs]), data);
      changes.delete(id);
    }
    for (const [id, by] of changes) if (by !== 0) this.#changeRefs(id, by);
  }

  /** Deletes some of the time columns to which no block refers. Returns whether there may be more. */
  removeUnused(): boolean {
    const unused = this.#selectUnused.all().map(({ id }) => Number(id));
    const removed = unused.filter((id) => this.#refsOf(id) === 0);
    for (const id of removed) this.#removeColumn.run(id);
    return removed.length === unusedMax;
  }

  #read(id: number): Uint8Array | null {
    try {
      const data = this.#select.get(id)?.data;
      return data instanceof Uint8Array ? data : null;
    } catch (error) {
      if (isDamage(error)) return null;
      throw error;
    }
  }

  /** How many blocks refer to a column; null when the number is damaged: it is left as it is, and the column is kept. */
  #refsOf(id: number): number | null | undefined {
    const row = this.#selectRefs.get(id);
    if (row === undefined) return undefined;
    const refs = Number(row.refs);
    return Number(row.check) === checkOfNumbers([id, refs]) ? refs : null;
  }

  #changeRefs(id: number, by: number): void {
    const known = this.#refsOf(id);
    if (known === undefined && by > 0) throw damagedColumn(id, 'it is missing');
    if (known == null || known + by < 0) return;
    this.#saveRefs.run(known + by, checkOfNumbers([id, known + by]), id);
  }
}
