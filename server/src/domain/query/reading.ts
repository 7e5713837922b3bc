/** What every kind of read needs. */

import type { ReadMemory } from '#load/read-memory';
import type { Clock } from '#model/environment';
import type { Limits } from '#model/limits';
import type { MetaReads } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';

/** The plan and cost of a read, for finding out why it was slow; unknown figures are left out. */
export interface ReadFacts {
  /** Signals whose points are read. */
  signals?: number;
  /** Buckets of the rollup, including those outside the window. */
  buckets?: number;
  blocks?: number;
  points?: number;
}

/** The parts that the reading side works with. */
export interface Reading {
  meta: Pick<MetaReads, 'signals' | 'items'>;
  series: SeriesStore;
  clock: Clock;
  limits: Limits;
  /** The memory budget for the columns of this read. */
  place: ReadMemory;
  /** Called before and after the read. */
  tell?: (facts: ReadFacts) => void;
}
