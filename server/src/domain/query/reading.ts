/** What every reading needs. */

import type { ReadMemory } from '#load/read-memory';
import type { Clock } from '#model/environment';
import type { Limits } from '#model/limits';
import type { MetaStore, SeriesStore } from '#storage/store';

/** What a read is about and what it took, for those who ask why it was slow; what is not known is left out. */
export interface ReadFacts {
  /** Signals whose points are asked for. */
  signals?: number;
  /** Into which they are rolled up, those outside the window included. */
  buckets?: number;
  blocks?: number;
  points?: number;
}

/** The parts that the reading side works with. */
export interface Reading {
  meta: MetaStore;
  series: SeriesStore;
  clock: Clock;
  limits: Limits;
  /** What the columns of this read may take. */
  place: ReadMemory;
  /** Told before the read, and after it. */
  tell?: (facts: ReadFacts) => void;
}
