/** The data of the flat form (interface.md, Q7): a raw series for each item, or five statistics of it. */
import type { Frame } from '#model/frame';
import { itemFrame } from './item-frame.ts';
import type { Reading } from './reading.ts';
import type { SelectDataRequest } from './request.ts';

/** Reads it: one read of the store. Fails with `invalid-params` by the request's paths. */
export function selectData(
  reading: Reading,
  request: SelectDataRequest,
  signal?: AbortSignal,
): Promise<Frame> {
  return itemFrame(reading, request, 'flat', signal);
}
