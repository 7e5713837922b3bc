/**
 * Rollups that the servers compute with the same result as `model/rollup`, as far as that is certain: a source of which some bucket
 * is not is computed from its points.
 */
import type { Buckets } from '#model/bucket';
import type { Rollup } from '#model/rollup';
import type { Statistic } from '#model/statistic';
import type { Window } from '#model/window';
import type { RollupRequest, RollupSource } from '../store.ts';
import { type RunReader, rangeSql } from './runs.ts';
import { columnsFor, partsFor, statisticOf } from './statistic-columns.ts';

/** Edges that a statement names at most, where buckets are not equally wide. */
const edgesMax = 5000;

/** The function that finds the edge at or before a time; old releases do not have it. */
const edgeFunction = 'roundDown';

/** How servers find the bucket of a time. */
interface BucketColumn {
  sql: string;
  /** The index of the bucket, by what a server answers. */
  indexOf(answer: number): number;
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
  range: string;
  statistics: readonly Statistic[];
  places: number[];
}

/** Sources without a time that counts are left out. */
function groupsOf(sources: readonly RollupSource[], { edgesUs }: Buckets): Group[] {
  const groups = new Map<string, Group>();
  for (const [i, { window, statistics }] of sources.entries()) {
    const range = rangeSql(within(window, edgesUs));
    if (range === null) continue;
    const name = `${range} ${statistics.join()}`;
    const group = groups.get(name) ?? { range, statistics, places: [] };
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
    return { sql: `toFloat64(intDiv(time - (${edgesUs[0]}), ${stepUs})) AS b`, indexOf: (index) => index };
  if (edgesUs.length > edgesMax || !(await reader.hasFunction(edgeFunction))) return null;
  const edges = [...edgesUs.subarray(0, -1)].map(Math.ceil);
  const indexes = new Map(edges.map((edge, i) => [edge, i]));
  return {
    sql: `toFloat64(${edgeFunction}(time, [${edges.map((edge) => `toInt64(${edge})`).join()}])) AS b`,
    indexOf: (edge) => indexes.get(edge) ?? Number.NaN,
  };
}

async function readGroup(
  reader: RunReader,
  { range, statistics }: Group,
  column: BucketColumn,
  takers: ReadonlyMap<number, readonly { target: Target }[]>,
): Promise<void> {
  const parts = partsFor(statistics);
  const places = new Map<string, number>(parts.map((part, i) => [part, i]));
  const selection = {
    ...{ columns: [column.sql, ...columnsFor(parts)], isFinal: true },
    ...{ condition: range, tail: 'GROUP BY signal, b' },
  };
  await reader.select([...takers.keys()], selection, ([signals, answers, ...values]) => {
    for (const [row, signal] of signals.entries()) {
      const partOf = (part: string) => values[places.get(part) ?? 0][row];
      for (const { target } of takers.get(signal) ?? []) target.put(column.indexOf(answers[row]), partOf);
    }
  });
}
