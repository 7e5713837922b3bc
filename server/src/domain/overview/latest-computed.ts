/** The newest values of calculated items (C4). */
import { unlimitedReadMemory } from '#load/read-memory';
import { AppError } from '#model/error';
import { runAtOnce } from '#model/steps';
import type { FedItem } from '#storage/meta-store';
import { computedPoints } from '../query/computed-points.ts';
import { lookUpInputs } from '../query/inputs.ts';
import type { QueryParts } from '../query/query.ts';
import type { LatestPoint } from './reads.ts';

/** Items that are computed at one time: their columns are small. */
const itemsAtOnce = 10;

/**
 * The newest value of those of these items that are calculated and have one in their last intervals, `offsetBucketsMax` of them.
 * Items that together need too much are computed one at a time; one that needs too much by itself has none.
 */
export async function newestComputed(
  parts: QueryParts,
  items: readonly FedItem[],
  signal: AbortSignal,
): Promise<Map<string, LatestPoint>> {
  const found = new Map<string, LatestPoint>();
  const calculated = items.filter(({ calculation }) => calculation !== null);
  for (const [intervalUs, own] of Map.groupBy(calculated, (item) => item.calculation?.intervalUs ?? 0)) {
    for (let start = 0; start < own.length; start += itemsAtOnce) {
      const some = own.slice(start, start + itemsAtOnce);
      for (const [id, point] of await newestOfSome(parts, some, intervalUs, signal)) found.set(id, point);
    }
  }
  return found;
}

async function newestOfSome(
  parts: QueryParts,
  items: readonly FedItem[],
  intervalUs: number,
  signal: AbortSignal,
): Promise<[string, LatestPoint][]> {
  try {
    return await newestOfInterval(parts, items, intervalUs, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid-params') throw error;
    if (items.length === 1) return [];
  }
  const found: [string, LatestPoint][] = [];
  for (const item of items) found.push(...(await newestOfSome(parts, [item], intervalUs, signal)));
  return found;
}

async function newestOfInterval(
  { meta, series, clock, limits }: QueryParts,
  items: readonly FedItem[],
  intervalUs: number,
  signal: AbortSignal,
): Promise<[string, LatestPoint][]> {
  const nowUs = clock.nowUs();
  const window = { startUs: nowUs - intervalUs * limits.offsetBucketsMax, endUs: nowUs };
  const form = 'data-frame' as const;
  const shape = {
    form,
    window,
    rule: null,
    bucketCount: 0,
    rolledUpCount: items.length,
    limits,
    path: 'ids',
  };
  const reader = { series, nowUs, memory: unlimitedReadMemory, runStep: runAtOnce, signal };
  const inputs = await lookUpInputs(items, { meta, limits, path: 'ids' });
  const { points } = await computedPoints(reader, { items, inputs, shape, hasOutside: false });
  return [...points].flatMap(([id, { timesUs, values }]): [string, LatestPoint][] => {
    const last = timesUs.length - 1;
    return last < 0 ? [] : [[id, { timeUs: timesUs[last], value: values[last] }]];
  });
}
