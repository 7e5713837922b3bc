/** Checks all data in a store's file, and reports what is wrong with it. */
import type { DatabaseSync } from 'node:sqlite';
import { counted } from '#model/text';
import { auditRowOf, type StoredAuditRow } from '../meta/audit.ts';
import type { SqlRow } from '../meta/sql-runner.ts';
import type { AuditRow } from '../meta-store.ts';
import type { CheckReport, SignalName, StoreInspection, StoreStats } from '../store.ts';
import { BlockCheck, messageOf } from './block-check.ts';
import { openFile } from './connection.ts';
import { decodeHead, decodeSignals } from './log-head.ts';
import { decodeRow } from './log-row.ts';
import { metadataProblems } from './metadata-checks.ts';
import { checksVersion, timesVersion } from './schema.ts';
import { StateTable } from './state.ts';
import { readStats } from './stats.ts';

/** Maximum number of problems reported of one kind. */
const problemsMax = 20;

/** The number of the last row that the log has had. */
const lastRow = "select coalesce(max(seq), 0) from sqlite_sequence where name = 'series_log'";

const lastBlockId = 'select coalesce(max(id), 0) from series_block';
const lastColumnId = 'select coalesce(max(id), 0) from series_times';

/** Inspects one committed state of a file. Blocks the thread. */
export class FileCheck implements StoreInspection {
  readonly #db: DatabaseSync;
  readonly #version: number;
  /** Files of format 1 have no checksums of rows. */
  readonly #hasChecks: boolean;

  /** Opens a file that may be written at the same time. Fails as `openFile` does. */
  constructor(path: string) {
    this.#db = openFile(path);
    this.#db.exec('begin');
    this.#version = this.#number('pragma user_version');
    this.#hasChecks = this.#version >= checksVersion;
  }

  /** Checks pages, blocks, the log, and what refers to what. */
  check(onPart: (part: number) => void = () => {}): CheckReport {
    const report: CheckReport = {
      ...{ problems: [], notes: [] },
      ...{ fileBytes: 0, signals: 0, blocks: 0, points: 0, logPoints: 0, logRows: 0 },
    };
    const blocks = new BlockCheck(this.#db, this.#version, report);
    const parts: [string, Generator<string>][] = [
      ['pages', this.#checkPages(report)],
      ['states', this.#checkState()],
      ['blocks', blocks.blocks(onPart)],
      ['signals', blocks.records()],
      ['blocks', this.#checkUnused()],
      ['time columns', blocks.columns()],
      ['rows of the log', this.#checkLog(report)],
      ['rows of metadata', metadataProblems(this.#db)],
      ['references', this.#checkReferences(report)],
    ];
    for (const [what, part] of parts) addProblems(report.problems, what, part);
    return report;
  }

  /** The rows of the audit, oldest first. */
  *auditRows(): Generator<AuditRow, void, undefined> {
    const rows = this.#rows<StoredAuditRow>('select * from audit order by seq');
    for (const row of rows) yield auditRowOf(row);
  }

  /** What the file holds. */
  stats(largestMax: number): StoreStats {
    return readStats(this.#db, largestMax, this.#version >= timesVersion);
  }

  /** The name of the signal with a number; null when there is none. */
  signalName(signal: number): SignalName | null {
    const row = this.#db.prepare('select id, integration, input from signal where number = ?').get(signal);
    return (row as unknown as SignalName | undefined) ?? null;
  }

  /** Closes the file. */
  close(): void {
    this.#db.close();
  }

  *#rows<Row = SqlRow>(sql: string): Generator<Row, void, undefined> {
    for (const row of this.#db.prepare(sql).iterate()) yield row as Row;
  }

  #number(sql: string): number {
    const [value] = Object.values(this.#db.prepare(sql).get() ?? {});
    return Number(value);
  }

  *#checkPages(report: CheckReport): Generator<string> {
    report.fileBytes = this.#number('pragma page_count') * this.#number('pragma page_size');
    for (const { integrity_check: found } of this.#rows(`pragma integrity_check(${problemsMax})`)) {
      if (found !== 'ok') yield `pages: ${String(found).replaceAll('\n', ' ')}`;
    }
  }

  *#checkState(): Generator<string> {
    const [state] = [...this.#rows('select * from series_state')];
    if (state === undefined) throw new Error('series_state has no row');
    const lastSeq = this.#number(lastRow);
    const lastBlock = this.#number(
      this.#version < timesVersion ? lastBlockId : `select max((${lastBlockId}), (${lastColumnId}))`,
    );
    const [sealed, cycle] = [Number(state.sealed_seq), Number(state.cycle_seq)];
    if (sealed > cycle || cycle > lastSeq) {
      yield `series_state: sealed through ${sealed}, cycle through ${cycle}, last row ${lastSeq}`;
    }
    if (Number(state.next_block) <= lastBlock) {
      yield `series_state: the next block is ${state.next_block}, there is ${lastBlock} already`;
    }
    if (!this.#hasChecks) return;
    const table = new StateTable(this.#db);
    try {
      table.readDeleted(table.read());
    } catch (error) {
      yield messageOf(error);
    }
  }

  *#checkUnused(): Generator<string> {
    const unused = 'select id from series_block except select block from series_directory';
    for (const { id } of this.#rows(unused)) yield `block ${id} is in no directory entry`;
  }

  *#checkLog(report: CheckReport): Generator<string> {
    const rows = this.#rows(
      'select seq, head, data from series_log where seq > (select sealed_seq from series_state) order by seq',
    );
    let lastSeq = this.#number('select sealed_seq from series_state');
    const versionMin = this.#hasChecks ? 2 : 1;
    for (const { seq, head, data } of rows) {
      report.logRows++;
      if (seq !== lastSeq + 1) yield `rows of series_log are missing between ${lastSeq} and ${seq}`;
      lastSeq = Number(seq);
      const problem = logProblem(lastSeq, head as Uint8Array, data as Uint8Array, versionMin);
      if (problem !== null) yield problem;
    }
    const given = this.#number(lastRow);
    if (lastSeq < given) yield `rows of series_log are missing between ${lastSeq} and ${given + 1}`;
    const { signals, logPoints } = this.stats(0);
    Object.assign(report, { signals, logPoints });
  }

  *#checkReferences(report: CheckReport): Generator<string> {
    const orphans = this.#number(
      `select count(*) from (select distinct signal from series_directory) d
         where not exists (select 1 from signal s where s.number = d.signal)`,
    );
    if (orphans > 0) {
      const what = `${counted(orphans, 'signal')} that ${orphans === 1 ? 'is gone still has' : 'are gone still have'} points`;
      report.notes.push(`${what}; "tidemark retention run" deletes them`);
    }
    for (const [what, sql] of references) {
      const count = this.#number(`select count(*) from ${sql}`);
      if (count > 0) yield `${count} ${what}`;
    }
  }
}

/** Adds what a part of the check finds. After an error the other parts still run. */
function addProblems(problems: string[], what: string, part: Generator<string>): void {
  let count = 0;
  try {
    for (const problem of part) if (++count <= problemsMax) problems.push(problem);
  } catch (error) {
    problems.push(`the file cannot be read further: ${messageOf(error)}`);
  }
  if (count > problemsMax) problems.push(`more ${what} have problems: ${count - problemsMax}`);
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

function logProblem(seq: number, head: Uint8Array, data: Uint8Array, versionMin: number): string | null {
  try {
    decodeRow(head, data, seq, versionMin);
    const { signalsKey } = decodeHead(head, seq, versionMin);
    return decodeSignals(signalsKey).length > 0 ? null : `row ${seq} of series_log has no signal`;
  } catch (error) {
    return messageOf(error);
  }
}
