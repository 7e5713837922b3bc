/** Frames of raw points (Q13), for the flat form and for data frames. */
import { AppError } from '#model/error';
import { Frame, type Points } from '#model/frame';
import type { Item } from '#model/signal';
import type { Window } from '#model/window';
import type { ScanSource } from '#storage/store';
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
  const points = await readWithin({ series, tell, place, limits }, sources, signal).catch((error) => {
    throw explainRefusal(work, error);
  });
  const timesUs = unionTimes(points);
  checkRows(work, timesUs.length, wanted.length);
  place.note(8 * timesUs.length * wanted.length);
  return frameOf(timesUs, new Map(wanted.map((item, i) => [item.id, alignTo(timesUs, points[i])])), data);
}

/** How many points a raw read tries with; a window that has more is read again with room for more. */
const pointsAtFirst = [100_000, 1_000_000];
/** A time and a value. */
const pointBytes = 16;

/**
 * Reads with memory that was taken before. How many points there are is not known before they are read, but a store stops early
 * at a limit: the limits grow up to that of the answer, and what was taken too much is given back.
 */
async function readWithin(
  { series, tell, place, limits }: Pick<Reading, 'series' | 'tell' | 'place' | 'limits'>,
  sources: readonly ScanSource[],
  signal?: AbortSignal,
): Promise<Points[]> {
  const max = limits.answerValuesMax;
  for (const valuesMax of pointsAtFirst.filter((points) => points < max)) {
    const points = await tryWithin(valuesMax);
    if (points !== null) return points;
  }
  await place.take(max * pointBytes, signal);
  const points = await readPoints({ series, tell }, { sources, valuesMax: max }, signal);
  place.give(Math.max(0, max * pointBytes - bytesOf(points)));
  return points;

  /** Null: there are more. */
  async function tryWithin(valuesMax: number): Promise<Points[] | null> {
    await place.take(valuesMax * pointBytes, signal);
    try {
      const points = await readPoints({ series, tell }, { sources, valuesMax }, signal);
      const bytes = bytesOf(points);
      if (bytes > valuesMax * pointBytes) place.note(bytes - valuesMax * pointBytes);
      else place.give(valuesMax * pointBytes - bytes);
      return points;
    } catch (error) {
      place.give(valuesMax * pointBytes);
      if (error instanceof AppError && error.kind === 'invalid-params') return null;
      throw error;
    }
  }
}

function bytesOf(points: readonly Points[]): number {
  return points.reduce((sum, { timesUs }) => sum + pointBytes * timesUs.length, 0);
}

/** No row, and these series. */
export function emptyFrame(keys: readonly string[]): Frame {
  return new Frame(new Float64Array(0), new Map(keys.map((key) => [key, new Float64Array(0)])));
}
