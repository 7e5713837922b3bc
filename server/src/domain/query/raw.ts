/** Frames of raw points (Q13), for the flat form and for data frames. */
import { Frame, type Points } from '#model/frame';
import type { Item } from '#model/signal';
import type { Window } from '#model/window';
import { readPoints } from './read.ts';
import type { Reading } from './reading.ts';
import type { DataQuery } from './request.ts';
import { alignTo, frameOf, unionTimes } from './rows.ts';
import { sourcesOfItems } from './sources.ts';
import { checkRows, explainRefusal, type Work } from './work-limit.ts';

/** One series for each item under its ID; one row for each time at which one of them has a point. */
export async function rawFrame(
  { meta, series, limits, place, tell }: Reading,
  items: readonly Item[],
  data: DataQuery,
  window: Window,
  work: Work,
  signal?: AbortSignal,
): Promise<Frame> {
  const wanted = data.series === null ? items : items.filter((item) => data.series?.includes(item.id));
  const sources = (await sourcesOfItems(meta, wanted)).map((signals) => ({
    signals,
    window,
    before: data.outsidePoints,
    after: data.outsidePoints,
  }));
  const points = await readPoints(
    { series, tell },
    { sources, valuesMax: limits.answerValuesMax },
    signal,
  ).catch((error) => {
    throw explainRefusal(work, error);
  });
  const timesUs = unionTimes(points);
  checkRows(work, timesUs.length, wanted.length);
  place.note(bytesOf(points) + 8 * timesUs.length * wanted.length);
  return frameOf(timesUs, new Map(wanted.map((item, i) => [item.id, alignTo(timesUs, points[i])])), data);
}

/** Nobody knows how many there are before they are read: they are counted, for those who read next. */
function bytesOf(points: readonly Points[]): number {
  return points.reduce((sum, { timesUs }) => sum + 16 * timesUs.length, 0);
}

/** No row, and these series. */
export function emptyFrame(keys: readonly string[]): Frame {
  return new Frame(new Float64Array(0), new Map(keys.map((key) => [key, new Float64Array(0)])));
}
