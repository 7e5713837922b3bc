/**
 * Migrates files of earlier formats: format 1 has checksums of blocks and log rows only, format 2 has no time columns that
 * blocks share, format 3 has no rows of the log with packed values.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoredDamage } from '../codec/damage.ts';
import { checkOfEntry, checkOfRecord, entryColumns, type SignalRecord } from './directory.ts';
import { decodeHead, decodeSignals, stampRow, upgradeRow } from './log-head.ts';
import { decodeRow, encodeLost } from './log-row.ts';
import { checkOfNumbers } from './row-check.ts';
import { checksVersion, formatVersion, signalTable, timesTable, timesVersion } from './schema.ts';
import { StateTable } from './state.ts';

/**
 * Migrates the file in one transaction. Existing damage of a file of format 1 is detected only in points, which have checksums
 * in that format too; any other damaged row gets a valid checksum.
 */
export function bringForward(db: DatabaseSync): void {
  db.exec('begin immediate');
  // Another process may have been first.
  const version = Number(db.prepare('pragma user_version').get()?.user_version);
  if (version < checksVersion) addChecksums(db);
  if (version < timesVersion) db.exec(timesTable);
  db.exec(`pragma user_version = ${formatVersion}`);
  db.exec('commit');
}

function addChecksums(db: DatabaseSync): void {
  addColumns(db);
  checkDirectory(db);
  checkDeleted(db);
  stampLog(db);
}

function addColumns(db: DatabaseSync): void {
  db.exec(`
    alter table series_directory add column previous_us real;
    alter table series_directory add column crc integer;
    alter table series_directory add column row_check integer not null default 0;
    ${signalTable}
    alter table series_state add column deleted_count integer not null default 0;
    alter table series_state add column row_check integer not null default 0;
    alter table series_deleted add column row_check integer not null default 0;
  `);
}

/** Signals whose entries are collected before they are changed, since rows must not change while a statement reads them. */
const signalsAtOnce = 256;

function checkDirectory(db: DatabaseSync): void {
  const nextSignals = db.prepare(
    `with recursive stored (signal, n) as (
       select min(signal), 1 from series_directory where signal > ?1
       union all
       select (select min(signal) from series_directory where signal > stored.signal), n + 1 from stored
         where signal is not null and n < ${signalsAtOnce})
     select signal from stored where signal is not null`,
  );
  const checker = new DirectoryChecker(db);
  for (let signal = -1; ; ) {
    const signals = nextSignals.all(signal).map((row) => Number(row.signal));
    for (const each of signals) checker.check(each);
    if (signals.length === 0) return;
    signal = signals[signals.length - 1];
  }
}

class DirectoryChecker {
  readonly #select;
  readonly #update;
  readonly #insert;

  constructor(db: DatabaseSync) {
    this.#select = db.prepare(
      `select ${entryColumns.join(', ')} from series_directory where signal = ? order by first_us`,
    );
    this.#select.setReturnArrays(true);
    this.#update = db.prepare(
      'update series_directory set previous_us = ?, row_check = ? where signal = ? and first_us = ?',
    );
    this.#insert = db.prepare('insert into series_signal values (?, ?, ?, ?, ?, ?)');
  }

  /** Adds links and checksums to the entries of one signal, and sums them up. */
  check(signal: number): void {
    const record: SignalRecord = { signal, points: 0, bytes: 0, blocks: 0, lastFirstUs: 0 };
    let previousUs: number | null = null;
    for (const row of this.#select.all(signal) as unknown as (number | null)[][]) {
      const [firstUs, , count] = row as number[];
      this.#update.run(previousUs, checkOfEntry(signal, row, previousUs), signal, firstUs);
      record.points += count;
      record.bytes += Number(row[entryColumns.indexOf('bytes')]);
      record.blocks++;
      record.lastFirstUs = firstUs;
      previousUs = firstUs;
    }
    const { points, bytes, blocks, lastFirstUs } = record;
    this.#insert.run(signal, points, bytes, blocks, lastFirstUs, checkOfRecord(record));
  }
}

function checkDeleted(db: DatabaseSync): void {
  const notes = db.prepare('select signal, through_seq as seq from series_deleted').all();
  const update = db.prepare('update series_deleted set row_check = ? where signal = ?');
  for (const { signal, seq } of notes) update.run(checkOfNumbers([Number(signal), Number(seq)]), signal);
  const state = db
    .prepare(
      `select step, sealed_seq as sealedSeq, cycle_seq as cycleSeq, cycle_signal as cycleSignal,
         next_block as nextBlock from series_state`,
    )
    .get() as unknown as Parameters<StateTable['write']>[0];
  new StateTable(db).write({ ...state, deletedCount: notes.length });
}

/** Rewrites the heads of the rows of the log in this format; unreadable rows are set aside. */
function stampLog(db: DatabaseSync): void {
  const select = db.prepare('select seq, head, data from series_log where seq > ? order by seq limit 1');
  const update = db.prepare('update series_log set head = ?, data = ? where seq = ?');
  for (let row = select.get(0); row !== undefined; row = select.get(row.seq)) {
    const seq = Number(row.seq);
    const coded = stamped(row.head as Uint8Array, row.data as Uint8Array, seq);
    stampRow(coded);
    const { buffer, headBytes } = coded;
    update.run(new Uint8Array(buffer, 0, headBytes), new Uint8Array(buffer, headBytes), seq);
  }
}

function stamped(head: Uint8Array, data: Uint8Array, seq: number) {
  try {
    decodeRow(head, data, seq, 1);
    return upgradeRow(head, data);
  } catch (error) {
    if (!(error instanceof StoredDamage)) throw error;
    return encodeLost({ ...lostHead(head, seq), seq, bytes: Buffer.concat([head, data]) });
  }
}

function lostHead(bytes: Uint8Array, seq: number) {
  try {
    const head = decodeHead(bytes, seq, 1);
    return { head, signals: [...decodeSignals(head.signalsKey)] };
  } catch {
    return { head: null, signals: [] };
  }
}
