/** The data of the chart of a signal: sums over the parts of a range, and the paths of its lines. */
import type { HistoryPart } from '@tidemark/client/wire';

/** Ranges that can be chosen. */
export const ranges = [
  { value: 'PT1H', text: 'Hour' },
  { value: 'P1D', text: 'Day' },
  { value: 'P7D', text: 'Week' },
  { value: 'P30D', text: '30 days' },
  { value: 'P365D', text: 'Year' },
] as const;

/** One of the ranges. */
export type HistoryRange = (typeof ranges)[number]['value'];

/** The sums over all parts; the values are null if there are no points. */
interface HistorySums {
  count: number;
  min: number | null;
  max: number | null;
  avg: number | null;
}

/** The sums of parts. The average is that of all points, not of the parts. */
export function sumsOf(parts: readonly HistoryPart[]): HistorySums {
  const filled = parts.filter(({ count }) => count > 0);
  const count = filled.reduce((sum, part) => sum + part.count, 0);
  if (count === 0) return { count, min: null, max: null, avg: null };
  return {
    count,
    min: Math.min(...filled.map(({ min }) => min ?? Number.POSITIVE_INFINITY)),
    max: Math.max(...filled.map(({ max }) => max ?? Number.NEGATIVE_INFINITY)),
    avg: filled.reduce((sum, part) => sum + (part.avg ?? 0) * part.count, 0) / count,
  };
}

/** The coordinates of the paths. */
export const box = { width: 960, height: 220 } as const;

/** Paths in {@link box}: the line of averages, or of states as steps, and the area between the extremes. */
interface HistoryPaths {
  line: string;
  band: string;
}

/** The paths of parts. The line continues over parts without points, since a signal may have fewer points than there are parts. */
export function pathsOf(parts: readonly HistoryPart[], isSteps: boolean): HistoryPaths {
  const { min, max } = sumsOf(parts);
  if (min === null || max === null) return { line: '', band: '' };
  const span = max - min;
  const y = (value: number) =>
    (span === 0 ? box.height / 2 : box.height - ((value - min) / span) * box.height).toFixed(1);
  const x = (i: number) => (((i + 0.5) / parts.length) * box.width).toFixed(1);
  const filled = [...parts.entries()].filter(([, { count }]) => count > 0);
  if (isSteps) {
    const steps = filled.map(([i, { last }], k) =>
      k === 0 ? `M${x(i)} ${y(last ?? 0)}` : `H${x(i)}V${y(last ?? 0)}`,
    );
    return { line: `${steps.join('')}h4`, band: '' };
  }
  const points = (of: (part: HistoryPart) => number | null) =>
    filled.map(([i, part]) => `${x(i)} ${y(of(part) ?? 0)}`);
  const lower = points(({ min: value }) => value).reverse();
  return {
    line: `M${points(({ avg }) => avg).join('L')}h0.1`,
    band: `M${points(({ max: value }) => value).join('L')}L${lower.join('L')}Z`,
  };
}
