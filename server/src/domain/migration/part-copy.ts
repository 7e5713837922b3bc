/** Copies a part of the points: compares it in both stores, bit by bit, and writes what the target lacks. */
import type { Points } from '#model/frame';
import type { Batch, SeriesStore } from '#storage/store';
import type { Part } from './parts.ts';

/** What a copy has found. */
export interface PartCopied {
  /** Points of the source. */
  points: number;
  /** Points that were written or deleted. */
  changed: number;
}

/** Makes a part of the target equal to that of the source. Repeating it changes nothing. */
export async function copyPart(
  source: SeriesStore,
  target: SeriesStore,
  part: Part,
  isTargetEmpty: boolean,
): Promise<PartCopied> {
  const sources = part.signals.map((signal) => ({
    ...{ signals: [signal], window: part.window, before: false, after: false },
  }));
  const [wanted, present] = await Promise.all([
    source.scan({ sources }),
    isTargetEmpty ? [] : target.scan({ sources }),
  ]);
  const surplus = part.signals.filter((_, i) => hasMore(wanted[i], present[i] ?? none));
  // A deletion of a few points costs a store of several servers as much as one of all.
  const deleted = surplus.length === 0 ? [] : await target.deletePoints(surplus, part.window);
  const gone = new Set(surplus);
  const missing = part.signals.map((signal, i) =>
    missingOf(wanted[i], gone.has(signal) ? none : (present[i] ?? none)),
  );
  await Promise.all(batchesOf(part.signals, missing).map((batch) => target.append(batch)));
  return { points: count(wanted), changed: count(missing) + deleted.reduce((sum, each) => sum + each, 0) };
}

const none: Points = { timesUs: new Float64Array(), values: new Float64Array() };

function count(all: readonly Points[]): number {
  return all.reduce((sum, { timesUs }) => sum + timesUs.length, 0);
}

/** Whether there is a time at which only `present` has a point. */
function hasMore(wanted: Points, present: Points): boolean {
  let i = 0;
  for (const us of present.timesUs) {
    while (i < wanted.timesUs.length && wanted.timesUs[i] < us) i++;
    if (wanted.timesUs[i] !== us) return true;
  }
  return false;
}

/** The points that `present` lacks, or has with another value. */
function missingOf(wanted: Points, present: Points): Points {
  if (present.timesUs.length === 0) return wanted;
  const places: number[] = [];
  let j = 0;
  for (let i = 0; i < wanted.timesUs.length; i++) {
    while (j < present.timesUs.length && present.timesUs[j] < wanted.timesUs[i]) j++;
    const isThere =
      present.timesUs[j] === wanted.timesUs[i] && Object.is(present.values[j], wanted.values[i]);
    if (!isThere) places.push(i);
  }
  return {
    timesUs: Float64Array.from(places, (i) => wanted.timesUs[i]),
    values: Float64Array.from(places, (i) => wanted.values[i]),
  };
}

/** Batches of the points; neighbours with the same times are columns of one batch, as they were written probably. */
function batchesOf(signals: readonly number[], points: readonly Points[]): Batch[] {
  const batches: Batch[] = [];
  for (let from = 0; from < signals.length; ) {
    const { timesUs } = points[from];
    let to = from + 1;
    while (to < signals.length && isEqual(points[to].timesUs, timesUs)) to++;
    if (timesUs.length > 0) {
      const values = new Float64Array((to - from) * timesUs.length);
      for (let i = from; i < to; i++) values.set(points[i].values, (i - from) * timesUs.length);
      batches.push({ timesUs, signals: signals.slice(from, to), values });
    }
    from = to;
  }
  return batches;
}

function isEqual(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
