/**
 * The sequence of batches, read out of the log: a row for each, whichever thread or process has stored it. A connection of its
 * own is opened for the first one who follows. Each call reads a few rows and blocks the thread for a few milliseconds at most.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LruCache } from '#model/lru-cache';
import { StoredDamage } from '../codec/damage.ts';
import type { PointNotices } from '../coordination.ts';
import type { ChangedBatch, ChangedPoints, ChangePosition, Changes, SeriesChanges } from '../store.ts';
import { openForReading } from './connection.ts';
import { decodeHead, decodeSignals, markOf } from './log-head.ts';
import { decodeRow, type RowData } from './log-row.ts';
import { StateTable } from './state.ts';

/** Rows that one call looks at, and values that it returns. */
const rowsMax = 256;
const valuesMax = 65_536;

/** Values of one {@link ChangedBatch}; a longer one is divided. */
const batchValuesMax = 8192;

/** Sets of signals whose columns are remembered. */
const columnSetsMax = 512;

/** A column of a row that was asked for. */
interface WantedColumn {
  signal: number;
  column: number;
}

/** A row of the log as it is read here. */
type HeadRow = [seq: number, head: Uint8Array];

/** The log as a sequence. */
export class LogChanges implements SeriesChanges {
  readonly #directory: string;
  readonly #notices: PointNotices;
  #log: FollowedLog | null = null;

  constructor(directory: string, notices: PointNotices) {
    this.#directory = directory;
    this.#notices = notices;
  }

  async now(): Promise<ChangePosition> {
    return this.#read((log) => log.now());
  }

  async since(after: ChangePosition, signals: ReadonlySet<number>): Promise<Changes | null> {
    return this.#read((log) => log.since(after, signals));
  }

  subscribe(listener: () => void): () => void {
    return this.#notices.subscribe(listener);
  }

  /** Must be called after batches have been stored. */
  raise(): void {
    this.#notices.raise();
  }

  close(): void {
    this.#log?.close();
    this.#log = null;
  }

  /** A connection that failed is not used again: node:sqlite may report the error of a statement again. */
  #read<T>(read: (log: FollowedLog) => T): T {
    this.#log ??= new FollowedLog(openForReading(this.#directory));
    try {
      return read(this.#log);
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

/** The log through one connection. */
class FollowedLog {
  readonly #db: DatabaseSync;
  readonly #state: StateTable;
  readonly #selectFrom: StatementSync;
  readonly #selectHead: StatementSync;
  readonly #selectRow: StatementSync;
  readonly #selectFirst: StatementSync;
  #signals: ReadonlySet<number> = new Set();
  /** The columns of rows with a set of signals that are among {@link #signals}; by the key of the set. */
  #columns = new LruCache<string, readonly WantedColumn[]>(columnSetsMax);

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#state = new StateTable(db);
    const prepare = (sql: string) => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#selectFrom = prepare(
      `select seq, head from series_log where seq >= ? order by seq limit ${rowsMax + 1}`,
    );
    this.#selectHead = prepare('select seq, head from series_log where seq = ?');
    this.#selectRow = prepare('select head, data from series_log where seq = ?');
    this.#selectFirst = prepare('select min(seq) from series_log');
  }

  now(): ChangePosition {
    return this.#inSnapshot(() => {
      const { lastSeq } = this.#state.read();
      const row = this.#selectHead.get(lastSeq) as unknown as HeadRow | undefined;
      return { seq: lastSeq, mark: row === undefined ? 0 : markOf(row[1]), row: 0 };
    });
  }

  since(after: ChangePosition, signals: ReadonlySet<number>): Changes | null {
    if (signals !== this.#signals) {
      this.#signals = signals;
      this.#columns = new LruCache(columnSetsMax);
    }
    return this.#inSnapshot(() => (this.#knows(after) ? this.#since(after) : null));
  }

  close(): void {
    this.#db.close();
  }

  #inSnapshot<T>(read: () => T): T {
    this.#db.exec('begin');
    try {
      return read();
    } finally {
      if (this.#db.isTransaction) this.#db.exec('commit');
    }
  }

  /** Whether everything after a place is in the log, and belongs to the same sequence. */
  #knows({ seq, mark, row }: ChangePosition): boolean {
    const state = this.#state.read();
    if (seq > state.lastSeq || this.#wasDeleted(state, seq)) return false;
    const known = this.#selectHead.get(seq) as unknown as HeadRow | undefined;
    if (known !== undefined) return mark === 0 || markOf(known[1]) === mark;
    if (row > 0) return false;
    const [firstSeq] = this.#selectFirst.get() as unknown as [number | null];
    return (firstSeq ?? state.lastSeq + 1) === seq + 1;
  }

  /** Whether points of the signals that came after a row were deleted: then some of the others may be in blocks only. */
  #wasDeleted(state: ReturnType<StateTable['read']>, seq: number): boolean {
    if (state.deletedCount === 0) return false;
    const deleted = this.#state.readDeleted(state);
    return [...deleted].some(([signal, throughSeq]) => throughSeq > seq && this.#signals.has(signal));
  }

  #since(after: ChangePosition): Changes {
    const rows = this.#selectFrom.all(
      after.row > 0 ? after.seq : after.seq + 1,
    ) as unknown as readonly HeadRow[];
    const batches: ChangedBatch[] = [];
    let position = after;
    let valueCount = 0;
    for (const [seq, head] of rows.slice(0, rowsMax)) {
      const from = seq === after.seq ? after.row : 0;
      for (const batch of this.#batchesOf(seq, head, from)) {
        batches.push(batch);
        position = batch.position;
        valueCount += batch.points.reduce((sum, { values }) => sum + values.length, 0);
        if (valueCount >= valuesMax) return { batches, position, hasMore: true };
      }
      position = { seq, mark: markOf(head), row: 0 };
    }
    return { batches, position, hasMore: rows.length > rowsMax };
  }

  /** What a row has of the signals, from one of its times on; nothing of a row that is damaged. */
  *#batchesOf(seq: number, head: Uint8Array, from: number): Generator<ChangedBatch> {
    const columns = this.#columnsOf(seq, head);
    if (columns.length === 0) return;
    const data = this.#decode(seq);
    if (data === null) return;
    const count = data.timesUs.length;
    const step = Math.max(1, Math.floor(batchValuesMax / columns.length));
    for (let start = from; start < count; start += step) {
      const end = Math.min(count, start + step);
      const points = columns.map((column) => pointsOf(data, column, start, end));
      const position = { seq, mark: markOf(head), row: end === count ? 0 : end };
      const some = points.filter(({ timesUs }) => timesUs.length > 0);
      if (some.length > 0) yield { position, points: some };
    }
  }

  #columnsOf(seq: number, head: Uint8Array): readonly WantedColumn[] {
    try {
      const { signalsKey, isDamaged } = decodeHead(head, seq);
      return isDamaged ? [] : this.#columns.getOrMake(signalsKey, () => this.#wantedOf(signalsKey));
    } catch (error) {
      if (error instanceof StoredDamage) return [];
      throw error;
    }
  }

  #wantedOf(signalsKey: string): readonly WantedColumn[] {
    const all = [...decodeSignals(signalsKey)];
    return all.flatMap((signal, column) => (this.#signals.has(signal) ? [{ signal, column }] : []));
  }

  #decode(seq: number): RowData | null {
    const [head, data] = this.#selectRow.get(seq) as unknown as [Uint8Array, Uint8Array];
    try {
      return decodeRow(head, data, seq);
    } catch (error) {
      if (error instanceof StoredDamage) return null;
      throw error;
    }
  }
}

/** The points of a column in rows from `start` to before `end`. */
function pointsOf(
  { timesUs, values }: RowData,
  { signal, column }: WantedColumn,
  start: number,
  end: number,
): ChangedPoints {
  const offset = column * timesUs.length;
  const found = new Float64Array(end - start);
  values.read(offset + start, offset + end, found, 0);
  const foundUs = timesUs.slice(start, end);
  let count = 0;
  for (let row = 0; row < found.length; row++) {
    if (Number.isNaN(found[row])) continue;
    foundUs[count] = foundUs[row];
    found[count++] = found[row];
  }
  return count === found.length
    ? { signal, timesUs: foundUs, values: found }
    : { signal, timesUs: foundUs.slice(0, count), values: found.slice(0, count) };
}
