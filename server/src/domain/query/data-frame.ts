/** Data frames of items (Q7, Q8): raw series, five statistics of numeric items, seconds in each state of enum items. */
import type { Frame } from '#model/frame';
import { itemFrame } from './item-frame.ts';
import type { Reading } from './reading.ts';
import type { DataFrameRequest } from './request.ts';

/** Reads it: one read of the store. Fails with `invalid-params` by the request's paths. */
export function dataFrame(reading: Reading, request: DataFrameRequest, signal?: AbortSignal): Promise<Frame> {
  return itemFrame(reading, request, 'data-frame', signal);
}
