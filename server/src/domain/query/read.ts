/** The one read of a call. */
import type { Points } from '#model/frame';
import { type Rollup, rollUp } from '#model/rollup';
import type { RollupRequest, ScanRequest, SeriesStore } from '#storage/store';
import type { Reading } from './reading.ts';

/** Aggregates: by the store where it can, else from its points; the answer is the same. Sources without signals are not asked for. */
export async function readRollups(
  { series, tell }: Pick<Reading, 'series' | 'tell'>,
  request: RollupRequest,
  signal?: AbortSignal,
): Promise<Rollup[]> {
  tell?.({ signals: countSignals(request.sources), buckets: request.buckets.edgesUs.length - 1 });
  const empty = { timesUs: new Float64Array(0), values: new Float64Array(0) };
  const asked = request.sources.filter((source) => source.signals.length > 0);
  const answers =
    asked.length === 0 ? [] : await readAsked(series, { ...request, sources: asked }, signal, tell);
  let next = 0;
  return request.sources.map((source) =>
    source.signals.length > 0 ? answers[next++] : rollUp(empty, source, request.buckets, request.nowUs),
  );
}

async function readAsked(
  store: SeriesStore,
  request: RollupRequest,
  signal?: AbortSignal,
  tell?: Reading['tell'],
): Promise<Rollup[]> {
  if (store.rollup !== undefined) return store.rollup(request, signal, tell);
  const { sources, buckets, nowUs, valuesMax } = request;
  const points = await store.scan(
    {
      sources: sources.map(({ signals, window, states }) => ({
        signals,
        window,
        before: states.length > 0,
        after: states.length > 0,
      })),
    },
    signal,
    tell,
  );
  return sources.map((source, index) => rollUp(points[index], source, buckets, nowUs, valuesMax));
}

/** Raw points. Sources without signals are not asked for. */
export async function readPoints(
  { series, tell }: Pick<Reading, 'series' | 'tell'>,
  request: ScanRequest,
  signal?: AbortSignal,
): Promise<Points[]> {
  tell?.({ signals: countSignals(request.sources) });
  const asked = request.sources.filter((source) => source.signals.length > 0);
  const answers = asked.length === 0 ? [] : await series.scan({ ...request, sources: asked }, signal, tell);
  let next = 0;
  return request.sources.map((source) =>
    source.signals.length > 0
      ? answers[next++]
      : { timesUs: new Float64Array(0), values: new Float64Array(0) },
  );
}

function countSignals(sources: readonly { signals: readonly number[] }[]): number {
  return sources.reduce((sum, { signals }) => sum + signals.length, 0);
}
