/** A rollup that is built up block by block, as they come. */
import { type Buckets, bucketIndexAt, bucketStarts } from '#model/bucket';
import type { Points } from '#model/frame';
import { isMergeable, type MergeableStatistic, Tally } from '#model/tally';
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
  #collected: Points[] = [];
  #collectedCount = 0;

  /** All statistics of the source must be mergeable. */
  constructor(source: RollupSource, buckets: Buckets) {
    this.#source = source;
    this.#buckets = buckets;
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
