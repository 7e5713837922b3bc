/** Plans of the flat form and of data frames with a rollup (Q7, Q10a): some series for each item. */
import type { Frame } from '#model/frame';
import type { Rollup, Statistic } from '#model/rollup';
import type { Item } from '#model/signal';
import type { FedItem } from '#storage/meta-store';
import { type AnswerShape, bucketsAtOnce, bytesToCompute, checkColumns } from './cost.ts';
import { noReach, type Plan, ruleOf } from './plan.ts';

/** The series of one item. */
interface ItemSeries {
  item: FedItem;
  /** One series for each, under `<item id>_<statistic>`. */
  statistics: readonly Statistic[];
  /** One series for each state seen or named, under `<item id>_state_<n>`. */
  hasStates: boolean;
}

const flatStatistics: readonly Statistic[] = ['sum', 'min', 'max', 'avg', 'count'];
const frameStatistics: readonly Statistic[] = ['count', 'min', 'max', 'sum', 'avg'];

/** Plans the series of items; only `keys`, where given. Fails with `invalid-params` when they are too much to compute. */
export function planItems(
  items: readonly FedItem[],
  keys: readonly string[] | null,
  shape: AnswerShape,
  bucketCount: number,
): Plan {
  const planned = items.map((item) => seriesOf(item, keys, shape)).filter(hasAny);
  const columnCount = planned.reduce((sum, series) => sum + countSeries(series), 0);
  checkColumns(shape, bucketCount, columnCount);
  // Which states there are is seen when they are read.
  const hasStates = planned.some((series) => series.hasStates);
  const atOnce = bucketsAtOnce(hasStates ? Math.max(columnCount, 4 * planned.length, 16) : columnCount);
  const nothing: Rollup = { statistics: new Map(), states: new Map() };
  return {
    shape,
    rule: ruleOf(shape),
    sources: planned.map(({ item, statistics, hasStates }) => {
      return { item, statistics, states: hasStates ? 'seen' : [], reach: noReach };
    }),
    reach: noReach,
    bucketsAtOnce: atOnce,
    bytes: bytesToCompute(bucketCount, atOnce, columnCount, columnCount, shape.limits),
    keys: planned.flatMap((series) => columnsOf(series, nothing, 0, keys).map(([key]) => key)),
    *compute({ count }, rollups) {
      const columns: [string, Float64Array][] = [];
      for (const [i, series] of planned.entries()) {
        const own = columnsOf(series, rollups[i], count, keys);
        columns.push(...own);
        yield count * own.length;
      }
      return new Map(columns);
    },
    inOrder: (found) => inOrder(planned, found),
  };
}

function seriesOf(item: FedItem, keys: readonly string[] | null, { form }: AnswerShape): ItemSeries {
  const hasStates = form === 'data-frame' && item.attributes.valueType === 'enum';
  const statistics = hasStates ? [] : form === 'flat' ? flatStatistics : frameStatistics;
  if (keys === null) return { item, statistics, hasStates };
  return {
    item,
    statistics: statistics.filter((statistic) => keys.includes(`${item.id}_${statistic}`)),
    hasStates: hasStates && keys.some((key) => key.startsWith(`${item.id}_state_`)),
  };
}

function hasAny({ hasStates, statistics }: ItemSeries): boolean {
  return hasStates || statistics.length > 0;
}

/** How many series there will be at least. */
function countSeries({ item, statistics, hasStates }: ItemSeries): number {
  return statistics.length + (hasStates ? Math.max(1, item.attributes.enumValues.size) : 0);
}

/** The series of an item by key, in the order of Q7; states ascending. */
function columnsOf(
  { item, statistics, hasStates }: ItemSeries,
  rollup: Rollup,
  bucketCount: number,
  keys: readonly string[] | null,
): [string, Float64Array][] {
  const columns = statistics.map((statistic): [string, Float64Array] => [
    `${item.id}_${statistic}`,
    rollup.statistics.get(statistic) ?? nulls(bucketCount),
  ]);
  for (const [state, column] of hasStates ? namedStates(item, rollup, bucketCount) : [])
    columns.push([`${item.id}_state_${state}`, column]);
  return keys === null ? columns : columns.filter(([key]) => keys.includes(key));
}

/** The states that were seen, and those that have a name: 0 seconds wherever some state held (Q10). */
function namedStates(item: Item, { states }: Rollup, bucketCount: number): [number, Float64Array][] {
  const columns = new Map(states);
  const [seen] = states.values();
  const absent = seen === undefined ? nulls(bucketCount) : zerosWhereHeld(seen);
  for (const key of item.attributes.enumValues.keys()) {
    if (!columns.has(Number(key))) columns.set(Number(key), absent);
  }
  return [...columns].sort(([a], [b]) => a - b);
}

/** The seconds in a state that never held, from those of any other state of the item: null where none held. */
function zerosWhereHeld(other: Float64Array): Float64Array {
  return other.map((seconds) => (Number.isNaN(seconds) ? seconds : 0));
}

/** The values of a state that a piece of an answer has not seen, but others have (Q10a). */
export function unseenState(key: string, { timesUs, series }: Frame): Float64Array {
  const prefix = key.slice(0, key.lastIndexOf('_') + 1);
  const other = [...series].find(([known]) => known.startsWith(prefix));
  return other === undefined ? nulls(timesUs.length) : zerosWhereHeld(other[1]);
}

function nulls(count: number): Float64Array {
  return new Float64Array(count).fill(Number.NaN);
}

/** Keys in the order of Q7: by item, states ascending; states that were seen late come last in `found`. */
function inOrder(planned: readonly ItemSeries[], found: readonly string[]): string[] {
  const byItem = Map.groupBy(found, (key) => key.slice(0, key.indexOf('_')));
  return planned.flatMap(({ item, hasStates }) => {
    const own = byItem.get(item.id) ?? [];
    return hasStates ? own.sort((a, b) => stateOf(a) - stateOf(b)) : own;
  });
}

function stateOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('_') + 1));
}
