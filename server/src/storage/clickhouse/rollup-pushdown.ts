/**
 * Rollups that a server computes with the same result as `model/rollup`: counts, extremes, first and last values in buckets of
 * equal width. Sums are not among them: those of a server are not compensated, and depend on the order of its threads.
 */
import type { Buckets } from '#model/bucket';
import type { Rollup } from '#model/rollup';
import type { Statistic } from '#model/statistic';
import type { Window } from '#model/window';
import type { RollupRequest, RollupSource } from '../store.ts';
import { type RunReader, rangeSql } from './runs.ts';

/** The statistics, as a server computes them. */
const expressions: Partial<Record<Statistic, string>> = {
  count: 'toFloat64(count())',
  min: 'min(value)',
  max: 'max(value)',
  first: 'argMin(value, time)',
  last: 'argMax(value, time)',
};

/** Whether a server's rollup of a source is that of the model: its points are of one signal, so that none hides another. */
export function isPushedDown(
  { signals, statistics, states }: RollupSource,
  { stepUs, edgesUs }: Buckets,
): boolean {
  return (
    signals.length === 1 &&
    states.length === 0 &&
    statistics.length > 0 &&
    statistics.every((statistic) => expressions[statistic] !== undefined) &&
    stepUs !== null &&
    Number.isInteger(stepUs) &&
    Number.isInteger(edgesUs[0])
  );
}

/** The rollups of sources that {@link isPushedDown} accepts. */
export async function pushDown(reader: RunReader, { sources, buckets }: RollupRequest): Promise<Rollup[]> {
  const rollups = sources.map(({ statistics }) => emptyRollup(statistics, buckets));
  for (const group of groupsOf(sources)) {
    const takers = new Map<number, Map<Statistic, Float64Array>[]>();
    for (const i of group.places) {
      const [signal] = sources[i].signals;
      takers.set(signal, [...(takers.get(signal) ?? []), rollups[i]]);
    }
    await readGroup(reader, group, buckets, takers);
  }
  return rollups.map((statistics) => ({ statistics, states: new Map() }));
}

/** Sources of one window and the same statistics, by their places in the request. */
interface Group {
  window: Window;
  statistics: readonly Statistic[];
  places: number[];
}

function groupsOf(sources: readonly RollupSource[]): Group[] {
  const groups = new Map<string, Group>();
  for (const [i, { window, statistics }] of sources.entries()) {
    const name = `${window.startUs} ${window.endUs} ${statistics.join()}`;
    const group = groups.get(name) ?? { window, statistics, places: [] };
    group.places.push(i);
    groups.set(name, group);
  }
  return [...groups.values()];
}

function emptyRollup(statistics: readonly Statistic[], { edgesUs }: Buckets): Map<Statistic, Float64Array> {
  const column = () => new Float64Array(edgesUs.length - 1).fill(Number.NaN);
  return new Map(statistics.map((statistic) => [statistic, column()]));
}

async function readGroup(
  reader: RunReader,
  { window, statistics }: Group,
  { edgesUs, stepUs }: Buckets,
  takers: ReadonlyMap<number, readonly Map<Statistic, Float64Array>[]>,
): Promise<void> {
  const range = rangeSql({
    startUs: Math.max(window.startUs, edgesUs[0]),
    endUs: Math.min(window.endUs, edgesUs[edgesUs.length - 1]),
  });
  if (range === null) return;
  const bucket = `toFloat64(intDiv(time - (${edgesUs[0]}), ${stepUs})) AS b`;
  const columns = [bucket, ...statistics.map((statistic, i) => `${expressions[statistic]} AS c${i}`)];
  await reader.select(
    [...takers.keys()],
    { columns, isFinal: true, condition: range, tail: 'GROUP BY signal, b' },
    ([signals, numbers, ...values]) => {
      for (const [row, signal] of signals.entries()) {
        for (const target of takers.get(signal) ?? [])
          for (const [i, statistic] of statistics.entries()) {
            const column = target.get(statistic);
            if (column !== undefined) column[numbers[row]] = values[i][row];
          }
      }
    },
  );
}
