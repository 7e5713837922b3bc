/** Changes the directory, keeping its links and sums consistent. Each call has to be inside a transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoredDamage } from '../codec/damage.ts';
import {
  checkOfEntry,
  checkOfLink,
  checkOfRecord,
  entryColumns,
  recordReader,
  type SignalRecord,
} from './directory.ts';
import type { AddedEntry, RemovedEntry } from './messages.ts';
import { addChecks, subtractChecks } from './row-check.ts';

/** An unchanged row next to rows that change. */
interface Neighbour {
  firstUs: number;
  previousUs: number | null;
  check: number;
}

/** What changes for one signal. */
interface SignalChange {
  removed: RemovedEntry[];
  /** Ascending. */
  added: AddedEntry[];
}

/** Removes and adds entries. */
export class DirectoryWriter {
  readonly #remove: StatementSync;
  readonly #insert: StatementSync;
  readonly #neighbours: StatementSync;
  readonly #link: StatementSync;
  readonly #record: (signal: number) => SignalRecord | null;
  readonly #saveRecord: StatementSync;
  readonly #deleteRecord: StatementSync;

  constructor(db: DatabaseSync) {
    this.#remove = db.prepare('delete from series_directory where signal = ? and first_us = ?');
    const places = entryColumns.map(() => '?').join(', ');
    this.#insert = db.prepare(
      `insert into series_directory (signal, ${entryColumns.join(', ')}, previous_us, row_check)
         values (?, ${places}, ?, ?)`,
    );
    this.#neighbours = db.prepare(
      `select first_us as firstUs, previous_us as previousUs, row_check as "check" from series_directory
         where signal = ?1
           and first_us >= coalesce((select max(first_us) from series_directory where signal = ?1 and first_us < ?2), ?2)
           and first_us <= coalesce((select min(first_us) from series_directory where signal = ?1 and first_us > ?3), ?3)
         order by first_us`,
    );
    this.#link = db.prepare(
      'update series_directory set previous_us = ?, row_check = ? where signal = ? and first_us = ?',
    );
    this.#record = recordReader(db);
    this.#saveRecord = db.prepare(
      `insert or replace into series_signal (signal, points, bytes, blocks, last_first_us, row_check)
         values (?, ?, ?, ?, ?, ?)`,
    );
    this.#deleteRecord = db.prepare('delete from series_signal where signal = ?');
  }

  /** Removes and adds entries of any signals. */
  change(removed: readonly RemovedEntry[], added: readonly AddedEntry[]): void {
    for (const { signal, firstUs } of removed) this.#remove.run(signal, firstUs);
    for (const [signal, change] of bySignal(removed, added)) this.#changeSignal(signal, change);
  }

  #changeSignal(signal: number, change: SignalChange): void {
    const touchedUs = [...change.removed, ...change.added].map(({ firstUs }) => firstUs);
    const lowUs = touchedUs.reduce((a, b) => Math.min(a, b));
    const highUs = touchedUs.reduce((a, b) => Math.max(a, b));
    const staying = this.#neighbours.all(signal, lowUs, highUs) as unknown as Neighbour[];
    const record = this.#summedUp(signal, change, staying.length > 0);
    let previousUs = staying.length > 0 && staying[0].firstUs < lowUs ? staying.shift()!.firstUs : null;
    const { added } = change;
    for (let a = 0, s = 0; a < added.length || s < staying.length; ) {
      const isAdded = s === staying.length || (a < added.length && added[a].firstUs < staying[s].firstUs);
      previousUs = isAdded
        ? this.#add(added[a++], previousUs)
        : this.#relink(signal, staying[s++], previousUs);
    }
    const isLastKnown = staying.length === 0 || staying[staying.length - 1].firstUs <= highUs;
    if (record !== null) this.#save(record, isLastKnown ? previousUs : record.lastFirstUs);
  }

  #add({ signal, firstUs, row }: AddedEntry, previousUs: number | null): number {
    this.#insert.run(signal, ...row, previousUs, checkOfEntry(signal, row, previousUs));
    return firstUs;
  }

  /** Changes only the link's part of the checksum, so that a damaged row is still detected. */
  #relink(
    signal: number,
    { firstUs, previousUs: oldUs, check }: Neighbour,
    previousUs: number | null,
  ): number {
    if (oldUs !== previousUs) {
      const unlinked = subtractChecks(check, checkOfLink(oldUs));
      this.#link.run(previousUs, addChecks(unlinked, checkOfLink(previousUs)), signal, firstUs);
    }
    return firstUs;
  }

  /** The signal's record after a change; null when it is damaged: then it is left as it is, to be detected. */
  #summedUp(signal: number, { removed, added }: SignalChange, hasOthers: boolean): SignalRecord | null {
    const record = this.#readRecord(signal);
    if (record === null || (record === undefined && (hasOthers || removed.length > 0))) return null;
    const sums = record ?? { signal, points: 0, bytes: 0, blocks: 0, lastFirstUs: 0 };
    for (const { count, bytes } of removed) addTo(sums, -1, count, bytes);
    for (const { count, bytes } of added) addTo(sums, 1, count, bytes);
    return sums;
  }

  /** The record; undefined when there is none, null when it is damaged. */
  #readRecord(signal: number): SignalRecord | null | undefined {
    try {
      return this.#record(signal) ?? undefined;
    } catch (error) {
      if (error instanceof StoredDamage) return null;
      throw error;
    }
  }

  /** Saves a record with the first time of the last entry; null: there is none, and the record is deleted. */
  #save(sums: SignalRecord, lastFirstUs: number | null): void {
    const { signal, points, bytes, blocks } = sums;
    if (lastFirstUs === null) this.#deleteRecord.run(signal);
    else {
      const check = checkOfRecord({ ...sums, lastFirstUs });
      this.#saveRecord.run(signal, points, bytes, blocks, lastFirstUs, check);
    }
  }
}

function addTo(record: SignalRecord, sign: 1 | -1, points: number, bytes: number): void {
  record.points += sign * points;
  record.bytes += sign * bytes;
  record.blocks += sign;
}

function bySignal(removed: readonly RemovedEntry[], added: readonly AddedEntry[]): Map<number, SignalChange> {
  const changes = new Map<number, SignalChange>();
  const of = (signal: number) => {
    const known = changes.get(signal) ?? { removed: [], added: [] };
    changes.set(signal, known);
    return known;
  };
  for (const entry of removed) of(entry.signal).removed.push(entry);
  for (const entry of added) of(entry.signal).added.push(entry);
  for (const { added } of changes.values()) added.sort((a, b) => a.firstUs - b.firstUs);
  return changes;
}
