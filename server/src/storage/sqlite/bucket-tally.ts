/** A rollup that is built up block by block, as they come. */
import { type Buckets, bucketIndexAt, bucketStarts } from '#model/bucket';
import type { Points } from '#model/frame';
import { isMergeable, type MergeableStatistic, Tally } from '#model/tally';
import type { Window } from '#model/window';
import type { DecodedBlock } from '../codec/block.ts';
import { type RegularTimes, writeOut } from '../codec/times.ts';
import type { RollupSource } from '../store.ts';
import type { BlockEntry } from './directory.ts';
import { mergeRuns } from './runs.ts';

/** Points are added at once when there are so many of them for each bucket: adding looks at every bucket. */
const pointsPerBucket = 4;

/** The statistics of one source over its buckets. */
export class BucketTally {
  readonly #source: RollupSource;
  readonly #buckets: Buckets;
  readonly #tally: Tally;
  /** Whether more of the times is asked than which bucket they are in. */
  readonly #areTimesWanted: boolean;
  #collected: Points[] = [];
  #collectedCount = 0;

  /** All statistics of the source must be mergeable. */
  constructor(source: RollupSource, buckets: Buckets) {
    this.#source = source;
    this.#buckets = buckets;
    this.#areTimesWanted = source.statistics.includes('first') || source.statistics.includes('last');
    this.#tally = new Tally(buckets.edgesUs.length - 1, source.statistics.filter(isMergeable));
  }

  /** Takes a block by what the directory says of it, if it lies in one bucket and in the window as a whole. */
  swallow(entry: BlockEntry): boolean {
    const { startUs, endUs } = this.#source.window;
    if (entry.firstUs < startUs || entry.lastUs >= endUs) return false;
    const bucket = bucketIndexAt(this.#buckets, entry.firstUs);
    if (bucket < 0 || entry.lastUs >= this.#buckets.edgesUs[bucket + 1]) return false;
    this.#tally.addSummary(bucket, entry);
    return true;
  }

  /** Whether so many points are worth to be added by themselves. */
  isWorth(count: number): boolean {
    return count >= pointsPerBucket * this.#buckets.edgesUs.length;
  }

  /** Adds points; they may change afterwards. */
  add(points: Points): void {
    if (points.timesUs.length === 0) return;
    this.#tally.addPoints(points, bucketStarts(points.timesUs, this.#source.window, this.#buckets));
  }

  /** Adds the points of a block; they may change afterwards. */
  addBlock(block: DecodedBlock): void {
    const { regular, timesUs, values } = block;
    if (regular === null) this.add(block);
    else if (this.#areTimesWanted) {
      writeOut(regular, timesUs);
      this.add(block);
    } else {
      this.#tally.addPoints(block, regularStarts(regular, values.length, this.#source.window, this.#buckets));
    }
  }

  /** Adds points together with others; they must not change, and follow those that were collected before. */
  collect(points: Points): void {
    this.#collected.push(points);
    this.#collectedCount += points.timesUs.length;
    if (this.isWorth(this.#collectedCount)) this.#addCollected();
  }

  /** The columns; ends the tally. */
  finish(): Map<MergeableStatistic, Float64Array> {
    this.#addCollected();
    return this.#tally.finish();
  }

  #addCollected(): void {
    this.add(mergeRuns(this.#collected));
    this.#collected = [];
    this.#collectedCount = 0;
  }
}

/** As `bucketStarts`, of so many regular times. */
function regularStarts(
  times: RegularTimes,
  count: number,
  { startUs, endUs }: Window,
  { edgesUs }: Buckets,
): Uint32Array {
  const from = indexAt(times, count, startUs);
  const to = indexAt(times, count, endUs);
  const starts = new Uint32Array(edgesUs.length);
  for (let b = 0; b < starts.length; b++) {
    starts[b] = Math.max(from, Math.min(indexAt(times, count, edgesUs[b]), to));
  }
  return starts;
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
