/** Compares blocks with the directory, the directory with the sums of each signal, and time columns with the blocks that refer to them. */
import type { DatabaseSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { counted } from '#model/text';
import { columnsIn, decodeBlock } from '../codec/block.ts';
import { decodeColumn, type TimesOf } from '../codec/block-times.ts';
import { crcOf } from '../codec/sealed-bytes.ts';
import type { CheckReport } from '../store.ts';
import { summarise } from './cut.ts';
import {
  type BlockEntry,
  checkOfEntry,
  checkOfRecord,
  entryColumns,
  entryOf,
  recordReader,
  type SignalRecord,
} from './directory.ts';
import { checkOfNumbers } from './row-check.ts';
import { checksVersion, timesVersion } from './schema.ts';
import { columnReader, defaultTimesBytesMax, newTimesCache } from './time-columns.ts';

/** A block and its entry as they are stored; the entry's values are in the order of the directory's columns. */
type BlockRow = [
  signal: number,
  data: Uint8Array | null,
  previousUs: number | null,
  rowCheck: number,
  ...entry: (number | null)[],
];

function blocksWith(check: string, columns: readonly string[]): string {
  return `select d.signal, b.data, ${check}, ${columns.join(', ')}
    from series_directory d left join series_block b on b.id = d.block order by d.signal, d.first_us`;
}

const checkedBlocks = blocksWith(
  'd.previous_us, d.row_check',
  entryColumns.map((name) => `d.${name}`),
);

const uncheckedBlocks = blocksWith(
  'null, 0',
  entryColumns.map((name) => (name === 'crc' ? 'null' : `d.${name}`)),
);

/** What a check reports of blocks. */
type BlockReport = Pick<CheckReport, 'blocks' | 'points' | 'notes'>;

/** Checks all blocks, signal by signal in order of time, and counts them. */
export class BlockCheck {
  readonly #db: DatabaseSync;
  readonly #hasChecks: boolean;
  readonly #report: BlockReport;
  /** Undefined for formats without time columns. */
  readonly #timesOf: TimesOf | undefined;
  /** How many blocks refer to each time column. */
  readonly #refs = new Map<number, number>();
  /** The sums of the entries of each signal. */
  readonly #records = new Map<number, SignalRecord>();
  #signal = -1;
  #previousUs: number | null = null;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(db: DatabaseSync, version: number, report: BlockReport) {
    this.#db = db;
    this.#hasChecks = version >= checksVersion;
    this.#report = report;
    this.#timesOf =
      version >= timesVersion ? columnReader(db, newTimesCache(defaultTimesBytesMax)) : undefined;
  }

  /** What is wrong with blocks and their entries; `onPart` is called with the part that has been checked, 0..1. */
  *blocks(onPart: (part: number) => void): Generator<string> {
    const total = Number(this.#db.prepare('select count(*) as count from series_directory').get()?.count);
    const rows = this.#db.prepare(this.#hasChecks ? checkedBlocks : uncheckedBlocks);
    rows.setReturnArrays(true);
    for (const row of rows.iterate()) {
      const problem = this.#next(row as unknown as BlockRow);
      if (problem !== null) yield problem;
      if (this.#report.blocks % 256 === 0) onPart(this.#report.blocks / total);
    }
  }

  /** What is wrong with the sums of signals, after {@link blocks}. */
  *records(): Generator<string> {
    if (!this.#hasChecks) return;
    const left = new Set(this.#records.keys());
    const read = recordReader(this.#db);
    for (const { signal: number } of this.#db.prepare('select signal from series_signal').iterate()) {
      const signal = Number(number);
      const problem = recordProblem(() => read(signal), this.#records.get(signal));
      if (problem !== null) yield `signal ${signal}: ${problem}`;
      left.delete(signal);
    }
    for (const signal of left) yield `signal ${signal} has blocks, and no row in series_signal`;
  }

  /** What is wrong with time columns, after {@link blocks}. */
  *columns(): Generator<string> {
    if (this.#timesOf === undefined) return;
    const rows = this.#db.prepare('select id, refs, row_check, data from series_times');
    rows.setReturnArrays(true);
    let keptCount = 0;
    for (const row of rows.iterate()) {
      const [id, refs, check, data] = row as unknown as [number, number, number, Uint8Array];
      const found = this.#refs.get(id) ?? 0;
      if (check !== checkOfNumbers([id, refs])) yield `time column ${id}: its row differs from its checksum`;
      else if (refs < found) yield `time column ${id}: ${found} blocks refer to it, and not ${refs}`;
      else if (refs > found) keptCount++;
      const problem = problemOf(() => decodeColumn(data, id));
      if (problem !== null) yield problem;
    }
    if (keptCount > 0) this.#report.notes.push(keptNote(keptCount));
  }

  #next([signal, data, previousUs, rowCheck, ...values]: BlockRow): string | null {
    const entry = entryOf(values);
    const isFirst = signal !== this.#signal;
    const isOverlapping = !isFirst && entry.firstUs <= this.#lastUs;
    const linkUs = isFirst ? null : this.#previousUs;
    this.#signal = signal;
    this.#lastUs = entry.lastUs;
    this.#previousUs = entry.firstUs;
    this.#count(signal, entry);
    const name = `${entry.block} of signal ${signal}`;
    if (this.#hasChecks && rowCheck !== checkOfEntry(signal, values, previousUs)) {
      return `block ${name}: its row of series_directory differs from its checksum`;
    }
    if (this.#hasChecks && previousUs !== linkUs) {
      return `block ${name}: a row of series_directory before it is missing`;
    }
    if (data === null) return `block ${name} is missing`;
    if (isOverlapping) return `block ${name} begins before the one before it ends`;
    for (const id of columnsIn(data) ?? []) this.#refs.set(id, (this.#refs.get(id) ?? 0) + 1);
    return blockProblem(name, entry, data, this.#timesOf);
  }

  #count(signal: number, { firstUs, count, bytes }: BlockEntry): void {
    this.#report.blocks++;
    this.#report.points += count;
    const record = this.#records.get(signal) ?? { signal, points: 0, bytes: 0, blocks: 0, lastFirstUs: 0 };
    record.points += count;
    record.bytes += bytes;
    record.blocks++;
    record.lastFirstUs = firstUs;
    this.#records.set(signal, record);
  }
}

/** Deleting a damaged block leaves the number of references as it is, since the block cannot be read. */
function keptNote(count: number): string {
  return `${counted(count, 'time column')} ${count === 1 ? 'counts' : 'count'} more blocks than refer to ${count === 1 ? 'it' : 'them'}, as after a damaged block was deleted`;
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function recordProblem(read: () => SignalRecord | null, counted: SignalRecord | undefined): string | null {
  try {
    const record = read();
    const isSame =
      counted !== undefined && record !== null && checkOfRecord(record) === checkOfRecord(counted);
    return isSame ? null : 'its row of series_signal does not fit its blocks';
  } catch (error) {
    return messageOf(error);
  }
}

function problemOf(read: () => void): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function blockProblem(
  name: string,
  entry: BlockEntry,
  data: Uint8Array,
  timesOf: TimesOf | undefined,
): string | null {
  try {
    const points = decodeBlock(data, name, null, timesOf);
    if (data.length !== entry.bytes) return `block ${name} has ${data.length} bytes, not ${entry.bytes}`;
    if (entry.crc !== null && entry.crc !== crcOf(data))
      return `block ${name} is not the one in the directory`;
    return differenceOf(entry, points, name);
  } catch (error) {
    return messageOf(error);
  }
}

/** Sums may differ in their last digits, since another release may add in another order. */
const sumTolerance = 1e-9;

/** Describes the directory's statistics that do not match the points; null when all match. */
function differenceOf(entry: BlockEntry, points: Points, name: string): string | null {
  const found = summarise(points);
  for (const field of ['count', 'firstUs', 'lastUs', 'first', 'last', 'min', 'max'] as const) {
    // The directory's zeros have no sign.
    if (found[field] === entry[field]) continue;
    return `block ${name}: its ${field} is ${found[field]}, in the directory ${entry[field]}`;
  }
  const scale = Math.max(Math.abs(found.min), Math.abs(found.max)) * found.count;
  if (Number.isFinite(scale) && Math.abs(found.sum - entry.sum) > sumTolerance * scale) {
    return `block ${name}: its sum is ${found.sum}, in the directory ${entry.sum}`;
  }
  return null;
}
