/** The history of signals in a time range, published or not: minima and maxima of equal parts, and the newest points. */
import type { Clock } from '#model/environment';
import { AppError } from '#model/error';
import type { Statistic } from '#model/rollup';
import type { Window } from '#model/window';
import type { MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { type LatestPoint, newestOf, rollUpParts } from './reads.ts';

interface HistoryOptions {
  meta: Pick<MetaReads, 'signals'>;
  series: SeriesStore;
  clock: Clock;
}

/** One part of the range. A part without points has count 0 and otherwise NaN. */
export interface HistoryPart {
  startUs: number;
  count: number;
  min: number;
  max: number;
  avg: number;
  last: number;
}

/** A time range of signals that are read as one. */
export interface HistoryFigures {
  window: Window;
  parts: HistoryPart[];
  /** The newest first. */
  newest: LatestPoint[];
}

/** Parts of a range. */
export const historyParts = 240;
/** Points among {@link HistoryFigures.newest}. */
export const newestMax = 50;
/** Maximum number of points read to find the newest ones; above it their range is divided again. */
const scannedMax = 5000;

const statistics = ['count', 'min', 'max', 'avg', 'last'] as const satisfies readonly Statistic[];

/** Reads time ranges of signals. */
export class History {
  readonly #options: HistoryOptions;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  /**
   * The last `lengthUs` before the current time; if they have no points, those up to the newest point. The signals are read as
   * one series, as for an item. Fails with `not-found` when one of them does not exist.
   */
  async ofSignals(ids: readonly string[], lengthUs: number, signal: AbortSignal): Promise<HistoryFigures> {
    const found = await this.#options.meta.signals.byId(ids);
    const missing = ids.find((id) => !found.some((one) => one.id === id));
    if (missing !== undefined) throw new AppError('not-found', `no signal has the ID ${missing}`);
    const numbers = found.map(({ number }) => number).sort((a, b) => a - b);
    const window = await this.#window(numbers, lengthUs, signal);
    const parts = await this.#parts(numbers, window, signal);
    return { window, parts, newest: await this.#newest(numbers, window, parts, signal) };
  }

  async #window(numbers: readonly number[], lengthUs: number, signal: AbortSignal): Promise<Window> {
    const nowUs = this.#options.clock.nowUs();
    const [last] = await newestOf({ series: this.#options.series, signal }, [numbers]);
    const isOutside = last !== null && (last.timeUs > nowUs || last.timeUs < nowUs - lengthUs);
    const partUs = Math.ceil(lengthUs / historyParts);
    const endUs = isOutside ? last.timeUs + 1 : nowUs;
    return { startUs: endUs - partUs * historyParts, endUs };
  }

  async #parts(numbers: readonly number[], window: Window, signal: AbortSignal): Promise<HistoryPart[]> {
    const us = (window.endUs - window.startUs) / historyParts;
    const reader = { series: this.#options.series, signal };
    const [rollup] = await rollUpParts(reader, [numbers], window, historyParts, statistics);
    const of = (name: Statistic, i: number) => rollup.statistics.get(name)?.[i] ?? Number.NaN;
    return Array.from({ length: historyParts }, (_, i) => ({
      startUs: window.startUs + i * us,
      count: of('count', i) || 0,
      min: of('min', i),
      max: of('max', i),
      avg: of('avg', i),
      last: of('last', i),
    }));
  }

  /** Finds the newest points by the counts of the parts; a part with too many points is divided again. */
  async #newest(
    numbers: readonly number[],
    { endUs }: Window,
    parts: readonly HistoryPart[],
    signal: AbortSignal,
    wanted = newestMax,
  ): Promise<LatestPoint[]> {
    let count = 0;
    const i = parts.findLastIndex((part) => {
      count += part.count;
      return count >= wanted;
    });
    const first = Math.max(i, 0);
    const nextUs = parts.at(first + 1)?.startUs ?? endUs;
    const later = nextUs < endUs ? await this.#scan(numbers, { startUs: nextUs, endUs }, signal) : [];
    const part = await this.#newestOf(numbers, parts[first], nextUs, wanted - later.length, signal);
    return [...later.reverse(), ...part];
  }

  async #newestOf(
    numbers: readonly number[],
    { startUs, count }: HistoryPart,
    endUs: number,
    wanted: number,
    signal: AbortSignal,
  ): Promise<LatestPoint[]> {
    const partUs = Math.ceil((endUs - startUs) / historyParts);
    if (count <= scannedMax || partUs === 1) {
      const points = await this.#scan(numbers, { startUs, endUs }, signal);
      return points.reverse().slice(0, wanted);
    }
    const window = { startUs: endUs - partUs * historyParts, endUs };
    return this.#newest(numbers, window, await this.#parts(numbers, window, signal), signal, wanted);
  }

  async #scan(numbers: readonly number[], window: Window, signal: AbortSignal): Promise<LatestPoint[]> {
    const sources = [{ signals: numbers, window, before: false, after: false }];
    const [{ timesUs, values }] = await this.#options.series.scan({ sources }, signal);
    return Array.from(timesUs, (timeUs, i) => ({ timeUs, value: values[i] }));
  }
}
