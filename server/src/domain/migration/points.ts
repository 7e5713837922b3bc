/** Copies the points of signals from one store into another, so that both are equal. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#model/environment';
import { AppError } from '#model/error';
import type { SeriesStore } from '#storage/store';
import { copyPart } from './part-copy.ts';
import { type Part, partsOf } from './parts.ts';

/** Signals, and points, of a group: after each group the place is noted from which an interrupted copy goes on. */
const signalsOfGroup = 2_000;
const pointsOfGroup = 30_000_000;

/** Parts that are read and written at the same time. */
const partsAtOnce = 4;

/** Waits before a store that did not answer is asked again, ms; after the last one the copy fails. */
const waitsMs = [500, 2_000, 5_000, 10_000, 20_000];

/** What a copy of points needs. */
export interface PointsCopyOptions {
  source: SeriesStore;
  target: SeriesStore;
  log: Log;
  /** Called with the points that have just been compared. */
  onPoints(points: number): void;
  /** Called when the points of all signals up to this number have been copied. */
  onDone(signal: number): Promise<void>;
}

/** What a copy found: points of the source, and points of the target that were written or deleted. */
export interface PointsCopied {
  points: number;
  changed: number;
}

/** Makes the target's points of these signals, ascending, those of the source. */
export async function copyPoints(
  signals: readonly number[],
  options: PointsCopyOptions,
): Promise<PointsCopied> {
  const total = { points: 0, changed: 0 };
  for await (const group of groupsOf(signals, options)) {
    const { points, changed } = await copyGroup(group, options);
    total.points += points;
    total.changed += changed;
    await options.onDone(group[group.length - 1].signal);
  }
  return total;
}

/** A signal, and its points in both stores, roughly. */
interface Sized {
  signal: number;
  points: number;
  present: number;
}

/** Signals that follow one another. */
async function* groupsOf(
  signals: readonly number[],
  { source, target, log }: PointsCopyOptions,
): AsyncGenerator<Sized[]> {
  for (let from = 0; from < signals.length; from += signalsOfGroup) {
    const some = signals.slice(from, from + signalsOfGroup);
    const [sizes, present] = await insist(log, () => Promise.all([source.sizes(some), target.sizes(some)]));
    let [group, points]: [Sized[], number] = [[], 0];
    for (const [i, signal] of some.entries()) {
      if (group.length > 0 && points + sizes[i].points > pointsOfGroup) {
        yield group;
        [group, points] = [[], 0];
      }
      group.push({ signal, points: sizes[i].points, present: present[i].points });
      points += sizes[i].points;
    }
    yield group;
  }
}

async function copyGroup(group: readonly Sized[], options: PointsCopyOptions): Promise<PointsCopied> {
  const { source, target, log, onPoints } = options;
  const total = { points: 0, changed: 0 };
  const stored = group.filter(({ points, present }) => points > 0 || present > 0);
  if (stored.length === 0) return total;
  const signals = stored.map(({ signal }) => signal);
  const filled = new Set(stored.filter(({ present }) => present > 0).map(({ signal }) => signal));
  const parts = partsOf(
    source,
    signals,
    stored.map(({ points }) => points),
  );
  await eachAtOnce(parts, async (part: Part) => {
    const isEmpty = part.signals.every((signal) => !filled.has(signal));
    const { points, changed } = await insist(log, () => copyPart(source, target, part, isEmpty));
    total.points += points;
    total.changed += changed;
    onPoints(points);
  });
  return total;
}

/** Works on a few parts at the same time. */
async function eachAtOnce(parts: AsyncGenerator<Part>, work: (part: Part) => Promise<void>): Promise<void> {
  const takeAll = async () => {
    for (let next = await parts.next(); !next.done; next = await parts.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: partsAtOnce }, takeAll));
}

/** Repeats work that failed because a store did not answer or was too busy. */
async function insist<T>(log: Log, work: () => Promise<T>): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
      log.warn('a store did not answer; trying again', { reason: error.message, waitMs });
      await delay(waitMs);
    }
  }
  return work();
}
