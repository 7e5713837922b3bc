/** The one read of a call. */
import type { Points } from '#model/frame';
import { type Rollup, rollUp } from '#model/rollup';
import type { RollupRequest, ScanRequest, SeriesStore } from '#storage/store';

/** Aggregates: by the store where it can, else from its points; the answer is the same. Sources without signals are not asked for. */
export async function readRollups(
  store: SeriesStore,
  request: RollupRequest,
  signal?: AbortSignal,
): Promise<Rollup[]> {
  const empty = { timesUs: new Float64Array(0), values: new Float64Array(0) };
  const asked = request.sources.filter((source) => source.signals.length > 0);
  const answers = asked.length === 0 ? [] : await readAsked(store, { ...request, sources: asked }, signal);
  let next = 0;
  return request.sources.map((source) =>
    source.signals.length > 0 ? answers[next++] : rollUp(empty, source, request.buckets, request.nowUs),
  );
}

async function readAsked(
  store: SeriesStore,
  request: RollupRequest,
  signal?: AbortSignal,
): Promise<Rollup[]> {
  if (store.rollup !== undefined) return store.rollup(request, signal);
  const { sources, buckets, nowUs, valuesMax } = request;
  const points = await store.scan(
    {
      sources: sources.map(({ signals, window, states }) => ({
        signals,
        window,
        before: states.length > 0,
        after: false,
      })),
    },
    signal,
  );
  return sources.map((source, index) => rollUp(points[index], source, buckets, nowUs, valuesMax));
}

/** Raw points. Sources without signals are not asked for. */
export async function readPoints(
  store: SeriesStore,
  request: ScanRequest,
  signal?: AbortSignal,
): Promise<Points[]> {
  const asked = request.sources.filter((source) => source.signals.length > 0);
  const answers = asked.length === 0 ? [] : await store.scan({ ...request, sources: asked }, signal);
  let next = 0;
  return request.sources.map((source) =>
    source.signals.length > 0
      ? answers[next++]
      : { timesUs: new Float64Array(0), values: new Float64Array(0) },
  );
}
