/** Which series an item has in an answer with a rollup (Q7), and how they come out of what was read. */
import type { Rollup, Statistic } from '#model/rollup';
import type { Item } from '#model/signal';

/** The series of one item. */
export interface ItemSeries {
  item: Item;
  /** One series for each, under `<item id>_<statistic>`. */
  statistics: readonly Statistic[];
  /** One series for each state seen or named, under `<item id>_state_<n>`. */
  hasStates: boolean;
}

const flatStatistics: readonly Statistic[] = ['sum', 'min', 'max', 'avg', 'count'];
const frameStatistics: readonly Statistic[] = ['count', 'min', 'max', 'sum', 'avg'];

/** The flat form: five statistics of every item. Only `keys`, where given. */
export function flatSeries(items: readonly Item[], keys: readonly string[] | null): ItemSeries[] {
  return items
    .map((item) => select({ item, statistics: flatStatistics, hasStates: false }, keys))
    .filter(hasAny);
}

/** A data frame: five statistics of numeric items, the states of enum items. Only `keys`, where given. */
export function frameSeries(items: readonly Item[], keys: readonly string[] | null): ItemSeries[] {
  return items
    .map((item) => {
      const hasStates = item.attributes.valueType === 'enum';
      return select({ item, statistics: hasStates ? [] : frameStatistics, hasStates }, keys);
    })
    .filter(hasAny);
}

function select(series: ItemSeries, keys: readonly string[] | null): ItemSeries {
  if (keys === null) return series;
  const { item, statistics, hasStates } = series;
  return {
    item,
    statistics: statistics.filter((statistic) => keys.includes(`${item.id}_${statistic}`)),
    hasStates: hasStates && keys.some((key) => key.startsWith(`${item.id}_state_`)),
  };
}

function hasAny(series: ItemSeries): boolean {
  return series.hasStates || series.statistics.length > 0;
}

/** How many series there will be at least. */
export function countSeries(planned: readonly ItemSeries[]): number {
  return planned.reduce((sum, { item, statistics, hasStates }) => {
    return sum + statistics.length + (hasStates ? Math.max(1, item.attributes.enumValues.size) : 0);
  }, 0);
}

/** The series of an item by key, in the order of Q7; states ascending. Only `keys`, where given. */
export function columnsOf(
  { item, statistics, hasStates }: ItemSeries,
  rollup: Rollup,
  bucketCount: number,
  keys: readonly string[] | null,
): [string, Float64Array][] {
  const columns = statistics.map((statistic): [string, Float64Array] => [
    `${item.id}_${statistic}`,
    rollup.statistics.get(statistic) ?? nulls(bucketCount),
  ]);
  if (hasStates) {
    for (const [state, column] of namedStates(item, rollup, bucketCount))
      columns.push([`${item.id}_state_${state}`, column]);
  }
  return keys === null ? columns : columns.filter(([key]) => keys.includes(key));
}

/** The states that were seen, and those that have a name: 0 seconds wherever some state held (Q10). */
function namedStates(item: Item, { states }: Rollup, bucketCount: number): [number, Float64Array][] {
  const columns = new Map(states);
  const [seen] = states.values();
  const absent =
    seen === undefined ? nulls(bucketCount) : seen.map((seconds) => (Number.isNaN(seconds) ? seconds : 0));
  for (const key of item.attributes.enumValues.keys()) {
    if (!columns.has(Number(key))) columns.set(Number(key), absent);
  }
  return [...columns].sort(([a], [b]) => a - b);
}

function nulls(count: number): Float64Array {
  return new Float64Array(count).fill(Number.NaN);
}
