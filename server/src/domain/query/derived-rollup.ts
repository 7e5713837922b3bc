/** What the values of a calculated item are as a rollup: of one value for each bucket (C3). */
import { computed } from '#model/column-steps';
import type { Rollup } from '#model/rollup';
import type { Statistic } from '#model/statistic';
import type { Steps } from '#model/steps';
import type { Window } from '#model/window';
import type { DerivedItem } from './derived.ts';

/** The columns that are wanted of a calculated item; `values` are over buckets between these edges, NaN for null. */
export function* rollupOfValues(
  values: Float64Array,
  { statistics, states }: Pick<DerivedItem, 'statistics' | 'states'>,
  edgesUs: Float64Array,
  window: Window,
): Steps<Rollup> {
  const rollup = { statistics: new Map<Statistic, Float64Array>(), states: new Map<number, Float64Array>() };
  for (const statistic of statistics) rollup.statistics.set(statistic, yield* statisticOf(values, statistic));
  for (const state of states) rollup.states.set(state, yield* secondsIn(state, values, edgesUs, window));
  return rollup;
}

/** Of one value: the value, but for how many there are and how far they lie apart. */
function* statisticOf(values: Float64Array, statistic: Statistic): Steps<Float64Array> {
  if (statistic !== 'count' && statistic !== 'stddev') return values;
  const of = statistic === 'count' ? 1 : 0;
  return yield* computed(values.length, (b) => (Number.isNaN(values[b]) ? Number.NaN : of));
}

/** A value holds in its bucket, as far as that is inside the window (Q10a). */
function secondsIn(
  state: number,
  values: Float64Array,
  edgesUs: Float64Array,
  window: Window,
): Steps<Float64Array> {
  return computed(values.length, (b) => {
    if (Number.isNaN(values[b])) return Number.NaN;
    return values[b] === state ? insideUs(edgesUs[b], edgesUs[b + 1], window) / 1e6 : 0;
  });
}

/** How much of a bucket counts: of one that the window covers partly that part, of any other, as lead and lag show them, all of it. */
function insideUs(startUs: number, endUs: number, window: Window): number {
  const cutStart = startUs < window.startUs && endUs > window.startUs ? window.startUs : startUs;
  const cutEnd = startUs < window.endUs && endUs > window.endUs ? window.endUs : endUs;
  return cutEnd - cutStart;
}
