/** What the values of a calculated item are as a rollup: of one value for each bucket (C3). */
import type { Rollup } from '#model/rollup';
import type { Statistic } from '#model/statistic';
import type { Window } from '#model/window';
import type { DerivedItem } from './derived.ts';

/** The columns that are wanted of a calculated item; `values` are over buckets between these edges, NaN for null. */
export function rollupOfValues(
  values: Float64Array,
  { statistics, states }: Pick<DerivedItem, 'statistics' | 'states'>,
  edgesUs: Float64Array,
  window: Window,
): Rollup {
  return {
    statistics: new Map(statistics.map((statistic) => [statistic, statisticOf(values, statistic)])),
    states: new Map(states.map((state) => [state, secondsIn(state, values, edgesUs, window)])),
  };
}

/** Of one value: the value, but for how many there are and how far they lie apart. */
function statisticOf(values: Float64Array, statistic: Statistic): Float64Array {
  if (statistic !== 'count' && statistic !== 'stddev') return values;
  const of = statistic === 'count' ? 1 : 0;
  return values.map((value) => (Number.isNaN(value) ? value : of));
}

/** A value holds in its bucket, as far as that is inside the window (Q10a). */
function secondsIn(state: number, values: Float64Array, edgesUs: Float64Array, window: Window): Float64Array {
  return values.map((value, b) => {
    if (Number.isNaN(value)) return value;
    return value === state ? insideUs(edgesUs[b], edgesUs[b + 1], window) / 1e6 : 0;
  });
}

/** How much of a bucket counts: of one that the window covers partly that part, of any other, as lead and lag show them, all of it. */
function insideUs(startUs: number, endUs: number, window: Window): number {
  const cutStart = startUs < window.startUs && endUs > window.startUs ? window.startUs : startUs;
  const cutEnd = startUs < window.endUs && endUs > window.endUs ? window.endUs : endUs;
  return cutEnd - cutStart;
}
