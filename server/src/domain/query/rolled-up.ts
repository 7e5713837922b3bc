/** Frames of items with a rollup, for the flat form and for data frames. */
import { bug } from '#model/error';
import { Frame } from '#model/frame';
import type { Window } from '#model/window';
import { cutPieces } from './cutting.ts';
import { FrameBuilder } from './frame-builder.ts';
import { columnsOf, countSeries, type ItemSeries } from './item-series.ts';
import { readRollups } from './read.ts';
import type { Reading } from './reading.ts';
import type { DataQuery } from './request.ts';
import { gapUsOf, sourcesOfItems } from './sources.ts';
import {
  bucketsAtOnce,
  checkBuckets,
  explainRefusal,
  pieceStatesMax,
  tooManyValues,
  type Work,
} from './work-limit.ts';

/** The planned series over the buckets of a window that is not empty. */
export async function rolledUpFrame(
  { meta, series, clock, limits, place, tell }: Reading,
  planned: readonly ItemSeries[],
  data: DataQuery,
  window: Window,
  work: Work,
  signal?: AbortSignal,
): Promise<Frame> {
  const columnCount = countSeries(planned);
  const bucketCount = checkBuckets(work, data, columnCount);
  // Which states there are is seen when they are read.
  const hasStates = planned.some((plan) => plan.hasStates);
  const atOnce = bucketsAtOnce(hasStates ? Math.max(columnCount, 4 * planned.length, 16) : columnCount);
  // The columns, and those without the empty rows.
  await place.take(Math.min(bucketCount, atOnce) * columnCount * 16, signal);
  const signals = await sourcesOfItems(
    meta,
    planned.map(({ item }) => item),
  );
  const { answerValuesMax: valuesMax } = limits;
  const refuse = (rows: number, count: number) => tooManyValues(work, rows, count);
  const builder = new FrameBuilder({ data, valuesMax, refuse, missing: unseenState });
  const nowUs = clock.nowUs();
  for (const { window: covered, edgesUs, buckets, count } of cutPieces(data, window, atOnce)) {
    const sources = planned.map(({ item, statistics, hasStates }, i) => ({
      signals: signals[i],
      window: covered,
      statistics,
      states: hasStates ? ('seen' as const) : [],
      gapUs: gapUsOf(item),
    }));
    const rollups = await readRollups(
      { series, tell },
      { sources, buckets, nowUs, valuesMax: pieceStatesMax },
      signal,
    ).catch((error) => {
      throw explainRefusal(work, error);
    });
    const columns = planned.flatMap((plan, i) => columnsOf(plan, rollups[i], count, data.series));
    builder.add(edgesUs.subarray(0, count), new Map(columns));
  }
  return inOrder(builder.finish(), planned);
}

/** A state that other pieces have seen: 0 where some state of the item held, else null (Q10a). */
function unseenState(key: string, { timesUs, series }: Frame): Float64Array {
  const prefix = key.slice(0, key.lastIndexOf('_') + 1);
  const other = [...series].find(([known]) => known.startsWith(prefix));
  if (other === undefined) return new Float64Array(timesUs.length).fill(Number.NaN);
  return other[1].map((seconds) => (Number.isNaN(seconds) ? seconds : 0));
}

/** The series in the order of Q7: by item, states ascending; those that were seen late came last. */
function inOrder(frame: Frame, planned: readonly ItemSeries[]): Frame {
  const keys = [...frame.series.keys()];
  const ordered = planned.flatMap(({ item, hasStates }) => {
    const own = keys.filter((key) => key.startsWith(`${item.id}_`));
    return hasStates ? own.sort((a, b) => stateOf(a) - stateOf(b)) : own;
  });
  const series = ordered.map((key): [string, Float64Array] => [
    key,
    frame.series.get(key) ?? bug(`no series ${key}`),
  ]);
  return new Frame(frame.timesUs, new Map(series));
}

function stateOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('_') + 1));
}
