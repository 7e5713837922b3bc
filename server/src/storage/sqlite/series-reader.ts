/**
 * Reads sources: the blocks and the log of their signals, merged into one series. The work is done in pieces, between which the
 * thread can serve other requests, and a request whose client has disconnected is cancelled.
 */

import { AppError } from '#model/error';
import type { Points } from '#model/frame';
import { lowerBound } from '#model/lower-bound';
import type { Window } from '#model/window';
import type { ScanRequest, ScanSource, SignalSize } from '../store.ts';
import type { BlockEntry } from './directory.ts';
import type { Head, LogPart } from './head.ts';
import type { Point } from './log-reader.ts';
import { clip, copyOf, JoinedPoints, mergeRuns, noPoints } from './runs.ts';
import type { SnapshotReader } from './snapshot.ts';

/** Work that yields wherever it may be interrupted. */
export type Piecework<T> = Generator<void, T>;

/** Rows of the log that are read in one piece. */
const rowsAtOnce = 256;

/** The rows of the log that have points of one signal, as of the beginning of the snapshot. */
export interface SignalLog {
  signal: number;
  parts: LogPart[];
}

/** A request whose snapshot has begun; the function runs it over rows of the log up to `horizonSeq`. */
export type Prepared<T> = (horizonSeq: number) => Piecework<T>;

/** Prepares a scan, directly after the snapshot has begun. */
export function prepareScan(snapshot: SnapshotReader, head: Head, request: ScanRequest): Prepared<Points[]> {
  const logs = request.sources.map((source) => takeLogs(snapshot, head, source));
  return function* scan(horizonSeq) {
    const found: Points[] = [];
    const { valuesMax = Number.POSITIVE_INFINITY } = request;
    let count = 0;
    for (const [i, source] of request.sources.entries()) {
      refuseMany(snapshot, source, valuesMax - count, valuesMax);
      const points = yield* scanSource(snapshot, source, upTo(horizonSeq, logs[i]));
      found.push(points);
      count += points.timesUs.length;
      if (count > valuesMax) throw tooMany(valuesMax);
    }
    return found;
  };
}

/** Signals whose sizes are read in one piece. */
const sizesAtOnce = 64;

/** Bytes of a point in the log, a time and a value, for {@link SignalSize}. */
const loggedPointBytes = 16;

/** Prepares reading sizes, directly after the snapshot has begun. */
export function prepareSizes(
  snapshot: SnapshotReader,
  head: Head,
  signals: readonly number[],
): Prepared<SignalSize[]> {
  const logged = signals.map((signal) => head.valuesAfter(signal, snapshot.coveredSeq(signal)));
  return function* sizes() {
    const found: SignalSize[] = [];
    for (const [i, signal] of signals.entries()) {
      const { points, bytes } = snapshot.directory.size(signal);
      found.push({ points: points + logged[i], bytes: bytes + loggedPointBytes * logged[i] });
      if (i % sizesAtOnce === 0) yield;
    }
    return found;
  };
}

/** The logs without rows after the horizon. */
export function upTo(horizonSeq: number, logs: readonly SignalLog[]): SignalLog[] {
  return logs.map(({ signal, parts }) => ({
    signal,
    parts: parts.filter(({ row }) => row.seq <= horizonSeq),
  }));
}

/** Fails if the directory alone shows that a source has too many points, before they are read into memory. */
function refuseMany(
  { directory }: SnapshotReader,
  { signals, window }: ScanSource,
  leftMax: number,
  valuesMax: number,
): void {
  if (leftMax === Number.POSITIVE_INFINITY) return;
  const isInside = ({ firstUs, lastUs }: BlockEntry) => firstUs >= window.startUs && lastUs < window.endUs;
  for (const signal of signals) {
    const entries = directory.within(signal, window.startUs, window.endUs).filter(isInside);
    if (entries.reduce((sum, { count }) => sum + count, 0) > leftMax) throw tooMany(valuesMax);
  }
}

function tooMany(valuesMax: number): AppError {
  return new AppError('invalid-params', `more than ${valuesMax} points: choose a shorter window or a rollup`);
}

/** The end of a window, but not before its start. */
export function endOf({ startUs, endUs }: Window): number {
  return Math.max(startUs, endUs);
}

/** The rows of the log that have points of a source's signals; must be called directly after the snapshot has begun. */
export function takeLogs(
  snapshot: SnapshotReader,
  head: Head,
  { signals, window, before, after }: ScanSource,
): SignalLog[] {
  const startUs = before ? Number.NEGATIVE_INFINITY : window.startUs;
  const endUs = after ? Number.POSITIVE_INFINITY : endOf(window);
  return signals.map((signal) => ({
    signal,
    parts: head.parts(signal, startUs, endUs, snapshot.coveredSeq(signal)),
  }));
}

function* scanSource(
  snapshot: SnapshotReader,
  source: ScanSource,
  logs: readonly SignalLog[],
): Piecework<Points> {
  const { startUs } = source.window;
  const endUs = endOf(source.window);
  const runs: Points[] = [];
  for (const log of logs) runs.push(yield* readSignal(snapshot, log, startUs, endUs));
  const before = source.before ? nearest(logs, (log) => readBefore(snapshot, log, startUs), -1) : noPoints;
  const after = source.after ? nearest(logs, (log) => readAfter(snapshot, log, endUs), 1) : noPoints;
  return mergeRuns([before, mergeRuns(runs), after]);
}

/** Adds a decoded block to the cost of the request. */
export function noteBlock({ cost }: SnapshotReader, { count }: BlockEntry): void {
  cost.blocks++;
  cost.points += count;
}

/** A signal's points in a window, in arrays of their own. */
export function* readSignal(
  snapshot: SnapshotReader,
  { signal, parts }: SignalLog,
  startUs: number,
  endUs: number,
): Piecework<Points> {
  const stored = yield* readBlocks(snapshot, signal, startUs, endUs);
  return mergeRuns([stored, yield* readLog(snapshot, parts, startUs, endUs)]);
}

/** The points in a window from a signal's blocks, a block at a time. */
function* readBlocks(
  snapshot: SnapshotReader,
  signal: number,
  startUs: number,
  endUs: number,
): Piecework<Points> {
  const entries = snapshot.directory.within(signal, startUs, endUs);
  const borrow = (entry: BlockEntry) => {
    noteBlock(snapshot, entry);
    return clip(snapshot.blocks.borrow(signal, entry), startUs, endUs);
  };
  if (entries.length === 1) {
    // Often a small part of a block.
    const points = copyOf(borrow(entries[0]));
    yield;
    return points;
  }
  const joined = new JoinedPoints(entries.reduce((sum, { count }) => sum + count, 0));
  for (const entry of entries) {
    joined.add(borrow(entry));
    yield;
  }
  return joined.finish();
}

/** The points in a window from the log, a few rows at a time. */
export function* readLog(
  snapshot: SnapshotReader,
  parts: readonly LogPart[],
  startUs: number,
  endUs: number,
): Piecework<Points> {
  const runs: Points[] = [];
  const inside = parts.filter(({ row }) => row.lastUs >= startUs && row.firstUs < endUs);
  for (let from = 0; from < inside.length; from += rowsAtOnce) {
    const run = snapshot.log.read(inside.slice(from, from + rowsAtOnce), startUs, endUs);
    snapshot.cost.points += run.timesUs.length;
    runs.push(run);
    yield;
  }
  return mergeRuns(runs);
}

/** The newest point of a signal before a time. */
export function readBefore(
  snapshot: SnapshotReader,
  { signal, parts }: SignalLog,
  timeUs: number,
): Point | null {
  const logged = snapshot.log.before(parts, timeUs);
  const entries = snapshot.directory.around(signal, timeUs, timeUs, 2, 1);
  const entry = entries.findLast(({ firstUs }) => firstUs < timeUs);
  return pointOf([entry === undefined ? null : beforeIn(snapshot, signal, entry, timeUs), logged], -1);
}

function beforeIn({ blocks }: SnapshotReader, signal: number, entry: BlockEntry, timeUs: number): Point {
  if (entry.lastUs < timeUs && isExact(entry.last)) return { timeUs: entry.lastUs, value: entry.last };
  const { timesUs, values } = blocks.borrow(signal, entry);
  const at = lowerBound(timesUs, timeUs) - 1;
  return { timeUs: timesUs[at], value: values[at] };
}

/** The oldest point of a signal at or after a time. */
export function readAfter(
  snapshot: SnapshotReader,
  { signal, parts }: SignalLog,
  timeUs: number,
): Point | null {
  const logged = snapshot.log.after(parts, timeUs);
  const entries = snapshot.directory.around(signal, timeUs, timeUs, 1, 1);
  const entry = entries.find(({ lastUs }) => lastUs >= timeUs);
  return pointOf([entry === undefined ? null : afterIn(snapshot, signal, entry, timeUs), logged], 1);
}

function afterIn({ blocks }: SnapshotReader, signal: number, entry: BlockEntry, timeUs: number): Point {
  if (entry.firstUs >= timeUs && isExact(entry.first)) return { timeUs: entry.firstUs, value: entry.first };
  const { timesUs, values } = blocks.borrow(signal, entry);
  const at = lowerBound(timesUs, timeUs);
  return { timeUs: timesUs[at], value: values[at] };
}

/** Whether a value of the directory is identical to that of the block: zeros lose their sign in the directory. */
function isExact(value: number): boolean {
  return value !== 0;
}

/** The nearest of these points; of equal times the last. `sign` -1: the newest, 1: the oldest. */
function pointOf(points: readonly (Point | null)[], sign: 1 | -1): Point | null {
  let best: Point | null = null;
  for (const point of points) {
    if (point === null) continue;
    if (best === null || (point.timeUs - best.timeUs) * sign <= 0) best = point;
  }
  return best;
}

/** The nearest of the points found for each signal. */
export function nearest(
  logs: readonly SignalLog[],
  find: (log: SignalLog) => Point | null,
  sign: 1 | -1,
): Points {
  const best = pointOf(logs.map(find), sign);
  if (best === null) return noPoints;
  return { timesUs: Float64Array.of(best.timeUs), values: Float64Array.of(best.value) };
}
