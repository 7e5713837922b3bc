/** Statistics of a file, from the directory and the log. */
import type { DatabaseSync } from 'node:sqlite';
import type { StoreStats } from '../store.ts';
import { decodeHead, decodeSignals } from './log-head.ts';
import { allOf, decodeRow } from './log-row.ts';

const wholeFile = `select
  (select page_count from pragma_page_count) * (select page_size from pragma_page_size) as fileBytes,
  (select freelist_count from pragma_freelist_count) * (select page_size from pragma_page_size) as freeBytes`;

const allBlocks = `select count(distinct signal) as signals, count(*) as blocks,
  coalesce(sum(count), 0) as blockPoints, coalesce(sum(bytes), 0) as blockBytes from series_directory`;

/** How many of the signals in a JSON array have blocks. */
const signalsWithBlocks = `select count(*) as count from json_each(?)
  where exists (select 1 from series_directory where signal = value)`;

const largestSignals = `select signal, sum(count) as points, count(*) as blocks, sum(bytes) as bytes
  from series_directory group by signal order by 4 desc, 1 limit ?`;

const allColumns =
  'select count(*) as timeColumns, coalesce(sum(length(data)), 0) as timeColumnBytes from series_times';

const keptRows =
  'select coalesce(sum(length(head) + length(data)), 0) as bytes from series_log where seq <= ?';

const logState = `select sealed_seq as sealedSeq, cycle_seq as cycleSeq, cycle_signal as cycleSignal from series_state`;

/** Reads the statistics of the state that `db` sees, which may be a file of an earlier format. Reads the whole log. */
export function readStats(db: DatabaseSync, largestMax: number, hasColumns: boolean): StoreStats {
  const blocks = db.prepare(allBlocks).get() as unknown as Pick<
    StoreStats,
    'signals' | 'blocks' | 'blockPoints' | 'blockBytes'
  >;
  const columns = (
    hasColumns ? db.prepare(allColumns).get() : { timeColumns: 0, timeColumnBytes: 0 }
  ) as Pick<StoreStats, 'timeColumns' | 'timeColumnBytes'>;
  const file = db.prepare(wholeFile).get() as unknown as Pick<StoreStats, 'fileBytes' | 'freeBytes'>;
  const { signals: logged, ...log } = countLog(db);
  const known = Number(db.prepare(signalsWithBlocks).get(JSON.stringify([...logged]))?.count);
  const largest = db.prepare(largestSignals).all(largestMax) as unknown as StoreStats['largest'];
  return { ...file, ...blocks, ...columns, ...log, signals: blocks.signals + logged.size - known, largest };
}

/** How far sealing and deletions have come. */
interface Covered {
  sealedSeq: number;
  cycleSeq: number;
  cycleSignal: number;
  deleted: ReadonlyMap<number, number>;
}

/** Counts the rows that are not sealed, their points, and the signals that these belong to; and the bytes of the others. */
function countLog(db: DatabaseSync) {
  const deleted = db.prepare('select signal, through_seq as seq from series_deleted').all();
  const covered: Covered = {
    ...(db.prepare(logState).get() as unknown as Omit<Covered, 'deleted'>),
    deleted: new Map(deleted.map(({ signal, seq }) => [Number(signal), Number(seq)])),
  };
  const keptBytes = Number(db.prepare(keptRows).get(covered.sealedSeq)?.bytes);
  const found = { logRows: 0, logBytes: 0, logPoints: 0, keptBytes, signals: new Set<number>() };
  const rows = db.prepare('select seq, head, data from series_log where seq > ? order by seq');
  rows.setReturnArrays(true);
  for (const row of rows.iterate(covered.sealedSeq)) {
    const [seq, head, data] = row as unknown as [number, Uint8Array, Uint8Array];
    found.logRows++;
    found.logBytes += head.length + data.length;
    try {
      found.logPoints += countRow(seq, head, data, covered, found.signals);
    } catch {
      // Damaged rows are reported by the check of a file.
    }
  }
  return found;
}

/** The number of values of a row that still count. Adds their signals to `found`. */
function countRow(
  seq: number,
  head: Uint8Array,
  data: Uint8Array,
  covered: Covered,
  found: Set<number>,
): number {
  const values = allOf(decodeRow(head, data, seq, 1).values);
  const { count, signalsKey } = decodeHead(head, seq, 1);
  let points = 0;
  for (const [column, signal] of decodeSignals(signalsKey).entries()) {
    if (isCovered(signal, seq, covered)) continue;
    const inColumn = countValues(values.subarray(column * count, (column + 1) * count));
    if (inColumn > 0) found.add(signal);
    points += inColumn;
  }
  return points;
}

function isCovered(signal: number, seq: number, { cycleSeq, cycleSignal, deleted }: Covered): boolean {
  return (signal <= cycleSignal && seq <= cycleSeq) || seq <= (deleted.get(signal) ?? 0);
}

function countValues(values: Float64Array): number {
  let count = 0;
  for (const value of values) if (!Number.isNaN(value)) count++;
  return count;
}
