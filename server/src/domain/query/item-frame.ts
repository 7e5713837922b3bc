/** Frames whose series are items: the flat form and data frames, which differ in keys, defaults and limits only (Q7). */
import type { Frame } from '#model/frame';
import type { Item } from '#model/signal';
import { checkCutting } from './cutting.ts';
import { columnsOf, flatSeries, frameSeries, type ItemSeries } from './item-series.ts';
import { emptyFrame, rawFrame } from './raw.ts';
import type { Reading } from './reading.ts';
import type { DataFrameRequest, DataQuery } from './request.ts';
import { rolledUpFrame } from './rolled-up.ts';
import { isEmpty, resolveWindow, windowProblem } from './windows.ts';

/** Reads the data of items. Fails with `invalid-params` by the request's paths. */
export async function itemFrame(
  reading: Reading,
  request: DataFrameRequest,
  form: 'flat' | 'data-frame',
  signal?: AbortSignal,
): Promise<Frame> {
  const { items, data, paths } = request;
  checkCutting(data, paths);
  const window = resolveWindow(data, form, reading.clock.nowUs());
  const problem = windowProblem(window, data.rollup, form, reading.limits, paths.window);
  if (problem !== null) throw problem;
  const planned = (form === 'flat' ? flatSeries : frameSeries)(items, data.series);
  if (isEmpty(window))
    return emptyFrame(data.rollup === null ? wantedIds(items, data) : emptyKeys(planned, data));
  const work = {
    window,
    width: data.rollup,
    form,
    rolledUpCount: items.length * 5,
    limits: reading.limits,
    path: paths.rollup,
  };
  if (data.rollup === null) return rawFrame(reading, items, data, window, work, signal);
  return rolledUpFrame(reading, planned, data, window, work, signal);
}

function wantedIds(items: readonly Item[], { series }: DataQuery): string[] {
  return items.map(({ id }) => id).filter((id) => series === null || series.includes(id));
}

function emptyKeys(planned: readonly ItemSeries[], data: DataQuery): string[] {
  const nothing = { statistics: new Map(), states: new Map() };
  return planned.flatMap((series) => columnsOf(series, nothing, 0, data.series).map(([key]) => key));
}
