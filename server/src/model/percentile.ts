/** Percentiles of buckets, in bounded memory: they need all values of a bucket and cannot be merged from parts. */
import { type BucketRuns, type Buckets, bucketRuns } from './bucket.ts';
import type { Points } from './frame.ts';
import { RankSearch } from './rank-search.ts';
import type { Statistic } from './statistic.ts';
import type { Window } from './window.ts';

const fractions: ReadonlyMap<Statistic, number> = new Map([
  ['p05', 0.05],
  ['median', 0.5],
  ['p95', 0.95],
]);

/** Values of one bucket that are kept and sorted; a bucket of more is read again. 512 KB, and a few ms to sort. */
const keptDefault = 65_536;

/** A bucket of too many values to be kept. */
interface LargeBucket {
  index: number;
  search: RankSearch;
}

/** The percentiles of each bucket of one source, from points that arrive in ascending order of time. */
export class Percentiles {
  readonly #buckets: Buckets;
  readonly #window: Window;
  readonly #keptMax: number;
  readonly #columns: [fraction: number, column: Float64Array][];
  readonly #statistics: readonly Statistic[];
  /** The bucket whose values arrive now, -1 before the first. */
  #index = -1;
  #kept = new Float64Array(256);
  #keptCount = 0;
  #search: RankSearch | null = null;
  /** Those that wait for another pass; the first is being read again. */
  readonly #large: LargeBucket[] = [];
  #isRepeating = false;

  /** Of `statistics` those that are percentiles. */
  constructor(
    statistics: readonly Statistic[],
    buckets: Buckets,
    window: Window,
    keptMax: number = keptDefault,
  ) {
    const count = buckets.edgesUs.length - 1;
    this.#buckets = buckets;
    this.#window = window;
    this.#keptMax = keptMax;
    this.#statistics = statistics.filter((statistic) => fractions.has(statistic));
    this.#columns = this.#statistics.map((statistic) => [
      fractions.get(statistic) as number,
      new Float64Array(count).fill(Number.NaN),
    ]);
  }

  /** Whether there are none to compute. */
  get isEmpty(): boolean {
    return this.#columns.length === 0;
  }

  /** Takes the next points; `runs` says which are in which bucket. */
  add({ values }: Points, { first, starts }: BucketRuns): void {
    for (let i = 0; i + 1 < starts.length; i++) {
      if (starts[i] < starts[i + 1]) this.#addTo(first + i, values, starts[i], starts[i + 1]);
    }
  }

  /**
   * To be called when all points were given: the time range whose points are to be given again to {@link addAgain}; null
   * when everything is found.
   */
  next(): Window | null {
    this.#close();
    const done = this.#isRepeating ? this.#large[0] : undefined;
    if (done?.search.endPass()) {
      this.#put(done.index, done.search.count, (rank) => done.search.at(rank));
      this.#large.shift();
    }
    this.#isRepeating = this.#large.length > 0;
    return this.#isRepeating ? this.#range(this.#large[0].index) : null;
  }

  /** Takes points of the range of {@link next}. */
  addAgain(points: Points): void {
    const [{ index, search }] = this.#large;
    const { starts } = bucketRuns(points.timesUs, this.#range(index), this.#buckets);
    search.add(points.values, starts[0], starts[starts.length - 1]);
  }

  /** Linear between the two nearest values (Q6a), NaN where a bucket is empty. */
  finish(): Map<Statistic, Float64Array> {
    return new Map(this.#statistics.map((statistic, i) => [statistic, this.#columns[i][1]]));
  }

  #range(index: number): Window {
    const { edgesUs } = this.#buckets;
    return {
      startUs: Math.max(edgesUs[index], this.#window.startUs),
      endUs: Math.min(edgesUs[index + 1], this.#window.endUs),
    };
  }

  #addTo(index: number, values: Float64Array, from: number, to: number): void {
    if (index !== this.#index) this.#close();
    this.#index = index;
    if (this.#search === null && this.#keptCount + to - from > this.#keptMax) this.#startSearch();
    if (this.#search !== null) this.#search.add(values, from, to);
    else this.#keep(values, from, to);
  }

  #keep(values: Float64Array, from: number, to: number): void {
    const count = this.#keptCount + to - from;
    if (count > this.#kept.length) {
      const larger = new Float64Array(Math.max(count, 2 * this.#kept.length));
      larger.set(this.#kept);
      this.#kept = larger;
    }
    this.#kept.set(values.subarray(from, to), this.#keptCount);
    this.#keptCount = count;
  }

  #startSearch(): void {
    this.#search = new RankSearch(this.#keptMax);
    this.#search.add(this.#kept, 0, this.#keptCount);
    this.#keptCount = 0;
  }

  /** Ends the bucket whose values arrived. */
  #close(): void {
    if (this.#search !== null) {
      const { count } = this.#search;
      const ranks = this.#columns.flatMap(([fraction]) => ranksAround(fraction, count));
      this.#search.search([...new Set(ranks)]);
      this.#large.push({ index: this.#index, search: this.#search });
    } else if (this.#keptCount > 0) {
      const sorted = this.#kept.subarray(0, this.#keptCount).sort();
      this.#put(this.#index, sorted.length, (rank) => sorted[rank]);
    }
    this.#search = null;
    this.#keptCount = 0;
    this.#index = -1;
  }

  #put(index: number, count: number, valueAt: (rank: number) => number): void {
    for (const [fraction, column] of this.#columns) {
      const at = fraction * (count - 1);
      const low = Math.floor(at);
      const below = valueAt(low);
      column[index] = at === low ? below : below + (at - low) * (valueAt(low + 1) - below);
    }
  }
}

/** The ranks of the values between which a percentile lies. */
function ranksAround(fraction: number, count: number): number[] {
  const at = fraction * (count - 1);
  return [Math.floor(at), Math.ceil(at)];
}
