/** The newest points and the trends of signals and items, for tables. */
import type { Window } from '#model/window';
import type { QueryParts } from '../query/query.ts';
import { newestComputed } from './latest-computed.ts';
import { type LatestPoint, newestOf, rollUpParts } from './reads.ts';

/** Averages in the trend of a signal. */
export const trendParts = 48;

/** Finds newest points and trends, each in one read. Unknown IDs are left out. */
export class Latest {
  readonly #parts: QueryParts;

  constructor(parts: QueryParts) {
    this.#parts = parts;
  }

  /** The newest point of each signal; null for one without points. */
  async ofSignals(ids: readonly string[], signal: AbortSignal): Promise<Map<string, LatestPoint | null>> {
    const signals = await this.#parts.meta.signals.byId(ids);
    const reader = { series: this.#parts.series, signal };
    const points = await newestOf(
      reader,
      signals.map(({ number }) => [number]),
    );
    return new Map(signals.map(({ id }, i) => [id, points[i]]));
  }

  /**
   * The newest point of each item, over all of its signals; null for one without points. Of a calculated item the newest value
   * (C4).
   */
  async ofItems(ids: readonly string[], signal: AbortSignal): Promise<Map<string, LatestPoint | null>> {
    const items = await this.#parts.meta.items.fedById(ids);
    const reader = { series: this.#parts.series, signal };
    const points = await newestOf(
      reader,
      items.map(({ signals }) => signals),
    );
    const computed = await newestComputed(this.#parts, items, signal);
    return new Map(items.map(({ id }, i) => [id, computed.get(id) ?? points[i]]));
  }

  /** The averages of each signal in {@link trendParts} equal parts of the window (a whole number of µs each), NaN where there is no point. */
  async trends(
    ids: readonly string[],
    window: Window,
    signal: AbortSignal,
  ): Promise<Map<string, Float64Array>> {
    const signals = await this.#parts.meta.signals.byId(ids);
    const sources = signals.map(({ number }) => [number]);
    const reader = { series: this.#parts.series, signal };
    const rollups = await rollUpParts(reader, sources, window, trendParts, ['avg']);
    return new Map(signals.map(({ id }, i) => [id, rollups[i].statistics.get('avg') ?? new Float64Array(0)]));
  }
}
