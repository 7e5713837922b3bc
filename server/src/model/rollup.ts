/** What a rollup computes for each bucket of a source (Q6, Q10). */

/** Statistics over the points of a bucket. `stddev` is that of the population; percentiles interpolate linearly. */
export type Statistic =
  | 'count'
  | 'sum'
  | 'min'
  | 'max'
  | 'avg'
  | 'first'
  | 'last'
  | 'median'
  | 'p05'
  | 'p95'
  | 'stddev';

/** The columns of one source: each value NaN where the bucket has no point (count included, Q5), one for each bucket. */
export interface Rollup {
  statistics: ReadonlyMap<Statistic, Float64Array>;
  /** State → seconds in it for each bucket, 0 where another state held, NaN where no state held (Q10). */
  states: ReadonlyMap<number, Float64Array>;
}
