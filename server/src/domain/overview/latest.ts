/** The newest point of signals and items, for tables. */
import { instantUsMax } from '#model/instant';
import type { MetaReads } from '#storage/meta-store';
import type { SeriesStore, Source } from '#storage/store';
import { readPoints } from '../query/read.ts';

/** A point. */
export interface LatestPoint {
  timeUs: number;
  value: number;
}

/** Finds newest points. */
export class Latest {
  readonly #meta: Pick<MetaReads, 'signals' | 'items'>;
  readonly #series: SeriesStore;

  constructor({ meta, series }: { meta: Pick<MetaReads, 'signals' | 'items'>; series: SeriesStore }) {
    this.#meta = meta;
    this.#series = series;
  }

  /** The newest point of each signal, in one read; null for one without points. Unknown IDs are left out. */
  async ofSignals(ids: readonly string[], signal: AbortSignal): Promise<Map<string, LatestPoint | null>> {
    const signals = await this.#meta.signals.byId(ids);
    return this.#read(new Map(signals.map(({ id, number }) => [id, [number]])), signal);
  }

  /** The newest point of each item, over all of its signals; null for one without points. Unknown IDs are left out. */
  async ofItems(ids: readonly string[], signal: AbortSignal): Promise<Map<string, LatestPoint | null>> {
    const items = await this.#meta.items.fedById(ids);
    return this.#read(new Map(items.map(({ id, signals }) => [id, signals])), signal);
  }

  async #read(
    numbersById: ReadonlyMap<string, Source>,
    signal: AbortSignal,
  ): Promise<Map<string, LatestPoint | null>> {
    const window = { startUs: instantUsMax - 1, endUs: instantUsMax };
    const sources = [...numbersById.values()].map((signals) => ({
      signals,
      window,
      before: true,
      after: false,
    }));
    const found = await readPoints({ series: this.#series, signal }, { sources });
    const newest = found.map(({ timesUs, values }) => {
      const last = timesUs.length - 1;
      return last < 0 ? null : { timeUs: timesUs[last], value: values[last] };
    });
    return new Map([...numbersById.keys()].map((id, i) => [id, newest[i]]));
  }
}
