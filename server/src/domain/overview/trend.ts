/** Trends of signals in a time range: a few averages of each, for sparklines. */
import { cutBuckets } from '#model/bucket';
import type { Window } from '#model/window';
import type { MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { readRollups } from '../query/read.ts';

/** Averages of each signal. */
export const trendParts = 48;

/** Finds trends. */
export class Trend {
  readonly #meta: Pick<MetaReads, 'signals'>;
  readonly #series: SeriesStore;

  constructor({ meta, series }: { meta: Pick<MetaReads, 'signals'>; series: SeriesStore }) {
    this.#meta = meta;
    this.#series = series;
  }

  /** The averages of {@link trendParts} equal parts of the window (a whole number of µs each), NaN where there is no point. Unknown IDs are left out. */
  async ofSignals(
    ids: readonly string[],
    window: Window,
    signal: AbortSignal,
  ): Promise<Map<string, Float64Array>> {
    const signals = await this.#meta.signals.byId(ids);
    const us = (window.endUs - window.startUs) / trendParts;
    const width = { kind: 'fixed', us } as const;
    const rule = { width, timeZone: 'UTC', firstDayOfWeek: 1, originUs: window.startUs };
    const sources = signals.map(({ number }) => ({
      signals: [number],
      window,
      statistics: ['avg'] as const,
      states: [],
      gapUs: Number.POSITIVE_INFINITY,
    }));
    const buckets = cutBuckets(rule, window);
    const rollups = await readRollups(
      { series: this.#series, signal },
      { sources, buckets, nowUs: window.endUs },
    );
    return new Map(
      rollups.map(({ statistics }, i) => [signals[i].id, statistics.get('avg') ?? new Float64Array(0)]),
    );
  }
}
