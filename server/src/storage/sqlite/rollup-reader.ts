/**
 * Computes rollups: from the statistics of blocks in the directory where they suffice, else from points, which are read in
 * ascending order, one slice of the window at a time, so that memory is bounded.
 */

import type { Points } from '#model/frame';
import { lowerBound } from '#model/lower-bound';
import { isTallied, type Rollup, RollupBuilder } from '#model/rollup';
import type { Window } from '#model/window';
import type { RollupRequest, RollupSource, ScanSource } from '../store.ts';
import { BucketTally } from './bucket-tally.ts';
import type { BlockEntry } from './directory.ts';
import type { Head } from './head.ts';
import { clip, mergeRuns } from './runs.ts';
import {
  endOf,
  nearest,
  noteBlock,
  type Piecework,
  type Prepared,
  readAfter,
  readBefore,
  readLog,
  readSignal,
  type SignalLog,
  takeLogs,
  upTo,
} from './series-reader.ts';
import type { SnapshotReader } from './snapshot.ts';

/** Prepares a rollup, directly after the snapshot has begun. It holds about `pointsMax` points in memory at a time. */
export function prepareRollup(
  snapshot: SnapshotReader,
  head: Head,
  request: RollupRequest,
  pointsMax: number,
): Prepared<Rollup[]> {
  const logs = request.sources.map((source) => takeLogs(snapshot, head, withNeighbours(source)));
  return function* rollup(horizonSeq) {
    const found: Rollup[] = [];
    for (const [i, source] of request.sources.entries()) {
      found.push(yield* rollupSource(snapshot, source, request, upTo(horizonSeq, logs[i]), pointsMax));
    }
    return found;
  };
}

function* rollupSource(
  snapshot: SnapshotReader,
  source: RollupSource,
  { buckets, nowUs, valuesMax }: RollupRequest,
  logs: readonly SignalLog[],
  pointsMax: number,
): Piecework<Rollup> {
  if (logs.length === 1 && isTallied(source)) {
    return yield* tallySignal(snapshot, source, buckets, logs[0], pointsMax);
  }
  const builder = new RollupBuilder(source, buckets, valuesMax ?? Number.POSITIVE_INFINITY);
  const { window, states } = source;
  if (states.length > 0) builder.add(nearest(logs, (log) => readBefore(snapshot, log, window.startUs), -1));
  yield* readSlices(snapshot, window, logs, pointsMax, (points) => builder.add(points));
  if (states.length > 0) builder.add(nearest(logs, (log) => readAfter(snapshot, log, endOf(window)), 1));
  for (let range = builder.next(); range !== null; range = builder.next()) {
    yield* readSlices(snapshot, range, logs, pointsMax, (points) => builder.addAgain(points));
  }
  return builder.finish(nowUs);
}

/** Reads the points of a source in a window in ascending order, in slices of bounded size. */
function* readSlices(
  snapshot: SnapshotReader,
  window: Window,
  logs: readonly SignalLog[],
  pointsMax: number,
  take: (points: Points) => void,
): Piecework<void> {
  for (const { startUs, endUs } of slicesOf(snapshot, window, logs, pointsMax)) {
    const runs: Points[] = [];
    for (const log of logs) runs.push(yield* readSignal(snapshot, log, startUs, endUs));
    take(mergeRuns(runs));
    yield;
  }
}

/**
 * Divides a window into slices of at most about `pointsMax` points, plus one block or row of the log. Slices end where blocks
 * and rows begin, so that few of them are read twice.
 */
function slicesOf(
  snapshot: SnapshotReader,
  window: Window,
  logs: readonly SignalLog[],
  pointsMax: number,
): Window[] {
  const endUs = endOf(window);
  const runs = logs.flatMap(({ signal, parts }) => [
    ...snapshot.directory.within(signal, window.startUs, endUs),
    ...parts.map(({ row }) => row).filter((row) => row.lastUs >= window.startUs && row.firstUs < endUs),
  ]);
  runs.sort((a, b) => a.firstUs - b.firstUs);
  const slices: Window[] = [];
  let { startUs } = window;
  let count = 0;
  for (const run of runs) {
    if (count + run.count > pointsMax && count > 0 && run.firstUs > startUs) {
      slices.push({ startUs, endUs: run.firstUs });
      startUs = run.firstUs;
      count = 0;
    }
    count += run.count;
  }
  return startUs < endUs ? [...slices, { startUs, endUs }] : slices;
}

/** Includes the newest point before the window and the first one after it, which determine how long states last (Q10). */
function withNeighbours(source: RollupSource): ScanSource {
  const hasStates = source.states.length > 0;
  return { ...source, before: hasStates, after: hasStates };
}

/** Computes a rollup; blocks that lie in one bucket and do not overlap the log are answered from the directory. */
function* tallySignal(
  snapshot: SnapshotReader,
  source: RollupSource,
  buckets: RollupRequest['buckets'],
  log: SignalLog,
  pointsMax: number,
): Piecework<Rollup> {
  const tally = new BucketTally(source, buckets);
  if (log.parts.length === 0) yield* tallyBlocks(snapshot, source.window, tally, log.signal);
  else
    for (const slice of slicesOf(snapshot, source.window, [log], pointsMax))
      yield* tallySlice(snapshot, slice, tally, log);
  return { statistics: tally.finish(), states: new Map() };
}

/** For a signal without points in the log: adds each block separately. */
function* tallyBlocks(
  snapshot: SnapshotReader,
  window: Window,
  tally: BucketTally,
  signal: number,
): Piecework<void> {
  for (const entry of snapshot.directory.within(signal, window.startUs, endOf(window))) {
    if (tally.addEntry(entry)) continue;
    noteBlock(snapshot, entry);
    tally.addBlock(snapshot.blocks.borrowColumns(signal, entry));
    yield;
  }
}

/** Adds blocks that do not overlap the log separately, and the others merged with the log. */
function* tallySlice(
  snapshot: SnapshotReader,
  { startUs, endUs }: Window,
  tally: BucketTally,
  { signal, parts }: SignalLog,
): Piecework<void> {
  const logged = yield* readLog(snapshot, parts, startUs, endUs);
  const touched: Points[] = [];
  for (const entry of snapshot.directory.within(signal, startUs, endUs)) {
    const isWhole = entry.firstUs >= startUs && entry.lastUs < endUs;
    const isTouched = !isWhole || reachesInto(logged, entry);
    if (!isTouched && tally.addEntry(entry)) continue;
    noteBlock(snapshot, entry);
    if (isTouched) touched.push(clip(snapshot.blocks.load(signal, entry), startUs, endUs));
    else tally.addBlock(snapshot.blocks.borrowColumns(signal, entry));
    yield;
  }
  tally.add(mergeRuns([mergeRuns(touched), logged]));
}

function reachesInto({ timesUs }: Points, { firstUs, lastUs }: BlockEntry): boolean {
  const at = lowerBound(timesUs, firstUs);
  return at < timesUs.length && timesUs[at] <= lastUs;
}
