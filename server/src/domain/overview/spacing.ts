/** Intervals between a signal's newest points, compared with its declared interval, and its gaps. */
import { bug } from '#model/error';
import { instantUsMax } from '#model/instant';
import type { Attributes } from '#model/signal';
import type { Window } from '#model/window';
import type { MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { readRollups } from '../query/read.ts';
import { newestOf } from './reads.ts';

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
  readonly #options: { meta: Pick<MetaReads, 'signals'>; series: SeriesStore };

  constructor(options: { meta: Pick<MetaReads, 'signals'>; series: SeriesStore }) {
    this.#options = options;
  }

  /** The spacing of one signal's newest points; null when there is no such signal. */
  async ofSignal(id: string, signal: AbortSignal): Promise<SpacingFigures | null> {
    const [found] = await this.#options.meta.signals.byId([id]);
    if (found === undefined) return null;
    const { number, attributes } = found;
    return spacingOf(await this.#newest(number, signal), attributes);
  }

  /** The times of the newest points, at most {@link pointsMax}. */
  async #newest(number: number, signal: AbortSignal): Promise<Float64Array> {
    const [last] = await newestOf({ series: this.#options.series, signal }, [[number]]);
    if (last === null) return new Float64Array(0);
    const window = await this.#window(number, last.timeUs, signal);
    const sources = [{ signals: [number], window, before: true, after: false }];
    const [{ timesUs }] = await this.#options.series.scan({ sources }, signal);
    return timesUs.slice(-pointsMax);
  }

  /** A time range up to the last point: {@link pointsMax} points or more where there are so many, but not too many to read. */
  async #window(number: number, lastUs: number, signal: AbortSignal): Promise<Window> {
    const endUs = lastUs + 1;
    const lengthsUs = Array.from({ length: 25 }, (_, i) => 4 ** (27 - i));
    const startsUs = lengthsUs.map((us) => endUs - us).filter((us) => us > -instantUsMax);
    const edgesUs = Float64Array.of(-instantUsMax, ...startsUs, endUs);
    const counts = await this.#counts(number, edgesUs, signal);
    let startUs = edgesUs[counts.length - 1];
    let count = 0;
    for (let i = counts.length - 1; i >= 0 && count < pointsMax; i--) {
      count += counts[i] || 0;
      if (count > scannedMax) break;
      startUs = edgesUs[i];
    }
    return { startUs, endUs };
  }

  /** The points between these edges, in one read; NaN for none. */
  async #counts(number: number, edgesUs: Float64Array, signal: AbortSignal): Promise<Float64Array> {
    const window = { startUs: edgesUs[0], endUs: edgesUs[edgesUs.length - 1] };
    const source = { signals: [number], window, statistics: ['count'], states: [], gapUs: 0 } as const;
    const request = { sources: [source], buckets: { edgesUs, stepUs: null }, nowUs: window.endUs };
    const [{ statistics }] = await readRollups({ series: this.#options.series, signal }, request);
    return statistics.get('count') ?? bug('points were not counted');
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
