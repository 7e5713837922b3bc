/**
 * The directory of blocks: their IDs, time ranges and statistics, which are available without decoding the blocks. Each row has
 * a checksum and a link to the row before it, and `series_signal` names the last row of each signal, so readers detect both
 * damaged and missing rows.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Summary } from '#model/tally';
import { StoredDamage } from '../codec/damage.ts';
import type { SignalSize } from '../store.ts';
import { addChecks, checkOfNumbers } from './row-check.ts';

/** One block of a signal. Blocks of a signal do not overlap in time. */
export interface BlockEntry extends Summary {
  /** The checksum in the block's header; null when the entry was written by a release that did not store it. */
  crc: number | null;
  /** Size of the block. */
  bytes: number;
  /** The block's ID; never reused. */
  block: number;
}

/** The columns of a row, in the order of the table after `signal`, without link and checksum. */
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
  'crc',
  'bytes',
  'block',
] as const;

/** An entry as the values of {@link entryColumns}. NaN is stored as null. */
export function entryToRow(entry: BlockEntry): (number | null)[] {
  const { firstUs, lastUs, count, sum, sumLow, min, max, m2, first, last, crc, bytes, block } = entry;
  return [firstUs, lastUs, count, sum, orNull(sumLow), min, max, orNull(m2), first, last, crc, bytes, block];
}

/** The entry in the values of {@link entryColumns}. */
export function entryOf(row: readonly (number | null)[]): BlockEntry {
  const [firstUs, lastUs, count, sum, sumLow, min, max, m2, first, last, crc, bytes, block] = row as number[];
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
    crc,
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

/** An entry, and the first time of the signal's block before it; null for the first block. */
export interface LinkedEntry {
  entry: BlockEntry;
  previousUs: number | null;
}

/** The checksum of a row: that of its signal and {@link entryColumns}, and that of its link. */
export function checkOfEntry(
  signal: number,
  row: readonly (number | null)[],
  previousUs: number | null,
): number {
  return addChecks(checkOfNumbers([signal, ...row]), checkOfLink(previousUs));
}

/** The part of {@link checkOfEntry} that changes when the block before another one changes. */
export function checkOfLink(previousUs: number | null): number {
  return checkOfNumbers([previousUs]);
}

/** The sums over the blocks of a signal. */
export interface SignalRecord extends SignalSize {
  signal: number;
  blocks: number;
  /** The first time of the signal's last block. */
  lastFirstUs: number;
}

/** The checksum of a {@link SignalRecord}. */
export function checkOfRecord({ signal, points, bytes, blocks, lastFirstUs }: SignalRecord): number {
  return checkOfNumbers([signal, points, bytes, blocks, lastFirstUs]);
}

/** Reads the row of a signal in `series_signal`; null when there is none. Fails with a {@link StoredDamage}. */
export function recordReader(db: DatabaseSync): (signal: number) => SignalRecord | null {
  const statement = db.prepare(
    'select signal, points, bytes, blocks, last_first_us, row_check from series_signal where signal = ?',
  );
  statement.setReturnArrays(true);
  return (asked) => {
    const row = statement.get(asked) as unknown as number[] | undefined;
    if (row === undefined) return null;
    const [signal, points, bytes, blocks, lastFirstUs, check] = row;
    const record = { signal, points, bytes, blocks, lastFirstUs };
    if (signal !== asked || check !== checkOfRecord(record))
      throw damaged(asked, 'its row of series_signal differs');
    return record;
  };
}

const select = `select signal, row_check, previous_us, ${entryColumns.join(', ')} from series_directory where signal = ?1`;

/** Reads entries through one connection. Everything fails with a {@link StoredDamage} that names the signal. */
export class Directory {
  readonly #within: StatementSync;
  readonly #backward: StatementSync;
  readonly #next: StatementSync;
  readonly #forward: StatementSync;
  readonly #record: (signal: number) => SignalRecord | null;

  constructor(db: DatabaseSync) {
    const prepare = (sql: string) => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#within = prepare(
      `${select} and first_us < ?3 and first_us >= coalesce(
         (select max(first_us) from series_directory where signal = ?1 and first_us <= ?2), ?2) order by first_us`,
    );
    this.#backward = prepare(`${select} and first_us <= ?2 order by first_us desc limit ?3`);
    this.#next = prepare(`${select} and first_us >= ?2 order by first_us limit 1`);
    this.#forward = prepare(`${select} and first_us > ?2 order by first_us`);
    this.#record = recordReader(db);
  }

  /** The blocks that overlap `[startUs, endUs)`, ascending. */
  within(signal: number, startUs: number, endUs: number): BlockEntry[] {
    const rows = this.#within.all(signal, startUs, endUs).map((row) => linkedOf(signal, row));
    if (endUs > startUs) {
      requireChain(signal, rows);
      if (rows.length === 0 || rows[0].entry.firstUs > startUs) requireLink(signal, null, rows[0]);
      this.#requireEnd(signal, rows.at(-1), this.#next.get(signal, endUs));
    }
    return rows.map(({ entry }) => entry).filter(({ lastUs }) => lastUs >= startUs);
  }

  /** Up to `limit` blocks that begin at `timeUs` or before it, the latest first. */
  backward(signal: number, timeUs: number, limit: number): BlockEntry[] {
    const rows = this.#backward.all(signal, timeUs, limit).map((row) => linkedOf(signal, row));
    const ascending = rows.toReversed();
    requireChain(signal, ascending);
    if (rows.length < limit) requireLink(signal, null, ascending[0]);
    this.#requireEnd(signal, rows[0], this.#forward.get(signal, timeUs));
    return rows.map(({ entry }) => entry);
  }

  /** The total size of all blocks of a signal. */
  size(signal: number): SignalSize {
    const record = this.#record(signal);
    if (record === null)
      this.#requireEnd(signal, undefined, this.#next.get(signal, Number.NEGATIVE_INFINITY));
    return { points: record?.points ?? 0, bytes: record?.bytes ?? 0 };
  }

  /** The blocks that begin after `timeUs`, ascending; rows are read lazily. */
  *forward(signal: number, timeUs: number): Generator<BlockEntry> {
    let [last] = this.#backward.all(signal, timeUs, 1).map((row) => linkedOf(signal, row));
    for (const row of this.#forward.iterate(signal, timeUs)) {
      const next = linkedOf(signal, row);
      requireLink(signal, last?.entry ?? null, next);
      last = next;
      yield next.entry;
    }
    this.#requireLast(signal, last);
  }

  /** Fails when entries are missing between an entry and the following row, or the signal's last one if none follows. */
  #requireEnd(signal: number, last: LinkedEntry | undefined, behind: unknown): void {
    if (behind === undefined) this.#requireLast(signal, last);
    else if (last === undefined && this.#record(signal) === null)
      this.#requireLast(signal, linkedOf(signal, behind));
    else requireLink(signal, last?.entry ?? null, linkedOf(signal, behind));
  }

  #requireLast(signal: number, last: LinkedEntry | undefined): void {
    const record = this.#record(signal);
    if ((record?.lastFirstUs ?? null) !== (last?.entry.firstUs ?? null)) {
      throw damaged(signal, 'entries at its end are missing');
    }
  }
}

/** Fails when an entry is not linked to the one before it. */
function requireChain(signal: number, rows: readonly LinkedEntry[]): void {
  for (let i = 1; i < rows.length; i++) requireLink(signal, rows[i - 1].entry, rows[i]);
}

function requireLink(signal: number, before: BlockEntry | null, next: LinkedEntry | undefined): void {
  if (next === undefined || next.previousUs === (before?.firstUs ?? null)) return;
  throw damaged(signal, `an entry before block ${next.entry.block} is missing`);
}

/** The entry in a row; the statement's columns are those of `select`. */
function linkedOf(signal: number, found: unknown): LinkedEntry {
  const [ofSignal, check, previousUs, ...row] = found as (number | null)[];
  if (ofSignal !== signal || check !== checkOfEntry(signal, row, previousUs)) {
    throw damaged(signal, 'an entry differs from its checksum');
  }
  return { entry: entryOf(row), previousUs };
}

function damaged(signal: number, what: string): StoredDamage {
  return new StoredDamage(
    `the directory of the blocks of signal ${signal} in tidemark.db is damaged: ${what}; restore a backup`,
    signal,
  );
}
