/** The directory of blocks: where they are, and what is known of their points without decoding them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Summary } from '#model/tally';
import type { SignalSize } from '../store.ts';

/** One block of a signal. Blocks of a signal do not overlap in time. */
export interface BlockEntry extends Summary {
  /** Size of the block. */
  bytes: number;
  /** Its ID; never used again. */
  block: number;
}

/** The columns of a row, in the order of the table after `signal`. */
export const entryColumns = [
  'first_us',
  'last_us',
  'count',
  'sum',
  'sum_low',
  'min',
  'max',
  'm2',
  'first_value',
  'last_value',
  'bytes',
  'block',
] as const;

/** An entry as the values of {@link entryColumns}. NaN is stored as null. */
export function entryToRow(entry: BlockEntry): (number | null)[] {
  const { firstUs, lastUs, count, sum, sumLow, min, max, m2, first, last, bytes, block } = entry;
  return [firstUs, lastUs, count, sum, orNull(sumLow), min, max, orNull(m2), first, last, bytes, block];
}

/** The entry in the values of {@link entryColumns}. */
export function entryOf(row: readonly (number | null)[]): BlockEntry {
  const [firstUs, lastUs, count, sum, sumLow, min, max, m2, first, last, bytes, block] = row as number[];
  return {
    firstUs,
    lastUs,
    count,
    sum,
    sumLow: orNaN(sumLow),
    min,
    max,
    m2: orNaN(m2),
    first,
    last,
    bytes,
    block,
  };
}

function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function orNaN(value: number | null): number {
  return value ?? Number.NaN;
}

const select = `select ${entryColumns.join(', ')} from series_directory where signal = ?1`;

/** Reads entries through one connection. */
export class Directory {
  readonly #within: StatementSync;
  readonly #backward: StatementSync;
  readonly #forward: StatementSync;
  readonly #size: StatementSync;

  constructor(db: DatabaseSync) {
    const prepare = (sql: string) => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#within = prepare(
      `${select} and first_us < ?3 and last_us >= ?2 and first_us >= coalesce(
         (select max(first_us) from series_directory where signal = ?1 and first_us <= ?2), ?2) order by first_us`,
    );
    this.#backward = prepare(`${select} and first_us <= ?2 order by first_us desc limit ?3`);
    this.#forward = prepare(`${select} and first_us > ?2 order by first_us`);
    this.#size = prepare(
      'select coalesce(sum(count), 0), coalesce(sum(bytes), 0) from series_directory where signal = ?',
    );
  }

  /** The blocks that reach into `[startUs, endUs)`, ascending. */
  within(signal: number, startUs: number, endUs: number): BlockEntry[] {
    return this.#within.all(signal, startUs, endUs).map((row) => entryOf(asRow(row)));
  }

  /** Up to `limit` blocks that begin at `timeUs` or before it, the latest first. */
  backward(signal: number, timeUs: number, limit: number): BlockEntry[] {
    return this.#backward.all(signal, timeUs, limit).map((row) => entryOf(asRow(row)));
  }

  /** What all blocks of a signal have together. */
  size(signal: number): SignalSize {
    const [points, bytes] = this.#size.get(signal) as unknown as [number, number];
    return { points, bytes };
  }

  /** The blocks that begin after `timeUs`, ascending; read as far as they are taken. */
  *forward(signal: number, timeUs: number): Generator<BlockEntry> {
    for (const row of this.#forward.iterate(signal, timeUs)) yield entryOf(asRow(row));
  }
}

function asRow(row: unknown): (number | null)[] {
  return row as (number | null)[];
}
