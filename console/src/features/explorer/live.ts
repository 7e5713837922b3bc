/** The stream behind live mode: new points are drawn as they come, without asking again. */
import { useEffect, useMemo, useState } from 'react';
import { followItems } from '../../platform/rpc/live.ts';
import { nowMs } from '../../platform/time/clock.ts';
import type { Item } from './item.ts';
import { LivePoints, livePointsMax, withLive } from './live-rows.ts';
import type { Loaded } from './plot.ts';

/** Points that come within this time are drawn together, ms. */
const drawMs = 200;

/** What the points are added to is loaded again after so long, ms: predictions come into view, and points are deleted. */
const anchorMsMax = 300_000;

/** What live mode adds to loaded data. */
export interface Live {
  /** The present that data is loaded for; null: the actual one, there is no stream. */
  anchorMs: number | null;
  /** Loaded data with the points of the stream, for the present window. */
  addTo(loaded: Loaded | null, present: Pick<Loaded, 'span' | 'nowMs'>): Loaded | null;
}

interface Stream {
  anchorMs: number;
  points: LivePoints;
}

/** Follows items while `isStreamed`; `onPoints` is called after new points. Where no stream can be had, there is none. */
export function useLive(items: readonly Item[], isStreamed: boolean, onPoints: () => void): Live {
  const key = isStreamed ? items.map(({ id }) => id).join(',') : '';
  const [stream, setStream] = useState<Stream | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onPoints` does not change what is followed
  useEffect(() => {
    if (key === '') return;
    const end = follow(key.split(','), setStream, onPoints);
    return () => {
      end();
      setStream(null);
    };
  }, [key]);
  return useMemo(
    () => ({
      anchorMs: stream?.anchorMs ?? null,
      addTo: (loaded, present) =>
        stream === null || loaded === null || loaded.rollup !== null
          ? loaded
          : withLive(loaded, stream.points.within(present.span), present),
    }),
    [stream],
  );
}

/** Collects the points of a stream; data is loaded when it has begun, so that nothing lies in between. */
function follow(
  ids: readonly string[],
  setStream: (stream: Stream | null) => void,
  onPoints: () => void,
): () => void {
  const points = new LivePoints();
  let anchorMs: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const anchor = () => {
    // What came before the last time is in what was loaded then.
    if (anchorMs !== null) points.forget(anchorMs);
    anchorMs = nowMs();
    draw();
  };
  const draw = () => {
    timer = undefined;
    if (anchorMs !== null) setStream({ anchorMs, points });
    onPoints();
  };
  const onEvent: Parameters<typeof followItems>[1]['onEvent'] = (event) => {
    if (event.kind === 'reset') return anchor();
    points.add(event, nowMs());
    if (points.count > livePointsMax) anchor();
    timer ??= setTimeout(draw, drawMs);
  };
  const onConnect = () => anchorMs === null && anchor();
  const end = followItems(ids, { onConnect, onEvent, onFailure: () => setStream(null) });
  const again = setInterval(() => anchorMs !== null && anchor(), anchorMsMax);
  return () => {
    end();
    clearTimeout(timer);
    clearInterval(again);
  };
}
