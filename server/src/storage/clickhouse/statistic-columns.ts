/** How a server computes the statistics of a bucket, and when its result is certainly that of `model/rollup`. */
import type { Statistic } from '#model/statistic';

/** A part of the statistics: a column of an answer. */
type Part =
  | 'count'
  | 'min'
  | 'max'
  | 'first'
  | 'last'
  | 'sum'
  | 'size'
  | 'squares'
  | `${Percentile}Below`
  | `${Percentile}Above`;

type Percentile = 'p05' | 'median' | 'p95';

/** The value of a part in one bucket. */
export type ValueOf = (part: Part) => number;

const fractions: Record<Percentile, number> = { p05: 0.05, median: 0.5, p95: 0.95 };

/** Expressions over the rows of a bucket. Squares are of the distances from the mean, so the values are passed twice. */
const expressions: Readonly<Record<Part, string>> = {
  count: 'toFloat64(count())',
  min: 'min(value)',
  max: 'max(value)',
  first: 'argMin(value, time)',
  last: 'argMax(value, time)',
  sum: 'sumKahan(value)',
  size: 'sum(abs(value))',
  squares:
    "arrayReduce('sumKahan', arrayMap(x -> (x - sumKahan(value) / count()) * (x - sumKahan(value) / count()), groupArray(value)))",
  ...rankExpressions('p05'),
  ...rankExpressions('median'),
  ...rankExpressions('p95'),
};

function rankExpressions<P extends Percentile>(name: P): Record<`${P}Below` | `${P}Above`, string> {
  const at = (offset: number) =>
    `arraySort(groupArray(value))[least(count(), toUInt64(floor(${fractions[name]} * (count() - 1))) + ${offset})]`;
  return { [`${name}Below`]: at(1), [`${name}Above`]: at(2) } as ReturnType<typeof rankExpressions<P>>;
}

/** What each statistic is made of. */
const partsOf: Record<Statistic, readonly Part[]> = {
  ...{ count: ['count'], min: ['min'], max: ['max'], first: ['first'], last: ['last'] },
  ...{ sum: ['sum', 'size'], avg: ['count', 'sum', 'size'] },
  stddev: ['count', 'min', 'max', 'size', 'squares'],
  p05: ['count', 'p05Below', 'p05Above'],
  median: ['count', 'medianBelow', 'medianAbove'],
  p95: ['count', 'p95Below', 'p95Above'],
};

/** The parts of statistics, each once. */
export function partsFor(statistics: readonly Statistic[]): Part[] {
  return [...new Set(statistics.flatMap((statistic) => partsOf[statistic]))];
}

/** The columns of parts, for a statement over points. */
export function columnsFor(parts: readonly Part[]): string[] {
  return parts.map((part, i) => `${expressions[part]} AS c${i}`);
}

/** A part of the size of all values together below which their sum is not certain. */
const cancelledPart = 1e-3;

/** A part of the size of all values below which the square of their deviation is not certain: the mean is rounded. */
const roundedPart = 1e-17;

/** The statistic of a bucket; null where the server's result may differ from the true one by more than 1e-12 of its size (Q6). */
export function statisticOf(statistic: Statistic, value: ValueOf): number | null {
  switch (statistic) {
    case 'sum':
      return certainSum(value);
    case 'avg': {
      const sum = certainSum(value);
      return sum === null ? null : sum / value('count');
    }
    case 'stddev':
      return deviation(value);
    case 'p05':
    case 'median':
    case 'p95':
      return between(statistic, value);
    default:
      return value(statistic);
  }
}

/** Kahan's sum is exact but for 2.3e-16 of the size of all values together; where these nearly cancel, that is too much. */
function certainSum(value: ValueOf): number | null {
  const [sum, size] = [value('sum'), value('size')];
  return Number.isFinite(size) && Math.abs(sum) >= cancelledPart * size ? sum : null;
}

function deviation(value: ValueOf): number | null {
  if (value('min') === value('max')) return 0;
  const [count, size, squares] = [value('count'), value('size'), value('squares')];
  const isCertain =
    Number.isFinite(squares) && squares * count >= roundedPart * size * size && squares > 1e-290;
  return isCertain ? Math.sqrt(squares / count) : null;
}

/** As `model/percentile` interpolates. */
function between(name: Percentile, value: ValueOf): number {
  const at = fractions[name] * (value('count') - 1);
  const low = Math.floor(at);
  const below = value(`${name}Below`);
  return at === low ? below : below + (at - low) * (value(`${name}Above`) - below);
}
