/** Puts the rows of a data frame in order: strictly ascending times, each time once (R9). */
import type { BatchColumn } from '#storage/store';

/** Columns over shared row times. */
export interface Rows {
  timesUs: Float64Array;
  columns: readonly BatchColumn[];
}

/** Whether the times ascend strictly already, as most clients send them. */
export function isAscending(timesUs: Float64Array): boolean {
  for (let row = 1; row < timesUs.length; row++) {
    if (timesUs[row] <= timesUs[row - 1]) return false;
  }
  return true;
}

/** Rows may come in any order; of equal times the later row wins, value by value, and NaN never wins (R9). */
export function orderRows(rows: Rows): Rows {
  if (isAscending(rows.timesUs)) return rows;
  const order = rowOrder(rows.timesUs);
  const target = targetRows(rows.timesUs, order);
  const count = target[target.length - 1] + 1;
  const timesUs = new Float64Array(count);
  for (let i = 0; i < order.length; i++) timesUs[target[i]] = rows.timesUs[order[i]];
  const columns = rows.columns.map(({ signal, values }) => ({
    signal,
    values: spread(values, order, target, count),
  }));
  return { timesUs, columns };
}

/** Row numbers by time, equal times by row number. */
function rowOrder(timesUs: Float64Array): Uint32Array {
  const order = new Uint32Array(timesUs.length);
  for (let row = 0; row < order.length; row++) order[row] = row;
  return order.sort((a, b) => timesUs[a] - timesUs[b] || a - b);
}

/** For each place in `order` the row that it goes to: equal times share one. */
function targetRows(timesUs: Float64Array, order: Uint32Array): Uint32Array {
  const target = new Uint32Array(order.length);
  for (let i = 1; i < order.length; i++) {
    target[i] = target[i - 1] + (timesUs[order[i]] === timesUs[order[i - 1]] ? 0 : 1);
  }
  return target;
}

function spread(values: Float64Array, order: Uint32Array, target: Uint32Array, count: number): Float64Array {
  const ordered = new Float64Array(count).fill(Number.NaN);
  for (let i = 0; i < order.length; i++) {
    const value = values[order[i]];
    if (!Number.isNaN(value)) ordered[target[i]] = value;
  }
  return ordered;
}
