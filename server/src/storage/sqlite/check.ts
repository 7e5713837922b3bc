/** Looks at every byte of a store's file that has a meaning, and says what is wrong with it. */
import type { DatabaseSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { counted } from '#model/text';
import { decodeBlock } from '../codec/block.ts';
import { auditRowOf } from '../meta/administration.ts';
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';
import type { AuditRow, CheckReport, SignalName, StoreInspection, StoreStats } from '../store.ts';
import { openFile } from './connection.ts';
import { summarise } from './cut.ts';
import { type BlockEntry, entryColumns, entryOf } from './directory.ts';
import { decodeHead, decodeRow, decodeSignals } from './log-row.ts';
import { readStats } from './stats.ts';

/** Problems of one kind after which a check looks no further for that kind. */
const problemsMax = 20;

/** One committed state of a file, looked at. Blocks the thread. */
export class FileCheck implements StoreInspection {
  readonly #db: DatabaseSync;
  readonly #report: CheckReport = {
    ...{ problems: [], notes: [] },
    ...{ pages: 0, signals: 0, blocks: 0, points: 0, logPoints: 0, logRows: 0 },
  };

  /** Opens a file that may be written at the same time. Fails as `openFile` does. */
  constructor(path: string) {
    this.#db = openFile(path);
    this.#db.exec('begin');
  }

  /** Checks pages, blocks, the log, and what refers to what. */
  async check(onPart: (part: number) => void = () => {}): Promise<CheckReport> {
    for (const part of [
      () => this.#checkPages(),
      () => this.#checkState(),
      () => this.#checkBlocks(onPart),
      () => this.#checkUnused(),
      () => this.#checkLog(),
      () => this.#checkReferences(),
      () => this.#count(),
    ]) {
      await this.#guarded(part);
    }
    return this.#report;
  }

  /** The rows of the audit, oldest first. */
  *auditRows(): Generator<AuditRow, void, undefined> {
    for (const row of this.#rows('select * from audit order by seq')) yield auditRowOf(row);
  }

  /** What the file holds. */
  stats(largestMax: number): Promise<StoreStats> {
    return readStats(async (sql, params) => this.#all(sql, params), largestMax);
  }

  /** Who the signal with a number is; null when there is none. */
  signalName(signal: number): SignalName | null {
    const [row] = this.#all('select id, integration, input from signal where number = ?', [signal]);
    return (row as unknown as SignalName | undefined) ?? null;
  }

  /** Ends the look. */
  close(): void {
    this.#db.close();
  }

  /** What cannot be read at all is a problem too, and the rest is looked at all the same. */
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

  *#rows(sql: string): Generator<SqlRow, void, undefined> {
    for (const row of this.#db.prepare(sql).iterate()) yield row as SqlRow;
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

  #checkBlocks(onPart: (part: number) => void): void {
    const total = this.#number('select count(*) from series_directory');
    const columns = entryColumns.map((name) => `d.${name}`).join(', ');
    const rows = this.#db.prepare(
      `select d.signal, b.data, ${columns} from series_directory d left join series_block b on b.id = d.block
         order by d.signal, d.first_us`,
    );
    rows.setReturnArrays(true);
    const check = new BlockCheck();
    let problemCount = 0;
    for (const row of rows.iterate()) {
      const [signal, data, ...entry] = row as unknown as [number, Uint8Array | null, ...(number | null)[]];
      const problem = check.next(signal, entryOf(entry), data);
      if (problem !== null && ++problemCount <= problemsMax) this.#say(problem);
      if (check.blocks % 256 === 0) onPart(check.blocks / total);
    }
    if (problemCount > problemsMax) this.#say(`more blocks have problems: ${problemCount - problemsMax}`);
    const { blocks, points } = check;
    Object.assign(this.#report, { blocks, points });
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
    for (const { seq, head, data } of rows) {
      this.#report.logRows++;
      const problem = logProblem(Number(seq), head as Uint8Array, data as Uint8Array);
      if (problem !== null && ++problemCount <= problemsMax) this.#say(problem);
    }
    if (problemCount > problemsMax)
      this.#say(`more rows of the log have problems: ${problemCount - problemsMax}`);
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

/** What refers to something that is not there: words, and where to look for it. */
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

/** Compares blocks with the directory, signal by signal in order of time. */
class BlockCheck {
  blocks = 0;
  points = 0;
  #signal = -1;
  #lastUs = Number.NEGATIVE_INFINITY;

  /** What is wrong with the next block, or null. */
  next(signal: number, entry: BlockEntry, data: Uint8Array | null): string | null {
    if (signal !== this.#signal) this.#lastUs = Number.NEGATIVE_INFINITY;
    this.#signal = signal;
    this.blocks++;
    this.points += entry.count;
    const name = `${entry.block} of signal ${signal}`;
    const isOverlapping = entry.firstUs <= this.#lastUs;
    this.#lastUs = entry.lastUs;
    if (data === null) return `block ${name} is missing`;
    if (isOverlapping) return `block ${name} begins before the one before it ends`;
    return blockProblem(name, entry, data);
  }
}

function blockProblem(name: string, entry: BlockEntry, data: Uint8Array): string | null {
  try {
    const points = decodeBlock(data, name);
    if (data.length !== entry.bytes) return `block ${name} has ${data.length} bytes, not ${entry.bytes}`;
    return differenceOf(entry, points, name);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Sums may differ in their last digits, where a later release adds in another order. */
const sumTolerance = 1e-9;

/** The directory's figures that are not those of the points. */
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

function logProblem(seq: number, head: Uint8Array, data: Uint8Array): string | null {
  try {
    decodeRow(head, data, seq);
    const { signalsKey } = decodeHead(head, seq);
    return decodeSignals(signalsKey).length > 0 ? null : `row ${seq} of series_log has no signal`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
