/** Frames of items with a rollup, for the flat form and for data frames. */
import type { Frame } from '#model/frame';
import type { Window } from '#model/window';
import { cutWindow } from './cutting.ts';
import { columnsOf, countSeries, type ItemSeries } from './item-series.ts';
import { readRollups } from './read.ts';
import type { Reading } from './reading.ts';
import type { DataQuery } from './request.ts';
import { frameOf } from './rows.ts';
import { gapUsOf, sourcesOfItems } from './sources.ts';
import { checkEstimate, checkRows, explainRefusal, type Work } from './work-limit.ts';

/** The planned series over the buckets of a window that is not empty. */
export async function rolledUpFrame(
  { meta, series, clock, limits, place, tell }: Reading,
  planned: readonly ItemSeries[],
  data: DataQuery,
  window: Window,
  asked: Work,
  signal?: AbortSignal,
): Promise<Frame> {
  const work = { ...asked, seriesCount: countSeries(planned) };
  checkEstimate(work, data.timeZone);
  const { edgesUs, buckets, count } = cutWindow(data, window);
  checkRows(work, count);
  // The columns, and those without the empty rows.
  await place.take(count * work.seriesCount * 16, signal);
  const signals = await sourcesOfItems(
    meta,
    planned.map(({ item }) => item),
  );
  const sources = planned.map(({ item, statistics, hasStates }, i) => ({
    signals: signals[i],
    window,
    statistics,
    states: hasStates ? ('seen' as const) : [],
    gapUs: gapUsOf(item),
  }));
  const request = { sources, buckets, nowUs: clock.nowUs(), valuesMax: limits.answerValuesMax };
  const rollups = await readRollups({ series, tell }, request, signal).catch((error) => {
    throw explainRefusal(work, error);
  });
  const columns = new Map(planned.flatMap((plan, i) => columnsOf(plan, rollups[i], count, data.series)));
  checkRows({ ...work, seriesCount: columns.size }, count);
  return frameOf(edgesUs.subarray(0, count), columns, data);
}
