/** Where a writer keeps points until the service has them. */
import { countPoints, joinPoints, type Points } from './points.ts';

/** The oldest batches of a queue, together. */
export interface Backlog {
  points: Points;
  /** The number of its last batch. */
  last: number;
}

/** What a queue has given up. */
export interface QueueLoss {
  /** `full`: the oldest batches, to make room; `damaged`: batches of an earlier run that cannot be read. */
  reason: 'full' | 'damaged';
  points: number;
  /** The number of the last batch that is lost. */
  last: number;
}

/** What became of a batch. */
export interface Appended {
  /** Its number; later batches have larger ones. */
  number: number;
  lost: readonly QueueLoss[];
}

/**
 * Keeps batches in order. Promises: what {@link append} has resolved for comes back from {@link oldest}, in the order of
 * appending, until it is removed or reported as lost. Does not promise that it comes back only once.
 */
export interface WriterQueue {
  /** Points that it holds. */
  readonly points: number;
  /** Bytes that it takes. */
  readonly bytes: number;
  /** Whether what it holds survives the end of the program. */
  readonly isDurable: boolean;
  /** Finds what an earlier run left, with the number of the last batch of it. Called once, first. */
  open(): Promise<Appended>;
  append(points: Points): Promise<Appended>;
  /** For the end of a program, which allows no waiting; missing where nothing would be gained. */
  appendNow?(points: Points): void;
  /** The oldest batches, at least one, together at most about `pointsMax` points; null when it is empty. */
  oldest(pointsMax: number): Promise<Backlog | null>;
  /** Removes the batches up to this number. */
  remove(last: number): Promise<void>;
  close(): Promise<void>;
}

/** A queue in memory: for browsers, and for programs whose points may be lost with them. */
export class MemoryQueue implements WriterQueue {
  readonly isDurable = false;
  readonly #pointsMax: number;
  #batches: { number: number; points: Points; count: number }[] = [];
  #points = 0;
  #number = 0;

  /** Holds at most so many points, 16 bytes each; default 1,000,000. */
  constructor({ pointsMax = 1_000_000 }: { pointsMax?: number } = {}) {
    this.#pointsMax = pointsMax;
  }

  get points(): number {
    return this.#points;
  }

  get bytes(): number {
    return this.#points * 16;
  }

  async open(): Promise<Appended> {
    return { number: 0, lost: [] };
  }

  async append(points: Points): Promise<Appended> {
    const count = countPoints(points);
    const loss: QueueLoss = { reason: 'full', points: 0, last: 0 };
    while (this.#batches.length > 0 && this.#points + count > this.#pointsMax) {
      const oldest = this.#batches.shift()!;
      this.#points -= oldest.count;
      loss.points += oldest.count;
      loss.last = oldest.number;
    }
    this.#number++;
    this.#batches.push({ number: this.#number, points, count });
    this.#points += count;
    return { number: this.#number, lost: loss.points > 0 ? [loss] : [] };
  }

  async oldest(pointsMax: number): Promise<Backlog | null> {
    if (this.#batches.length === 0) return null;
    const taken = [this.#batches[0]];
    let count = taken[0].count;
    for (const batch of this.#batches.slice(1)) {
      count += batch.count;
      if (count > pointsMax) break;
      taken.push(batch);
    }
    return { points: joinPoints(taken.map(({ points }) => points)), last: taken[taken.length - 1].number };
  }

  async remove(last: number): Promise<void> {
    while (this.#batches.length > 0 && this.#batches[0].number <= last)
      this.#points -= this.#batches.shift()!.count;
  }

  async close(): Promise<void> {}
}
