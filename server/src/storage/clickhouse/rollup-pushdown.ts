/**
 * Rollups that the servers compute with the same result as `model/rollup`, as far as that is certain: a source of which some bucket
 * is not is computed from its points.
 */
import { hash } from 'node:crypto';
import type { Buckets } from '#model/bucket';
import { lowerBound } from '#model/lower-bound';
import type { Rollup } from '#model/rollup';
import type { Statistic } from '#model/statistic';
import type { Window } from '#model/window';
import type { RollupRequest, RollupSource } from '../store.ts';
import type { RowShape, Rows } from './row-cache.ts';
import { eachRun, type RunReader, rangeSql } from './runs.ts';
import { columnsFor, partsFor, statisticOf } from './statistic-columns.ts';

/** Edges that a statement names at most, where buckets are not equally wide. */
const edgesMax = 5000;

/** The function that finds the edge at or before a time; old releases do not have it. */
const edgeFunction = 'roundDown';

/** How servers find the bucket of a time, and what their answers are. */
interface BucketColumn extends Omit<RowShape, 'columnCount'> {
  sql: string;
  /** When the bucket begins, by what a server answers. */
  startOf(answer: number): number;
  /** The index of the bucket that begins then. */
  indexOf(startUs: number): number;
}

/** Whether the servers may compute a source: its points are of one signal, so that none hides another. */
export function isPushedDown({ signals, statistics, states }: RollupSource): boolean {
  return signals.length === 1 && states.length === 0 && statistics.length > 0;
}

/** The rollups of sources that {@link isPushedDown} accepts; null where the result of the servers is not certain. */
export async function pushDown(
  reader: RunReader,
  { sources, buckets }: RollupRequest,
): Promise<(Rollup | null)[]> {
  const column = sources.length === 0 ? null : await bucketColumn(reader, buckets);
  if (column === null) return sources.map(() => null);
  const targets = sources.map(({ statistics }) => new Target(statistics, buckets));
  for (const group of groupsOf(sources, buckets)) {
    const takers = Map.groupBy(
      group.places.map((i) => ({ signal: sources[i].signals[0], target: targets[i] })),
      ({ signal }) => signal,
    );
    await readGroup(reader, group, column, takers);
  }
  return targets.map(({ rollup }) => rollup);
}

/** The rollup of one source while it is being filled. */
class Target {
  readonly #columns: Map<Statistic, Float64Array>;
  #isCertain = true;

  constructor(statistics: readonly Statistic[], { edgesUs }: Buckets) {
    const column = () => new Float64Array(edgesUs.length - 1).fill(Number.NaN);
    this.#columns = new Map(statistics.map((statistic) => [statistic, column()]));
  }

  get rollup(): Rollup | null {
    return this.#isCertain ? { statistics: this.#columns, states: new Map() } : null;
  }

  put(bucket: number, partOf: (part: string) => number): void {
    for (const [statistic, column] of this.#columns) {
      const value = statisticOf(statistic, partOf);
      if (value === null) this.#isCertain = false;
      else column[bucket] = value;
    }
  }
}

/** Sources of one window and the same statistics, by their places in the request. */
interface Group {
  window: Window;
  statistics: readonly Statistic[];
  places: number[];
}

/** Sources without a time that counts are left out. */
function groupsOf(sources: readonly RollupSource[], { edgesUs }: Buckets): Group[] {
  const groups = new Map<string, Group>();
  for (const [i, { window, statistics }] of sources.entries()) {
    const inside = within(window, edgesUs);
    const range = rangeSql(inside);
    if (range === null) continue;
    const name = `${range} ${statistics.join()}`;
    const group = groups.get(name) ?? { window: inside, statistics, places: [] };
    group.places.push(i);
    groups.set(name, group);
  }
  return [...groups.values()];
}

function within({ startUs, endUs }: Window, edgesUs: Float64Array): Window {
  return {
    startUs: Math.max(startUs, edgesUs[0]),
    endUs: Math.min(endUs, edgesUs[edgesUs.length - 1]),
  };
}

/** Null where the servers cannot find the buckets. */
async function bucketColumn(reader: RunReader, { stepUs, edgesUs }: Buckets): Promise<BucketColumn | null> {
  if (stepUs !== null && Number.isInteger(stepUs) && Number.isInteger(edgesUs[0]))
    return equalBuckets(stepUs, edgesUs[0]);
  if (edgesUs.length > edgesMax || !(await reader.hasFunction(edgeFunction))) return null;
  return bucketsBetween(edgesUs.map(Math.ceil));
}

function equalBuckets(stepUs: number, firstUs: number): BucketColumn {
  return {
    name: `every ${stepUs} from ${((firstUs % stepUs) + stepUs) % stepUs}`,
    sql: `toFloat64(intDiv(time - (${firstUs}), ${stepUs})) AS b`,
    startOf: (index) => firstUs + index * stepUs,
    indexOf: (startUs) => Math.round((startUs - firstUs) / stepUs),
    edgeBefore: (us) => firstUs + Math.floor((us - firstUs) / stepUs) * stepUs,
    edgeAfter: (us) => firstUs + Math.ceil((us - firstUs) / stepUs) * stepUs,
  };
}

function bucketsBetween(edgesUs: Float64Array): BucketColumn {
  const starts = edgesUs.subarray(0, -1);
  const indexes = new Map([...starts].map((edge, i) => [edge, i]));
  const list = [...starts].map((edge) => `toInt64(${edge})`).join();
  return {
    name: `between ${hash('sha256', edgesUs)}`,
    sql: `toFloat64(${edgeFunction}(time, [${list}])) AS b`,
    startOf: (edge) => edge,
    indexOf: (startUs) => indexes.get(startUs) ?? Number.NaN,
    edgeBefore: (us) => edgesUs[lowerBound(edgesUs, Math.floor(us) + 1) - 1] ?? Number.NEGATIVE_INFINITY,
    edgeAfter: (us) => edgesUs[lowerBound(edgesUs, us)] ?? Number.POSITIVE_INFINITY,
  };
}

async function readGroup(
  reader: RunReader,
  { window, statistics }: Group,
  column: BucketColumn,
  takers: ReadonlyMap<number, readonly { target: Target }[]>,
): Promise<void> {
  const parts = partsFor(statistics);
  const places = new Map<string, number>(parts.map((part, i) => [part, i + 1]));
  const shape = { ...column, name: `${parts.join()} ${column.name}`, columnCount: parts.length + 1 };
  const request = { signals: [...takers.keys()], window };
  const found = await reader.remembered(shape, request, (signals, gap, take) =>
    readBuckets(reader, { signals, window: gap }, { column, columns: columnsFor(parts) }, take),
  );
  for (const [signal, rows] of found) {
    for (const [row, startUs] of rows[0].entries()) {
      const partOf = (part: string) => rows[places.get(part) ?? 0][row];
      for (const { target } of takers.get(signal) ?? []) target.put(column.indexOf(startUs), partOf);
    }
  }
}

async function readBuckets(
  reader: RunReader,
  { signals, window }: { signals: readonly number[]; window: Window },
  { column, columns }: { column: BucketColumn; columns: readonly string[] },
  take: (signal: number, rows: Rows) => void,
): Promise<void> {
  const range = rangeSql(window);
  if (range === null) return;
  const selection = {
    ...{ columns: [column.sql, ...columns], isFinal: true },
    ...{ condition: range, tail: 'GROUP BY signal, b ORDER BY signal, b' },
  };
  await reader.select(signals, selection, ([numbers, answers, ...values]) => {
    const rows = [answers.map(column.startOf), ...values];
    eachRun(numbers, (signal, from, to) =>
      take(
        signal,
        rows.map((one) => one.subarray(from, to)),
      ),
    );
  });
}
