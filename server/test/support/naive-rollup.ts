/** Rollups by the book: every point is looked at for every bucket, nothing is shared with the real computation. */
import type { Buckets } from '#model/bucket';
import type { Points } from '#model/frame';
import type { Rollup, RollupWant, Statistic } from '#model/rollup';

const formulas: Record<Statistic, (values: number[]) => number> = {
  count: (values) => values.length,
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  min: (values) => values.reduce((min, value) => Math.min(value, min)),
  max: (values) => values.reduce((max, value) => Math.max(value, max)),
  avg: (values) => formulas.sum(values) / values.length,
  first: (values) => values[0],
  last: (values) => values[values.length - 1],
  median: (values) => percentile(values, 0.5),
  p05: (values) => percentile(values, 0.05),
  p95: (values) => percentile(values, 0.95),
  stddev: (values) => {
    const mean = formulas.avg(values);
    return Math.sqrt(formulas.avg(values.map((value) => (value - mean) ** 2)));
  },
};

function percentile(values: number[], rank: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = rank * (sorted.length - 1);
  const low = sorted[Math.floor(at)];
  return low + (at - Math.floor(at)) * (sorted[Math.ceil(at)] - low);
}

/** What a rollup of these points should be (Q6, Q10). */
export function naiveRollup(points: Points, want: RollupWant, { edgesUs }: Buckets, nowUs: number): Rollup {
  const rows = [...points.timesUs].map((us, i) => ({ us, value: points.values[i] }));
  const { startUs, endUs } = want.window;
  const bucketCount = edgesUs.length - 1;
  const inBucket = (us: number, b: number) =>
    us >= edgesUs[b] && us < edgesUs[b + 1] && us >= startUs && us < endUs;
  const statistics = want.statistics.map((statistic): [Statistic, Float64Array] => {
    const column = Float64Array.from({ length: bucketCount }, (_, b) => {
      const values = rows.filter(({ us }) => inBucket(us, b)).map(({ value }) => value);
      return values.length === 0 ? Number.NaN : formulas[statistic](values);
    });
    return [statistic, column];
  });
  return { statistics: new Map(statistics), states: naiveStates(rows, want, edgesUs, nowUs) };
}

interface Holding {
  state: number;
  fromUs: number;
  untilUs: number;
}

function holdingsOf(rows: { us: number; value: number }[], want: RollupWant, nowUs: number): Holding[] {
  const { startUs, endUs } = want.window;
  return rows.flatMap(({ us, value }, i) => {
    if (!Number.isInteger(value) || value < 0 || value > 9999) return [];
    const newestUntilUs = us > nowUs ? Number.POSITIVE_INFINITY : nowUs;
    const nextUs = i + 1 < rows.length ? rows[i + 1].us : newestUntilUs;
    const untilUs = Math.min(nextUs, us + want.gapUs, endUs);
    return [{ state: value, fromUs: Math.max(us, startUs), untilUs }];
  });
}

function naiveStates(
  rows: { us: number; value: number }[],
  want: RollupWant,
  edgesUs: Float64Array,
  nowUs: number,
): Map<number, Float64Array> {
  if (want.states.length === 0) return new Map();
  const holdings = holdingsOf(rows, want, nowUs).filter(({ fromUs, untilUs }) => fromUs < untilUs);
  const inBucketUs = (holding: Holding, b: number) =>
    Math.max(0, Math.min(holding.untilUs, edgesUs[b + 1]) - Math.max(holding.fromUs, edgesUs[b]));
  const seen = [...new Set(holdings.map(({ state }) => state))].sort((a, b) => a - b);
  const states = want.states === 'seen' ? seen : want.states;
  const sum = (list: Holding[], b: number) => list.reduce((us, holding) => us + inBucketUs(holding, b), 0);
  return new Map(
    states.map((state) => [
      state,
      Float64Array.from({ length: edgesUs.length - 1 }, (_, b) =>
        sum(holdings, b) === 0
          ? Number.NaN
          : sum(
              holdings.filter((one) => one.state === state),
              b,
            ) / 1e6,
      ),
    ]),
  );
}
