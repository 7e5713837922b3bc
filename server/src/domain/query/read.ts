/** The one read of a call, or of a piece of it. */
import type { Points } from '#model/frame';
import { instantUsMax } from '#model/instant';
import { type Rollup, rollUp } from '#model/rollup';
import type { Item } from '#model/signal';
import type {
  RollupRequest,
  RollupSource,
  ScanRequest,
  ScanSource,
  SeriesStore,
  Source,
} from '#storage/store';
import type { Piece } from './pieces.ts';
import type { ItemSource } from './plan.ts';
import type { ReadOptions } from './request.ts';

/** The store that is read, and how. */
export type Reader = { series: SeriesStore } & Pick<ReadOptions, 'signal' | 'onFacts'>;

/** Aggregates: by the store where it can, else from its points; the answer is the same. */
export function readRollups(
  { series, signal, onFacts }: Reader,
  { sources, ...request }: RollupRequest,
): Promise<Rollup[]> {
  const { buckets, nowUs, valuesMax } = request;
  onFacts?.({ signals: countSignals(sources), buckets: buckets.edgesUs.length - 1 });
  const finish = (points: Points, source: RollupSource) => rollUp(points, source, buckets, nowUs, valuesMax);
  return readFed(
    sources,
    async (fed) => {
      if (series.rollup !== undefined) return series.rollup({ ...request, sources: fed }, signal, onFacts);
      const points = await series.scan({ sources: fed.map(toScan) }, signal, onFacts);
      return points.map((one, i) => finish(one, fed[i]));
    },
    (source) => finish(noPoints(), source),
  );
}

/** The points from which a rollup can be computed. */
function toScan({ signals, window, states }: RollupSource): ScanSource {
  return { signals, window, before: states.length > 0, after: states.length > 0 };
}

/** Raw points. */
export function readPoints(
  { series, signal, onFacts }: Reader,
  { sources, valuesMax }: ScanRequest,
): Promise<Points[]> {
  onFacts?.({ signals: countSignals(sources) });
  return readFed(sources, (fed) => series.scan({ sources: fed, valuesMax }, signal, onFacts), noPoints);
}

/** Asks for the sources that have signals, if there are any; the answers for the others are `empty`. */
async function readFed<S extends { signals: Source }, T>(
  sources: readonly S[],
  read: (fed: readonly S[]) => Promise<T[]>,
  empty: (source: S) => T,
): Promise<T[]> {
  const fed = sources.filter(({ signals }) => signals.length > 0);
  const answers = fed.length === 0 ? [] : await read(fed);
  let next = 0;
  return sources.map((source) => (source.signals.length > 0 ? answers[next++] : empty(source)));
}

function noPoints(): Points {
  return { timesUs: new Float64Array(0), values: new Float64Array(0) };
}

function countSignals(sources: readonly { signals: Source }[]): number {
  return sources.reduce((sum, { signals }) => sum + signals.length, 0);
}

/** What is read of an item for a piece: only the buckets that its columns need, as far as timestamps reach (R3). */
export function toSource({ item, statistics, states, reach }: ItemSource, piece: Piece): RollupSource {
  const { window, edgesUs, first, count } = piece;
  const { back, ahead } = reach;
  return {
    signals: item.signals,
    window: {
      startUs: back > 0 ? Math.max(edgesUs[first - back], -instantUsMax) : window.startUs,
      endUs: ahead > 0 ? Math.min(edgesUs[first + count + ahead], instantUsMax) : window.endUs,
    },
    statistics,
    states,
    gapUs: gapUsOf(item),
  };
}

/** How long a state of this item lasts without a further point (Q10), µs. */
export function gapUsOf(item: Item): number {
  return item.attributes.gapDetectionUs ?? Number.POSITIVE_INFINITY;
}
