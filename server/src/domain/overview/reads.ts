/** What several figures of signals read of the series store. */
import { cutBuckets } from '#model/bucket';
import { instantUsMax } from '#model/instant';
import type { Rollup, Statistic } from '#model/rollup';
import type { Window } from '#model/window';
import type { Source } from '#storage/store';
import { type Reader, readPoints, readRollups } from '../query/read.ts';

/** A point. */
export interface LatestPoint {
  timeUs: number;
  value: number;
}

/** The newest point of each source; null for one without points. */
export async function newestOf(reader: Reader, sources: readonly Source[]): Promise<(LatestPoint | null)[]> {
  const window = { startUs: instantUsMax - 1, endUs: instantUsMax };
  const found = await readPoints(reader, {
    sources: sources.map((signals) => ({ signals, window, before: true, after: false })),
  });
  return found.map(({ timesUs, values }) => {
    const last = timesUs.length - 1;
    return last < 0 ? null : { timeUs: timesUs[last], value: values[last] };
  });
}

/** Statistics of each source in `partCount` equal parts of a window, a whole number of µs each. */
export function rollUpParts(
  reader: Reader,
  sources: readonly Source[],
  window: Window,
  partCount: number,
  statistics: readonly Statistic[],
): Promise<Rollup[]> {
  const width = { kind: 'fixed', us: (window.endUs - window.startUs) / partCount } as const;
  const rule = { width, timeZone: 'UTC', firstDayOfWeek: 1, originUs: window.startUs };
  const gapUs = Number.POSITIVE_INFINITY;
  return readRollups(reader, {
    sources: sources.map((signals) => ({ signals, window, statistics, states: [], gapUs })),
    buckets: cutBuckets(rule, window),
    nowUs: window.endUs,
  });
}
