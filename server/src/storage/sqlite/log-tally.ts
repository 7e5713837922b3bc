/** Counts the points that are only in the log. Missing values do not count. */
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';
import { decodeHead, decodeRow, decodeSignals } from './log-row.ts';

/** The points that are only in the log. */
export interface LogContents {
  logRows: number;
  logBytes: number;
  /** Values in readable rows, including values that later rows overwrite. */
  logPoints: number;
  /** The signals that they belong to. */
  signals: ReadonlySet<number>;
}

/** A row of the log whose points may not be in blocks yet. */
export interface UnsealedRow {
  seq: number;
  head: Uint8Array;
  data: Uint8Array;
}

type Read = (sql: string, params: readonly SqlValue[]) => Promise<SqlRow[]>;

/** How far sealing and deletions have come. */
interface Covered {
  sealedSeq: number;
  cycleSeq: number;
  cycleSignal: number;
  deleted: ReadonlyMap<number, number>;
}

/** Rows that are read at a time. */
const rowsAtOnce = 16;

const selectState = `select sealed_seq as sealedSeq, cycle_seq as cycleSeq, cycle_signal as cycleSignal from series_state`;

const selectRows = `select seq, head, data from series_log where seq > ? order by seq limit ${rowsAtOnce}`;

/** Counts the points in the log; unreadable rows are skipped. */
export async function tallyLog(read: Read): Promise<LogContents> {
  const covered = await readCovered(read);
  const signals = new Set<number>();
  const contents = { logRows: 0, logBytes: 0, logPoints: 0, signals };
  for (let seq = covered.sealedSeq; ; ) {
    const rows = (await read(selectRows, [seq])) as unknown as UnsealedRow[];
    for (const row of rows) {
      contents.logRows++;
      contents.logBytes += row.head.length + row.data.length;
      contents.logPoints += countRow(row, covered, signals);
    }
    if (rows.length < rowsAtOnce) return contents;
    seq = rows[rows.length - 1].seq;
  }
}

async function readCovered(read: Read): Promise<Covered> {
  const [state] = await read(selectState, []);
  const deleted = await read('select signal, through_seq as seq from series_deleted', []);
  return {
    ...(state as unknown as Omit<Covered, 'deleted'>),
    deleted: new Map(deleted.map(({ signal, seq }) => [Number(signal), Number(seq)])),
  };
}

/** Counts the valid points of one row, and adds their signals to `found`. */
function countRow({ seq, head, data }: UnsealedRow, covered: Covered, found: Set<number>): number {
  try {
    const { values } = decodeRow(head, data, seq, 1);
    const { count, signalsKey } = decodeHead(head, seq, 1);
    let points = 0;
    for (const [column, signal] of decodeSignals(signalsKey).entries()) {
      if (isCovered(signal, seq, covered)) continue;
      const inColumn = countValues(values.subarray(column * count, (column + 1) * count));
      if (inColumn > 0) found.add(signal);
      points += inColumn;
    }
    return points;
  } catch {
    return 0; // Damaged: reported by check.
  }
}

function isCovered(signal: number, seq: number, { cycleSeq, cycleSignal, deleted }: Covered): boolean {
  return (signal <= cycleSignal && seq <= cycleSeq) || seq <= (deleted.get(signal) ?? 0);
}

function countValues(values: Float64Array): number {
  let count = 0;
  for (const value of values) if (!Number.isNaN(value)) count++;
  return count;
}
