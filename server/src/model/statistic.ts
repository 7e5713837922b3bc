/** The names of the statistics of a rollup (Q6). */

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
