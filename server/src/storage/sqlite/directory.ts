/**
 * The directory of blocks: their IDs, time ranges and statistics, which are available without decoding the blocks. Each row has
 * a checksum and a link to the row before it, and `series_signal` names the last row of each signal, so readers detect both
 * damaged and missing rows.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LruCache } from '#model/lru-cache';
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

/** The entry in the values of {@link entryColumns}, which begin at an index. */
export function entryOf(row: readonly (number | null)[], at = 0): BlockEntry {
  const values = row as readonly number[];
  return {
    firstUs: values[at],
    lastUs: values[at + 1],
    count: values[at + 2],
    sum: values[at + 3],
    sumLow: orNaN(row[at + 4]),
    min: values[at + 5],
    max: values[at + 6],
    m2: orNaN(row[at + 7]),
    first: values[at + 8],
    last: values[at + 9],
    crc: row[at + 10],
    bytes: values[at + 11],
    block: values[at + 12],
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

/** The entries of a signal that begin from one time to another, both included: all of them. */
interface KnownEntries {
  fromUs: number;
  toUs: number;
  entries: readonly BlockEntry[];
}

/** Entries that a thread keeps: about 2 MB. */
const keptEntriesMax = 8192;

/** The entries that were read last, by signal. */
type KnownBySignal = LruCache<number, KnownEntries>;

/** What the readers of a thread know of the directory as of the newest step: it changes only with the step of the state. */
export class EntryMemory {
  #known = newKnown();
  #step = -1;

  /** What is known as of a step: another memory for each, since a reader may still be in the snapshot of the step before. */
  asOf(step: number): KnownBySignal {
    if (step !== this.#step) this.#known = newKnown();
    this.#step = step;
    return this.#known;
  }
}

function newKnown(): KnownBySignal {
  return new LruCache(keptEntriesMax, ({ entries }) => 1 + entries.length);
}

/** Reads entries through one connection. Everything fails with a {@link StoredDamage} that names the signal. */
export class Directory {
  /** What is known of the directory in this snapshot. */
  known = newKnown();
  readonly #around: StatementSync;
  readonly #record: (signal: number) => SignalRecord | null;

  constructor(db: DatabaseSync) {
    const first = (condition: string, order: string, place: string) =>
      `(select first_us from series_directory where signal = ?1 and ${condition} order by first_us ${order} limit 1 offset ${place} - 1)`;
    this.#around = db.prepare(
      `select signal, ${entryColumns.join(', ')}, previous_us, row_check from series_directory where signal = ?1
         and first_us >= coalesce(${first('first_us <= ?2', 'desc', '?4')}, -9e999)
         and first_us <= coalesce(${first('first_us >= ?3 and first_us > ?2', '', '?5')}, 9e999)
         order by first_us`,
    );
    this.#around.setReturnArrays(true);
    this.#record = recordReader(db);
  }

  /**
   * The blocks that begin between two times, with up to `before` blocks that begin at `startUs` or before it, and up to `after`
   * blocks that begin after it, at `endUs` or later; each at least 1. Ascending.
   */
  around(signal: number, startUs: number, endUs: number, before: number, after: number): BlockEntry[] {
    const rows = this.#around.all(signal, startUs, endUs, before, after).map((row) => linkedOf(signal, row));
    for (let i = 1; i < rows.length; i++) requireLink(signal, rows[i - 1].entry, rows[i]);
    const entries = rows.map(({ entry }) => entry);
    const isAtStart = entries.length < before || entries[before - 1].firstUs > startUs;
    if (isAtStart && rows.length > 0) requireLink(signal, null, rows[0]);
    const earliest = entries.at(-after);
    const isAtEnd = earliest === undefined || earliest.firstUs < endUs || earliest.firstUs <= startUs;
    if (isAtEnd) this.#requireLast(signal, entries.at(-1));
    return entries;
  }

  /** The blocks that overlap `[startUs, endUs)`, ascending. */
  within(signal: number, startUs: number, endUs: number): BlockEntry[] {
    if (!(endUs > startUs)) return [];
    const known = this.known.get(signal);
    const isKnown = known !== undefined && known.fromUs <= startUs && endUs <= known.toUs;
    const { entries } = isKnown ? known : this.#read(signal, startUs, endUs);
    return entries.filter(({ firstUs, lastUs }) => lastUs >= startUs && firstUs < endUs);
  }

  #read(signal: number, startUs: number, endUs: number): KnownEntries {
    const entries = this.around(signal, startUs, endUs, 1, 1);
    const firstUs = entries[0]?.firstUs ?? Number.POSITIVE_INFINITY;
    const lastUs = entries.at(-1)?.firstUs ?? Number.NEGATIVE_INFINITY;
    const found = {
      fromUs: firstUs <= startUs ? firstUs : Number.NEGATIVE_INFINITY,
      toUs: lastUs >= endUs ? lastUs : Number.POSITIVE_INFINITY,
      entries,
    };
    this.known.set(signal, found);
    return found;
  }

  /** The total size of all blocks of a signal. */
  size(signal: number): SignalSize {
    const record = this.#record(signal);
    if (record === null) {
      const [first] = this.around(signal, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 1, 1);
      this.#requireLast(signal, first);
    }
    return { points: record?.points ?? 0, bytes: record?.bytes ?? 0 };
  }

  /** Fails unless an entry is the signal's last one; undefined: unless it has none. */
  #requireLast(signal: number, last: BlockEntry | undefined): void {
    if ((this.#record(signal)?.lastFirstUs ?? null) !== (last?.firstUs ?? null)) {
      throw damaged(signal, 'entries at its end are missing');
    }
  }
}

/** Fails when an entry is not linked to the one before it. */
function requireLink(signal: number, before: BlockEntry | null, next: LinkedEntry): void {
  if (next.previousUs === (before?.firstUs ?? null)) return;
  throw damaged(signal, `an entry before block ${next.entry.block} is missing`);
}

/** The entry in a row of {@link Directory.around}: signal, {@link entryColumns}, link, checksum. */
function linkedOf(signal: number, found: unknown): LinkedEntry {
  const row = found as (number | null)[];
  const linkAt = entryColumns.length + 1;
  const check = addChecks(checkOfNumbers(row, linkAt), checkOfLink(row[linkAt]));
  if (row[0] !== signal || row[linkAt + 1] !== check)
    throw damaged(signal, 'an entry differs from its checksum');
  return { entry: entryOf(row, 1), previousUs: row[linkAt] };
}

function damaged(signal: number, what: string): StoredDamage {
  return new StoredDamage(
    `the directory of the blocks of signal ${signal} in tidemark.db is damaged: ${what}; restore a backup`,
    signal,
  );
}
