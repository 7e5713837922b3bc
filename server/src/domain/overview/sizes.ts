/** How much there is of signals: what tables of signals show beside their names. */
import type { MetaStore, SeriesStore, SignalSize } from '#storage/store';

/** Finds sizes. */
export class Sizes {
  readonly #meta: MetaStore;
  readonly #series: SeriesStore;

  constructor({ meta, series }: { meta: MetaStore; series: SeriesStore }) {
    this.#meta = meta;
    this.#series = series;
  }

  /** The size of each signal. Unknown IDs are left out. */
  async ofSignals(ids: readonly string[], signal: AbortSignal): Promise<Map<string, SignalSize>> {
    const signals = await this.#meta.signalsById(ids);
    const sizes = await this.#series.sizes(
      signals.map(({ number }) => number),
      signal,
    );
    return new Map(signals.map(({ id }, i) => [id, sizes[i]]));
  }
}
