/** The newest point of signals: what tables of signals show beside their names. */
import { instantUsMax } from '#model/instant';
import type { MetaStore, SeriesStore } from '#storage/store';

/** A point. */
export interface LatestPoint {
  timeUs: number;
  value: number;
}

/** Finds newest points. */
export class Latest {
  readonly #meta: MetaStore;
  readonly #series: SeriesStore;

  constructor({ meta, series }: { meta: MetaStore; series: SeriesStore }) {
    this.#meta = meta;
    this.#series = series;
  }

  /** The newest point of each signal, in one read; null for one without points. Unknown IDs are left out. */
  async ofSignals(ids: readonly string[], signal: AbortSignal): Promise<Map<string, LatestPoint | null>> {
    const signals = await this.#meta.signalsById(ids);
    const window = { startUs: instantUsMax - 1, endUs: instantUsMax };
    const sources = signals.map(({ number }) => ({ signals: [number], window, before: true, after: false }));
    const found = sources.length === 0 ? [] : await this.#series.scan({ sources }, signal);
    return new Map(
      found.map(({ timesUs, values }, i) => [
        signals[i].id,
        timesUs.length === 0
          ? null
          : { timeUs: timesUs[timesUs.length - 1], value: values[values.length - 1] },
      ]),
    );
  }
}
