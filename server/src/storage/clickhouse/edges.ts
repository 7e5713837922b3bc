/** The nearest points outside a window: looked for near it first, since most signals have some there. */
import type { Points } from '#model/frame';
import { partitionUs } from './partition.ts';
import type { RunReader } from './runs.ts';

/** How far from the window is looked, µs; then everywhere. */
const reachesUs = [partitionUs, 13 * partitionUs, Number.POSITIVE_INFINITY];

/** The newest point of each signal before a time; signals without one are left out. */
export function nearestBefore(
  reader: RunReader,
  signals: readonly number[],
  us: number,
): Promise<Map<number, Points>> {
  return nearest(reader, signals, 'newest', (from, to) => ({ startUs: us - to, endUs: us - from }));
}

/** The oldest point of each signal at or after a time; signals without one are left out. */
export function nearestAfter(
  reader: RunReader,
  signals: readonly number[],
  us: number,
): Promise<Map<number, Points>> {
  return nearest(reader, signals, 'oldest', (from, to) => ({ startUs: us + from, endUs: us + to }));
}

async function nearest(
  reader: RunReader,
  signals: readonly number[],
  end: 'newest' | 'oldest',
  windowOf: (fromUs: number, toUs: number) => { startUs: number; endUs: number },
): Promise<Map<number, Points>> {
  const found = new Map<number, Points>();
  let fromUs = 0;
  for (const toUs of reachesUs) {
    const missing = signals.filter((signal) => !found.has(signal));
    if (missing.length === 0) break;
    const request = { signals: missing, window: windowOf(fromUs, toUs) };
    await reader.outermost(request, end, (signal, points) => found.set(signal, points));
    fromUs = toUs;
  }
  return found;
}
