/** Puts the rows of a data frame in order: strictly ascending times, each time once (R9). */
import type { Batch } from '#storage/store';

/** Whether the times ascend strictly already, as most clients send them. */
export function isAscending(timesUs: Float64Array): boolean {
  const { length } = timesUs;
  for (let row = 1; row < length; row++) {
    if (timesUs[row] <= timesUs[row - 1]) return false;
  }
  return true;
}

/**
 * A batch out of a batch whose times may come in any order and more than once: of equal times the later row wins, value by
 * value, and NaN never wins (R9).
 */
export function orderRows(batch: Batch): Batch {
  if (isAscending(batch.timesUs)) return batch;
  const order = rowOrder(batch.timesUs);
  const target = targetRows(batch.timesUs, order);
  const timesUs = new Float64Array(target[target.length - 1] + 1);
  for (let i = 0; i < order.length; i++) timesUs[target[i]] = batch.timesUs[order[i]];
  const values = new Float64Array(timesUs.length * batch.signals.length).fill(Number.NaN);
  for (let column = 0; column < batch.signals.length; column++) {
    const from = column * order.length;
    const into = column * timesUs.length;
    spread(batch.values.subarray(from, from + order.length), order, target, values.subarray(into));
  }
  return { timesUs, signals: batch.signals, values };
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

function spread(values: Float64Array, order: Uint32Array, target: Uint32Array, into: Float64Array): void {
  for (let i = 0; i < order.length; i++) {
    const value = values[order[i]];
    if (!Number.isNaN(value)) into[target[i]] = value;
  }
}
