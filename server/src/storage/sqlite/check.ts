/** Checks all data in a store's file, and reports what is wrong with it. */
import type { DatabaseSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { counted } from '#model/text';
import { crcOf, decodeBlock } from '../codec/block.ts';
import { StoredDamage } from '../codec/damage.ts';
import { auditRowOf, type StoredAuditRow } from '../meta/audit.ts';
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';
import type { AuditRow } from '../meta-store.ts';
import type { CheckReport, SignalName, StoreInspection, StoreStats } from '../store.ts';
import { openFile } from './connection.ts';
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
import { decodeHead, decodeRow, decodeSignals } from './log-row.ts';
import { metadataProblems } from './metadata-checks.ts';
import { StateTable } from './state.ts';
import { readStats } from './stats.ts';

/** Maximum number of problems reported of one kind. */
const problemsMax = 20;

/** Inspects one committed state of a file. Blocks the thread. */
export class FileCheck implements StoreInspection {
  readonly #db: DatabaseSync;
  /** Files of format 1 have no checksums of rows. */
  readonly #hasChecks: boolean;
  readonly #report: CheckReport = {
    ...{ problems: [], notes: [] },
    ...{ pages: 0, signals: 0, blocks: 0, points: 0, logPoints: 0, logRows: 0 },
  };

  /** Opens a file that may be written at the same time. Fails as `openFile` does. */
  constructor(path: string) {
    this.#db = openFile(path);
    this.#db.exec('begin');
    this.#hasChecks = this.#number('pragma user_version') > 1;
  }

  /** Checks pages, blocks, the log, and what refers to what. */
  async check(onPart: (part: number) => void = () => {}): Promise<CheckReport> {
    for (const part of [
      () => this.#checkPages(),
      () => this.#checkState(),
      () => this.#checkBlocks(onPart),
      () => this.#checkUnused(),
      () => this.#checkLog(),
      () => this.#checkMetadata(),
      () => this.#checkReferences(),
      () => this.#count(),
    ]) {
      await this.#guarded(part);
    }
    return this.#report;
  }

  /** The rows of the audit, oldest first. */
  *auditRows(): Generator<AuditRow, void, undefined> {
    const rows = this.#rows<StoredAuditRow>('select * from audit order by seq');
    for (const row of rows) yield auditRowOf(row);
  }

  /** What the file holds. */
  stats(largestMax: number): Promise<StoreStats> {
    return readStats(async (sql, params) => this.#all(sql, params), largestMax);
  }

  /** The name of the signal with a number; null when there is none. */
  signalName(signal: number): SignalName | null {
    const [row] = this.#all('select id, integration, input from signal where number = ?', [signal]);
    return (row as unknown as SignalName | undefined) ?? null;
  }

  /** Closes the file. */
  close(): void {
    this.#db.close();
  }

  /** Runs a part of the check. An error is added to the problems, and the other parts still run. */
  async #guarded(part: () => void | Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#say(`the file cannot be read further: ${message}`);
    }
  }

  #say(problem: string): void {
    this.#report.problems.push(problem);
  }

  #all(sql: string, params: readonly SqlValue[]): SqlRow[] {
    return this.#db.prepare(sql).all(...params) as SqlRow[];
  }

  *#rows<Row = SqlRow>(sql: string): Generator<Row, void, undefined> {
    for (const row of this.#db.prepare(sql).iterate()) yield row as Row;
  }

  #number(sql: string): number {
    const [value] = Object.values(this.#db.prepare(sql).get() ?? {});
    return Number(value);
  }

  #checkPages(): void {
    this.#report.pages = this.#number('pragma page_count');
    for (const { integrity_check: found } of this.#rows(`pragma integrity_check(${problemsMax})`)) {
      if (found !== 'ok') this.#say(`pages: ${String(found).replaceAll('\n', ' ')}`);
    }
  }

  #checkState(): void {
    const [state] = [...this.#rows('select * from series_state')];
    if (state === undefined) throw new Error('series_state has no row');
    if (this.#hasChecks) this.#checkStateTables();
    const lastSeq = this.#number(
      "select coalesce(max(seq), 0) from sqlite_sequence where name = 'series_log'",
    );
    const lastBlock = this.#number('select coalesce(max(id), 0) from series_block');
    const [sealed, cycle] = [Number(state.sealed_seq), Number(state.cycle_seq)];
    if (sealed > cycle || cycle > lastSeq) {
      this.#say(`series_state: sealed through ${sealed}, cycle through ${cycle}, last row ${lastSeq}`);
    }
    if (Number(state.next_block) <= lastBlock) {
      this.#say(`series_state: the next block is ${state.next_block}, there is ${lastBlock} already`);
    }
  }

  #checkStateTables(): void {
    const table = new StateTable(this.#db);
    try {
      table.readDeleted(table.read());
    } catch (error) {
      if (!(error instanceof StoredDamage)) throw error;
      this.#say(error.message);
    }
  }

  #checkBlocks(onPart: (part: number) => void): void {
    const total = this.#number('select count(*) from series_directory');
    const rows = this.#db.prepare(this.#hasChecks ? checkedBlocks : uncheckedBlocks);
    rows.setReturnArrays(true);
    const check = new BlockCheck(this.#hasChecks);
    let problemCount = 0;
    for (const row of rows.iterate()) {
      const [signal, data, previousUs, rowCheck, ...entry] = row as unknown as BlockRow;
      const problem = check.next({ signal, data, previousUs, rowCheck, entry });
      if (problem !== null && ++problemCount <= problemsMax) this.#say(problem);
      if (check.blocks % 256 === 0) onPart(check.blocks / total);
    }
    if (problemCount > problemsMax) this.#say(`more blocks have problems: ${problemCount - problemsMax}`);
    const { blocks, points } = check;
    Object.assign(this.#report, { blocks, points });
    if (this.#hasChecks) this.#checkRecords(check.records);
  }

  /** Compares the record of each signal with its entries. */
  #checkRecords(records: ReadonlyMap<number, SignalRecord>): void {
    const left = new Map(records);
    const read = recordReader(this.#db);
    for (const { signal: number } of this.#rows('select signal from series_signal')) {
      const signal = Number(number);
      const problem = recordProblem(() => read(signal), records.get(signal));
      if (problem !== null) this.#say(`signal ${signal}: ${problem}`);
      left.delete(signal);
    }
    for (const signal of left.keys()) this.#say(`signal ${signal} has blocks, and no row in series_signal`);
  }

  #checkUnused(): void {
    const unused = 'select id from series_block except select block from series_directory';
    for (const { id } of this.#rows(`${unused} limit ${problemsMax}`)) {
      this.#say(`block ${id} is in no directory entry`);
    }
  }

  #checkLog(): void {
    const rows = this.#rows(
      'select seq, head, data from series_log where seq > (select sealed_seq from series_state) order by seq',
    );
    let problemCount = 0;
    let lastSeq = this.#number('select sealed_seq from series_state');
    const versionMin = this.#hasChecks ? 2 : 1;
    for (const { seq, head, data } of rows) {
      this.#report.logRows++;
      const problem =
        seq === lastSeq + 1
          ? logProblem(Number(seq), head as Uint8Array, data as Uint8Array, versionMin)
          : `rows of series_log are missing between ${lastSeq} and ${seq}`;
      lastSeq = Number(seq);
      if (problem !== null && ++problemCount <= problemsMax) this.#say(problem);
    }
    if (problemCount > problemsMax)
      this.#say(`more rows of the log have problems: ${problemCount - problemsMax}`);
    const given = this.#number("select coalesce(max(seq), 0) from sqlite_sequence where name = 'series_log'");
    if (lastSeq < given) this.#say(`rows of series_log are missing between ${lastSeq} and ${given + 1}`);
  }

  #checkMetadata(): void {
    let problemCount = 0;
    for (const problem of metadataProblems(this.#db)) {
      if (++problemCount <= problemsMax) this.#say(problem);
    }
    if (problemCount > problemsMax) this.#say(`more rows of metadata differ: ${problemCount - problemsMax}`);
  }

  async #count(): Promise<void> {
    const { signals, logPoints } = await this.stats(0);
    Object.assign(this.#report, { signals, logPoints });
  }

  #checkReferences(): void {
    const orphans = this.#number(
      `select count(*) from (select distinct signal from series_directory) d
         where not exists (select 1 from signal s where s.number = d.signal)`,
    );
    if (orphans > 0) {
      const what = `${counted(orphans, 'signal')} that ${orphans === 1 ? 'is gone still has' : 'are gone still have'} points`;
      this.#report.notes.push(`${what}; "tidemark retention run" deletes them`);
    }
    for (const [what, sql] of references) {
      const count = this.#number(`select count(*) from ${sql}`);
      if (count > 0) this.#say(`${count} ${what}`);
    }
  }
}

/** Queries for dangling references: the description of the problem, and the SQL. */
const references: readonly [string, string][] = [
  [
    'signals belong to an integration that does not exist',
    'signal where integration not in (select id from integration)',
  ],
  [
    'signals feed an item that does not exist',
    'signal where item is not null and item not in (select id from item)',
  ],
  [
    'credentials belong to an integration that does not exist',
    'credential where integration not in (select id from integration)',
  ],
  [
    'labels belong to a signal that does not exist',
    'signal_label where resource not in (select id from signal)',
  ],
  ['labels belong to an item that does not exist', 'item_label where resource not in (select id from item)'],
  [
    'signals have a number that is yet to be given',
    "signal where number >= (select next from sequence where name = 'signal')",
  ],
];

/** A block and its entry, as they are stored. */
interface StoredBlock {
  signal: number;
  data: Uint8Array | null;
  previousUs: number | null;
  rowCheck: number;
  /** In the order of the directory's columns. */
  entry: (number | null)[];
}

type BlockRow = [number, Uint8Array | null, number | null, number, ...(number | null)[]];

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

/** Compares blocks with the directory, signal by signal in order of time. */
class BlockCheck {
  blocks = 0;
  points = 0;
  /** The sums of the entries of each signal. */
  readonly records = new Map<number, SignalRecord>();
  readonly #hasChecks: boolean;
  #signal = -1;
  #previousUs: number | null = null;
  #lastUs = Number.NEGATIVE_INFINITY;

  constructor(hasChecks: boolean) {
    this.#hasChecks = hasChecks;
  }

  /** Returns what is wrong with the next block, or null. */
  next(stored: StoredBlock): string | null {
    const { signal, data } = stored;
    const entry = entryOf(stored.entry);
    if (signal !== this.#signal) {
      this.#lastUs = Number.NEGATIVE_INFINITY;
      this.#previousUs = null;
    }
    this.#signal = signal;
    const isOverlapping = entry.firstUs <= this.#lastUs;
    const linkUs = this.#previousUs;
    this.#lastUs = entry.lastUs;
    this.#previousUs = entry.firstUs;
    this.#count(signal, entry);
    const name = `${entry.block} of signal ${signal}`;
    if (this.#hasChecks && stored.rowCheck !== checkOfEntry(signal, stored.entry, stored.previousUs)) {
      return `block ${name}: its row of series_directory differs from its checksum`;
    }
    if (this.#hasChecks && stored.previousUs !== linkUs) {
      return `block ${name}: a row of series_directory before it is missing`;
    }
    if (data === null) return `block ${name} is missing`;
    if (isOverlapping) return `block ${name} begins before the one before it ends`;
    return blockProblem(name, entry, data);
  }

  #count(signal: number, { firstUs, count, bytes }: BlockEntry): void {
    this.blocks++;
    this.points += count;
    const record = this.records.get(signal) ?? { signal, points: 0, bytes: 0, blocks: 0, lastFirstUs: 0 };
    record.points += count;
    record.bytes += bytes;
    record.blocks++;
    record.lastFirstUs = firstUs;
    this.records.set(signal, record);
  }
}

function recordProblem(read: () => SignalRecord | null, counted: SignalRecord | undefined): string | null {
  try {
    const record = read();
    const isSame =
      counted !== undefined && record !== null && checkOfRecord(record) === checkOfRecord(counted);
    return isSame ? null : 'its row of series_signal does not fit its blocks';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function blockProblem(name: string, entry: BlockEntry, data: Uint8Array): string | null {
  try {
    const points = decodeBlock(data, name);
    if (data.length !== entry.bytes) return `block ${name} has ${data.length} bytes, not ${entry.bytes}`;
    if (entry.crc !== null && entry.crc !== crcOf(data))
      return `block ${name} is not the one in the directory`;
    return differenceOf(entry, points, name);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
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

function logProblem(seq: number, head: Uint8Array, data: Uint8Array, versionMin: number): string | null {
  try {
    decodeRow(head, data, seq, versionMin);
    const { signalsKey } = decodeHead(head, seq, versionMin);
    return decodeSignals(signalsKey).length > 0 ? null : `row ${seq} of series_log has no signal`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
