/** The names of the statistics of a rollup (Q6). */

/** Statistics over the points of a bucket. `stddev` is that of the population; percentiles interpolate linearly. */
export const statistics = [
  'count',
  'sum',
  'min',
  'max',
  'avg',
  'first',
  'last',
  'median',
  'p05',
  'p95',
  'stddev',
] as const;

/** One of {@link statistics}. */
export type Statistic = (typeof statistics)[number];
