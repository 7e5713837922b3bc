/**
 * The sequence of batches, read out of the points by their versions. It goes as far as every write has ended, whichever node began
 * it: a write with a smaller number may become visible later than one with a greater number.
 */
import type { PointNotices, WriteNumbers } from '../coordination.ts';
import type { ChangedBatch, ChangedPoints, ChangePosition, Changes, SeriesChanges } from '../store.ts';
import { batchesOfGroup } from './group-commit.ts';
import { placesOfGroup } from './native-writer.ts';
import { type RunReader, signalsAtOnce } from './runs.ts';

/** Rows of one statement. A time of a batch has fewer, so that each call comes further. */
const rowsMax = 4 * signalsAtOnce;

/** Values of one {@link ChangedBatch}; a longer one is divided. */
const batchValuesMax = 8192;

/** A follower that is behind by more writes, or by more values, must begin again: reading them all would take too long. */
const writesBehindMax = 36_000;
const valuesBehindMax = 500_000;

/** Writes that a follower is behind by before it is counted how much that is. */
const writesUncounted = 600;

/** Times are from -2^53 to 2^53 µs. */
const timesHalf = 2 ** 53;

/** What the sequence is read with. */
export interface PointChangesOptions {
  numbers: WriteNumbers;
  notices: PointNotices;
  /** Reads from the servers. */
  read<T>(work: (reader: RunReader) => Promise<T>): Promise<T>;
}

/** A row of a statement. */
interface Row {
  signal: number;
  timeUs: number;
  value: number;
  /** Of its batch, as in a {@link ChangePosition}. */
  seq: number;
}

/** Where complete rows end: before this time of this batch. */
type Horizon = Pick<Row, 'seq' | 'timeUs'>;

/** The sequence of one store. */
export class PointChanges implements SeriesChanges {
  readonly #options: PointChangesOptions;

  constructor(options: PointChangesOptions) {
    this.#options = options;
  }

  async now(): Promise<ChangePosition> {
    return this.#after(await this.#options.numbers.settled());
  }

  async since(after: ChangePosition, signals: ReadonlySet<number>): Promise<Changes | null> {
    const end = this.#after(await this.#options.numbers.settled());
    const { mark, seq } = after;
    const behind = (end.seq - seq) / batchesOfGroup;
    if (mark !== end.mark || behind < 0 || behind > writesBehindMax) return null;
    if (behind === 0 || signals.size === 0) return { batches: [], position: end, hasMore: false };
    return this.#options.read(async (reader) => {
      const isTooMuch =
        behind > writesUncounted && (await countOf(reader, after, end, signals)) > valuesBehindMax;
      return isTooMuch ? null : readChanges(reader, after, end, signals);
    });
  }

  subscribe(listener: () => void): () => void {
    return this.#options.notices.subscribe(listener);
  }

  /** The place after all writes up to a number. */
  #after(number: number): ChangePosition {
    const seq = number * batchesOfGroup + batchesOfGroup - 1;
    return { seq, mark: this.#options.numbers.mark, row: 0 };
  }
}

async function readChanges(
  reader: RunReader,
  after: ChangePosition,
  end: ChangePosition,
  signals: ReadonlySet<number>,
): Promise<Changes> {
  const columns = [
    'toFloat64(time) AS t',
    'value AS v',
    `toFloat64(intDiv(version, ${placesOfGroup})) AS n`,
    `toFloat64(version % ${placesOfGroup}) AS p`,
  ];
  const tail = `ORDER BY version, time, signal LIMIT ${rowsMax}`;
  const answers = new Map<string, Row[]>();
  const selection = { columns, isFinal: false, condition: rangeSql(after, end), tail };
  await reader.select([...signals], selection, ([numbers, timesUs, values, groups, places], statement) => {
    const rows = answers.get(statement) ?? [];
    answers.set(statement, rows);
    for (const [i, signal] of numbers.entries())
      rows.push({
        ...{ signal, timeUs: timesUs[i], value: values[i] },
        seq: groups[i] * batchesOfGroup + places[i],
      });
  });
  return changesOf([...answers.values()], end);
}

async function countOf(
  reader: RunReader,
  after: ChangePosition,
  end: ChangePosition,
  signals: ReadonlySet<number>,
): Promise<number> {
  let sum = 0;
  const selection = {
    ...{ columns: ['toFloat64(count()) AS c'], isFinal: false },
    ...{ condition: rangeSql(after, end), tail: 'GROUP BY signal' },
  };
  await reader.select([...signals], selection, ([, counts]) => {
    for (const count of counts) sum += count;
  });
  return sum;
}

/** Rows after a place and not after another one. */
function rangeSql({ seq, row }: ChangePosition, end: ChangePosition): string {
  const range = `version <= ${versionOf(end.seq)}`;
  if (row === 0) return `version > ${versionOf(seq)} AND ${range}`;
  const version = versionOf(seq);
  return `version >= ${version} AND ${range} AND (version > ${version} OR time >= ${timeOf(row)})`;
}

function versionOf(seq: number): bigint {
  const place = seq % batchesOfGroup;
  return BigInt((seq - place) / batchesOfGroup) * BigInt(placesOfGroup) + BigInt(place);
}

/** Puts the answers of several statements together, as far as all of them go. */
function changesOf(answers: readonly Row[][], end: ChangePosition): Changes {
  const cut = answers.filter(({ length }) => length === rowsMax).map((rows) => rows[rowsMax - 1]);
  const last = cut.reduce<Row | null>(
    (first, row) => (first === null || isBefore(row, first) ? row : first),
    null,
  );
  if (last === null) return { batches: batchesOf(answers.flat(), end.mark), position: end, hasMore: false };
  const horizon: Horizon = { seq: last.seq, timeUs: timeOf(rowOf(last.timeUs)) };
  const complete = answers.flatMap((rows) => rows.filter((row) => isBefore(row, horizon)));
  const row = rowOf(horizon.timeUs);
  // Before the first of all times there is no place inside of a batch, only the one before it.
  const position = { seq: row === 0 ? horizon.seq - 1 : horizon.seq, mark: end.mark, row };
  return { batches: batchesOf(complete, end.mark, horizon), position, hasMore: true };
}

function isBefore(a: Horizon, b: Horizon): boolean {
  return a.seq === b.seq ? a.timeUs < b.timeUs : a.seq < b.seq;
}

/** The batches of rows in any order; what is left of one that goes on behind the horizon has its place there. */
function batchesOf(rows: Row[], mark: number, horizon: Horizon | null = null): ChangedBatch[] {
  rows.sort((a, b) => a.seq - b.seq || a.timeUs - b.timeUs);
  const batches: ChangedBatch[] = [];
  for (let from = 0; from < rows.length; ) {
    const to = pieceEnd(rows, from);
    const [{ seq }, next] = [rows[from], rows[to] ?? horizon];
    const row = next?.seq === seq ? rowOf(next.timeUs) : 0;
    batches.push({ position: { seq, mark, row }, points: columnsOf(rows.slice(from, to)) });
    from = to;
  }
  return batches;
}

/** Where the piece that begins at a row ends: with its batch, or with a time for which there is a place. */
function pieceEnd(rows: readonly Row[], from: number): number {
  let to = from + 1;
  for (; to < rows.length && rows[to].seq === rows[from].seq; to++)
    if (to - from >= batchValuesMax && rowOf(rows[to].timeUs) !== rowOf(rows[to - 1].timeUs)) return to;
  return to;
}

function columnsOf(rows: readonly Row[]): ChangedPoints[] {
  const bySignal = Map.groupBy(rows, ({ signal }) => signal);
  return [...bySignal].map(([signal, own]) => ({
    signal,
    timesUs: Float64Array.from(own, ({ timeUs }) => timeUs),
    values: Float64Array.from(own, ({ value }) => value),
  }));
}

/** The place inside of a batch before a time and the next smaller one if that is even: 2^53 places for 2^54 times. */
function rowOf(timeUs: number): number {
  return (timeUs - Math.abs(timeUs % 2)) / 2 + timesHalf / 2;
}

/** The first time after a place inside of a batch. */
function timeOf(row: number): number {
  return (row - timesHalf / 2) * 2;
}
