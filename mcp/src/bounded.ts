/** Frames in an answer of bounded size: what is too large becomes figures, and a hint how to ask for less. */

/** A data frame as the service answers it. */
export interface Frame {
  times: string[];
  series: Record<string, (number | null)[]>;
}

/** The most values of an answer: more do not help a model, and fill its context. */
export const valuesMax = 2000;

const widths: readonly [string, number][] = [
  ['PT1M', 60],
  ['PT5M', 300],
  ['PT15M', 900],
  ['PT1H', 3600],
  ['PT6H', 21_600],
  ['P1D', 86_400],
  ['P1W', 604_800],
  ['P1M', 2_592_000],
  ['P1Y', 31_536_000],
];

/** The frame, or figures of its series with a hint where it has too many values. */
export function boundFrame({ times, series }: Frame): object {
  const columns = Object.entries(series);
  if (times.length * columns.length <= valuesMax) return { rows: times.length, times, series };
  const figures = columns.slice(0, 100).map(([key, values]) => [key, figuresOf(values)]);
  return {
    isTooLarge: true,
    rows: times.length,
    firstTime: times[0],
    lastTime: times[times.length - 1],
    figures: Object.fromEntries(figures),
    hint: hintOf(times, columns.length),
  };
}

function figuresOf(values: readonly (number | null)[]) {
  const numbers = values.filter((value) => value !== null);
  if (numbers.length === 0) return { count: 0 };
  let [min, max, sum] = [numbers[0], numbers[0], 0];
  for (const value of numbers) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  return { count: numbers.length, min, max, avg: sum / numbers.length, last: numbers[numbers.length - 1] };
}

function hintOf(times: readonly string[], count: number): string {
  const seconds = (Date.parse(times[times.length - 1]) - Date.parse(times[0])) / 1000;
  // A rollup makes several series of an item.
  const fitting = widths.find(([, width]) => (seconds / width + 2) * count * 5 <= valuesMax);
  const rollup = fitting === undefined ? '"window"' : `"${fitting[0]}"`;
  return `${times.length} rows of ${count} series are more than ${valuesMax} values: set data.rollup to ${rollup}, ask for a shorter time range or fewer items, or set data.last to the number of newest values that you need`;
}
