/** What every reading needs. */
import type { Limits } from '#model/limits';
import type { Clock } from '#model/world';
import type { MetaStore, SeriesStore } from '#storage/store';

/** The parts that the reading side works with. */
export interface Reading {
  meta: MetaStore;
  series: SeriesStore;
  clock: Clock;
  limits: Limits;
}
