/** Points in memory: the simplest SeriesStore, with which every other one is compared. */
import { type Ending, signalOf } from '#model/ending';
import type { Points } from '#model/frame';
import type { Window } from '#model/window';
import type { Batch, ScanRequest, ScanSource, SeriesStore, SignalSize } from '#storage/store';
import { MemoryChanges } from './changes.ts';

/**
 * Keeps each signal's points in a map. No {@link SeriesStore.rollup}: the domain computes from scans.
 * Its data end with the process.
 */
export class MemorySeriesStore implements SeriesStore {
  readonly changes = new MemoryChanges();
  readonly givesArraysAlone = true;
  readonly #signals = new Map<number, Map<number, number>>();

  async append(batch: Batch): Promise<void> {
    this.changes.add(batch);
    const { timesUs, signals, values } = batch;
    for (const [column, signal] of signals.entries()) {
      const points = this.#signals.get(signal) ?? new Map<number, number>();
      this.#signals.set(signal, points);
      for (const [row, timeUs] of timesUs.entries()) {
        const value = values[column * timesUs.length + row];
        if (!Number.isNaN(value)) points.set(timeUs, value);
      }
    }
  }

  async scan(request: ScanRequest, ending?: Ending): Promise<Points[]> {
    signalOf(ending)?.throwIfAborted();
    return request.sources.map((source) => this.#scanSource(source));
  }

  async deleteSignals(signals: readonly number[]): Promise<void> {
    for (const signal of signals) this.#signals.delete(signal);
    this.changes.forget();
  }

  async deletePoints(signals: readonly number[], window: Window): Promise<number[]> {
    this.changes.forget();
    return signals.map((signal) => {
      const inside = this.#timesIn(signal, window);
      for (const timeUs of inside) this.#signals.get(signal)?.delete(timeUs);
      return inside.length;
    });
  }

  async deleteBefore(beforeUs: number): Promise<void> {
    await this.deletePoints([...this.#signals.keys()], {
      startUs: Number.NEGATIVE_INFINITY,
      endUs: beforeUs,
    });
  }

  async countPoints(signals: readonly number[], window: Window): Promise<number[]> {
    return signals.map((signal) => this.#timesIn(signal, window).length);
  }

  async sizes(signals: readonly number[], signal?: AbortSignal): Promise<SignalSize[]> {
    signal?.throwIfAborted();
    return signals.map((number) => {
      const points = this.#signals.get(number)?.size ?? 0;
      return { points, bytes: 16 * points };
    });
  }

  async storedSignals(): Promise<number[]> {
    return [...this.#signals]
      .flatMap(([signal, { size }]) => (size > 0 ? [signal] : []))
      .sort((a, b) => a - b);
  }

  async close(): Promise<void> {}

  #timesIn(signal: number, { startUs, endUs }: Window): number[] {
    return [...(this.#signals.get(signal)?.keys() ?? [])].filter((us) => us >= startUs && us < endUs);
  }

  #scanSource(source: ScanSource): Points {
    const union = new Map<number, number>();
    for (const signal of source.signals) {
      for (const [timeUs, value] of this.#signals.get(signal) ?? []) union.set(timeUs, value);
    }
    const { startUs } = source.window;
    const endUs = Math.max(startUs, source.window.endUs);
    const timesUs = [...union.keys()].sort((a, b) => a - b);
    const wanted = timesUs.filter((timeUs) => timeUs >= startUs && timeUs < endUs);
    const before = timesUs.findLast((timeUs) => timeUs < startUs);
    const after = timesUs.find((timeUs) => timeUs >= endUs);
    if (source.before && before !== undefined) wanted.unshift(before);
    if (source.after && after !== undefined) wanted.push(after);
    return {
      timesUs: Float64Array.from(wanted),
      values: Float64Array.from(wanted, (timeUs) => union.get(timeUs)!),
    };
  }
}
