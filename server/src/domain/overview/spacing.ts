/** Intervals between a signal's newest points, compared with its declared interval, and its gaps. */
import { hourUs } from '#model/duration';
import type { Points } from '#model/frame';
import { instantUsMax } from '#model/instant';
import type { Attributes } from '#model/signal';
import type { Window } from '#model/window';
import type { MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';

/** The times between the newest points of a signal, µs. */
export interface SpacingFigures {
  /** Number of points examined. */
  points: number;
  /** Times of the first and the last of them; null without points. */
  fromUs: number | null;
  toUs: number | null;
  /** The median interval; null with fewer than two points. */
  medianUs: number | null;
  leastUs: number | null;
  mostUs: number | null;
  /** Longer intervals are gaps: the declared gap, else three times the declared interval, else three times the median. */
  gapUs: number | null;
  gapCount: number;
  /** The most recent gaps, newest first: from the point before to the point after. */
  gaps: Window[];
}

/** Maximum number of points examined, of points in one read, and of gaps returned. */
const pointsMax = 1000;
const scannedMax = 20_000;
const gapsMax = 10;
/** Without a declared gap, three missed samples are one. */
const missedSamples = 3;

/** Finds spacings. */
export class Spacing {
  readonly #meta: Pick<MetaReads, 'signals'>;
  readonly #series: SeriesStore;

  constructor({ meta, series }: { meta: Pick<MetaReads, 'signals'>; series: SeriesStore }) {
    this.#meta = meta;
    this.#series = series;
  }

  /** The spacing of one signal's newest points; null when there is no such signal. */
  async ofSignal(id: string, signal: AbortSignal): Promise<SpacingFigures | null> {
    const [found] = await this.#meta.signals.byId([id]);
    if (found === undefined) return null;
    const { number, attributes } = found;
    const points = await this.#newest(number, attributes.sampleIntervalUs, signal);
    return spacingOf(points.timesUs, attributes);
  }

  /** The newest points, at most {@link pointsMax}: extends the time range before the last point as far as necessary. */
  async #newest(number: number, intervalUs: number | null, signal: AbortSignal): Promise<Points> {
    const end = { startUs: instantUsMax - 1, endUs: instantUsMax };
    const { timesUs } = await this.#scan(number, end, true, signal);
    if (timesUs.length === 0) return { timesUs, values: timesUs };
    const lastUs = timesUs[timesUs.length - 1];
    const window = await this.#window(number, lastUs, (intervalUs ?? hourUs / pointsMax) * pointsMax, signal);
    const points = await this.#scan(number, window, true, signal);
    return { timesUs: points.timesUs.slice(-pointsMax), values: points.values.slice(-pointsMax) };
  }

  async #window(number: number, lastUs: number, firstUs: number, signal: AbortSignal): Promise<Window> {
    let us = Math.ceil(firstUs);
    for (;;) {
      signal.throwIfAborted();
      const window = { startUs: Math.max(-instantUsMax, lastUs - us), endUs: lastUs + 1 };
      const [count] = await this.#series.countPoints([number], window);
      if (count > scannedMax) us = Math.floor(us / 16);
      else if (count >= pointsMax / 4 || window.startUs === -instantUsMax) return window;
      else if (await this.#isDenser(number, lastUs, us * 4)) return window;
      else us *= 4;
    }
  }

  /** Whether a longer time range would have too many points to read. */
  async #isDenser(number: number, lastUs: number, us: number): Promise<boolean> {
    const window = { startUs: Math.max(-instantUsMax, lastUs - us), endUs: lastUs + 1 };
    const [count] = await this.#series.countPoints([number], window);
    return count > scannedMax;
  }

  async #scan(number: number, window: Window, before: boolean, signal: AbortSignal): Promise<Points> {
    const [points] = await this.#series.scan(
      { sources: [{ signals: [number], window, before, after: false }] },
      signal,
    );
    return points;
  }
}

/** The statistics of ascending times. */
export function spacingOf(
  timesUs: Float64Array,
  { sampleIntervalUs, gapDetectionUs }: Pick<Attributes, 'sampleIntervalUs' | 'gapDetectionUs'>,
): SpacingFigures {
  const steps = Float64Array.from(timesUs.subarray(1), (us, i) => us - timesUs[i]);
  const sorted = steps.toSorted();
  const medianUs = sorted.at((sorted.length - 1) >> 1) ?? null;
  const sampleUs = sampleIntervalUs ?? medianUs;
  const gapUs = gapDetectionUs ?? (sampleUs === null ? null : sampleUs * missedSamples);
  const gaps = [...steps.keys()].filter((i) => gapUs !== null && steps[i] > gapUs);
  return {
    points: timesUs.length,
    fromUs: timesUs.at(0) ?? null,
    toUs: timesUs.at(-1) ?? null,
    medianUs,
    leastUs: sorted.at(0) ?? null,
    mostUs: sorted.at(-1) ?? null,
    gapUs,
    gapCount: gaps.length,
    gaps: gaps
      .slice(-gapsMax)
      .reverse()
      .map((i) => ({ startUs: timesUs[i], endUs: timesUs[i + 1] })),
  };
}
