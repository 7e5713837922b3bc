/** Joins columns that were read in parts: side by side, and one after the other. */
import type { Columns } from './frame.ts';

/** The columns of all parts: a row for each time of any of them, NaN where a series has none. Later parts win. */
export function joinColumns(parts: readonly Columns[]): Columns {
  if (parts.length === 1) return parts[0];
  const timesUs = unionOf(parts.map((part) => part.timesUs));
  const series = new Map<string, Float64Array>();
  for (const part of parts) {
    const rows = rowsOf(part.timesUs, timesUs);
    for (const [key, values] of part.series) {
      const column = series.get(key) ?? new Float64Array(timesUs.length).fill(Number.NaN);
      series.set(key, column);
      for (const [i, value] of values.entries()) if (!Number.isNaN(value)) column[rows[i]] = value;
    }
  }
  return { timesUs, series };
}

function unionOf(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort().filter((us, i, sorted) => i === 0 || us !== sorted[i - 1]);
}

/** The row of each of the ascending times among all of them. */
function rowsOf(timesUs: Float64Array, among: Float64Array): Uint32Array {
  let row = 0;
  return Uint32Array.from(timesUs, (us) => {
    while (among[row] < us) row++;
    return row;
  });
}

const stateKey = /^(.+_state_)\d+$/;

/**
 * Parts with the same series of states. A part in which a state does not occur may lack its series: where another state of the
 * item has a value, the time in this one is 0 (Q10a).
 */
export function completeStates(parts: readonly Columns[]): readonly Columns[] {
  const keys = new Set(parts.flatMap(({ series }) => [...series.keys()].filter((key) => stateKey.test(key))));
  if (keys.size === 0) return parts;
  return parts.map(({ timesUs, series }) => {
    const missing = [...keys].filter((key) => !series.has(key));
    return { timesUs, series: new Map([...series, ...missing.map((key) => zeros(key, timesUs, series))]) };
  });
}

function zeros(key: string, timesUs: Float64Array, series: Columns['series']): [string, Float64Array] {
  const prefix = stateKey.exec(key)![1];
  const others = [...series].filter(([other]) => stateKey.exec(other)?.[1] === prefix);
  const isKnown = (row: number) => others.some(([, values]) => !Number.isNaN(values[row]));
  return [key, timesUs.map((_, row) => (isKnown(row) ? 0 : Number.NaN))];
}

/** Keeps the newest values of each series, and the rows in which any is left (Q8). */
export function keepLast({ timesUs, series }: Columns, last: number): Columns {
  const kept = new Map([...series].map(([key, values]) => [key, newest(values, last)]));
  const rows = timesUs
    .map((_, row) => row)
    .filter((row) => [...kept.values()].some((values) => !Number.isNaN(values[row])));
  const pick = (values: Float64Array) => Float64Array.from(rows, (row) => values[row]);
  return { timesUs: pick(timesUs), series: new Map([...kept].map(([key, values]) => [key, pick(values)])) };
}

function newest(values: Float64Array, last: number): Float64Array {
  const kept = new Float64Array(values.length).fill(Number.NaN);
  for (let row = values.length - 1, left = last; row >= 0 && left > 0; row--) {
    if (Number.isNaN(values[row])) continue;
    kept[row] = values[row];
    left--;
  }
  return kept;
}
