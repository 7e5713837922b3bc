/** A rollup that is accumulated block by block. */
import { type BucketRuns, type Buckets, bucketIndexAt, bucketRuns, noRuns } from '#model/bucket';
import type { Points } from '#model/frame';
import { isMergeable, type MergeableStatistic, Tally } from '#model/tally';
import type { Window } from '#model/window';
import type { DecodedBlock } from '../codec/block.ts';
import { type RegularTimes, writeOut } from '../codec/times.ts';
import type { RollupSource } from '../store.ts';
import type { BlockEntry } from './directory.ts';

/** The statistics of one source over its buckets. */
export class BucketTally {
  readonly #source: RollupSource;
  readonly #buckets: Buckets;
  readonly #tally: Tally;
  /** Whether a statistic depends on the exact times, not only on the buckets that they are in. */
  readonly #areTimesWanted: boolean;

  /** All statistics of the source must be mergeable. */
  constructor(source: RollupSource, buckets: Buckets) {
    this.#source = source;
    this.#buckets = buckets;
    this.#areTimesWanted = source.statistics.includes('first') || source.statistics.includes('last');
    this.#tally = new Tally(buckets.edgesUs.length - 1, source.statistics.filter(isMergeable));
  }

  /**
   * Adds a block from its statistics in the directory, if it lies within one bucket and the window and its sum has not
   * overflowed. Returns whether it was added.
   */
  addEntry(entry: BlockEntry): boolean {
    const { startUs, endUs } = this.#source.window;
    if (entry.firstUs < startUs || entry.lastUs >= endUs || !Number.isFinite(entry.sum)) return false;
    const bucket = bucketIndexAt(this.#buckets, entry.firstUs);
    if (bucket < 0 || entry.lastUs >= this.#buckets.edgesUs[bucket + 1]) return false;
    this.#tally.addSummary(bucket, entry);
    return true;
  }

  /** Adds points. The caller may reuse the arrays afterwards. */
  add(points: Points): void {
    if (points.timesUs.length === 0) return;
    this.#tally.addPoints(points, bucketRuns(points.timesUs, this.#source.window, this.#buckets));
  }

  /** Adds the points of a block. The caller may reuse the arrays afterwards. */
  addBlock(block: DecodedBlock): void {
    const { regular, timesUs, values } = block;
    if (regular === null) this.add(block);
    else if (this.#areTimesWanted) {
      writeOut(regular, timesUs);
      this.add(block);
    } else {
      this.#tally.addPoints(block, regularRuns(regular, values.length, this.#source.window, this.#buckets));
    }
  }

  /** The columns; ends the tally. */
  finish(): Map<MergeableStatistic, Float64Array> {
    return this.#tally.finish();
  }
}

/** As `bucketRuns`, for `count` regular times. */
function regularRuns(times: RegularTimes, count: number, window: Window, buckets: Buckets): BucketRuns {
  const { edgesUs } = buckets;
  const from = indexAt(times, count, Math.max(window.startUs, edgesUs[0]));
  const to = indexAt(times, count, Math.min(window.endUs, edgesUs[edgesUs.length - 1]));
  if (from >= to) return noRuns;
  const first = bucketIndexAt(buckets, times.firstUs + from * times.stepUs);
  const last = bucketIndexAt(buckets, times.firstUs + (to - 1) * times.stepUs);
  const starts = new Uint32Array(last - first + 2);
  starts[0] = from;
  for (let i = 1; i < starts.length - 1; i++) starts[i] = indexAt(times, count, edgesUs[first + i]);
  starts[starts.length - 1] = to;
  return { first, starts };
}

/** The index of the first time at or after `us`; `count` when there is none. */
function indexAt({ firstUs, stepUs }: RegularTimes, count: number, us: number): number {
  if (us <= firstUs) return 0;
  if (us > firstUs + (count - 1) * stepUs) return count;
  const guess = Math.ceil((us - firstUs) / stepUs);
  // The division may have been rounded, but not by more than this.
  if (firstUs + (guess - 1) * stepUs >= us) return guess - 1;
  return firstUs + guess * stepUs < us ? guess + 1 : guess;
}
