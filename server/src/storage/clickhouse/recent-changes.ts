/** Follows where in time points have changed, on any node, for what is remembered of them. */
import { NextRun } from '#model/next-run';
import type { TimeRange, WriteNumbers } from '../coordination.ts';

/** Changes that are kept at most; what was remembered before these is forgotten. */
const keptMax = 8192;

/** What was known at one time. */
export interface Look {
  /** How many changes were known. */
  place: number;
  /** Of the writes that were under way. */
  open: readonly TimeRange[];
}

/** Changes in the order in which they became known. */
export class RecentChanges {
  readonly #numbers: WriteNumbers;
  #ranges: TimeRange[] = [];
  /** Changes before those that are kept. */
  #forgotten = 0;
  #since: string | null = null;
  /** The numbers that came last: those that come again are among them. */
  #told: ReadonlySet<number> = new Set();
  readonly #looks = new NextRun(() => this.#look());

  constructor(numbers: WriteNumbers) {
    this.#numbers = numbers;
  }

  /** Knows of every change that began before this was called. */
  look(): Promise<Look> {
    return this.#looks.run();
  }

  /** What became known since a place; null: that is not known any more. */
  since(place: number): readonly TimeRange[] | null {
    return place < this.#forgotten ? null : this.#ranges.slice(place - this.#forgotten);
  }

  async #look(): Promise<Look> {
    const { place, changed, open } = await this.#numbers.changes(this.#since);
    this.#since = place;
    if (changed === null) this.#forget(this.#ranges.length + 1);
    for (const { number, range } of changed ?? []) if (!this.#told.has(number)) this.#ranges.push(range);
    this.#told = new Set(changed?.map(({ number }) => number));
    if (this.#ranges.length > keptMax) this.#forget(this.#ranges.length - keptMax / 2);
    return { place: this.#forgotten + this.#ranges.length, open };
  }

  #forget(count: number): void {
    this.#ranges = this.#ranges.slice(count);
    this.#forgotten += count;
  }
}
