/** Puts the rows of a data frame in order: strictly ascending times, each time once (R9). */
import { pieces, type Steps } from '#model/steps';
import type { Batch } from '#storage/store';

/**
 * A batch out of a batch whose times may come in any order and more than once: of equal times the later row wins, value by
 * value, and NaN never wins (R9).
 */
export function* orderRows(batch: Batch): Steps<Batch> {
  if (yield* isAscending(batch.timesUs)) return batch;
  const order = yield* rowOrder(batch.timesUs);
  const target = new Uint32Array(order.length);
  for (const [from, to] of pieces(order.length)) {
    placeRows(batch.timesUs, order, from, to, target);
    yield (to - from) * rowWork.spread;
  }
  const timesUs = new Float64Array(target[target.length - 1] + 1);
  yield* spread(batch.timesUs, order, target, timesUs);
  const values = new Float64Array(timesUs.length * batch.signals.length).fill(Number.NaN);
  for (let column = 0; column < batch.signals.length; column++) {
    const from = column * order.length;
    const into = column * timesUs.length;
    yield* spread(batch.values.subarray(from, from + order.length), order, target, values.subarray(into));
  }
  return { timesUs, signals: batch.signals, values };
}

/** Whether the times ascend strictly already, as most clients send them. */
function* isAscending(timesUs: Float64Array): Steps<boolean> {
  for (const [from, to] of pieces(timesUs.length)) {
    if (!doAscend(timesUs, Math.max(1, from), to)) return false;
    if (to < timesUs.length) yield (to - from) * rowWork.compare;
  }
  return true;
}

function doAscend(timesUs: Float64Array, from: number, to: number): boolean {
  for (let row = from; row < to; row++) if (timesUs[row] <= timesUs[row - 1]) return false;
  return true;
}

/** Rows that are sorted at once. */
const runRows = 4096;

/** What a row takes, ns: to be compared, to be sorted in its run, to be merged, and to be copied in one column. */
const rowWork = { compare: 2, sort: 250, merge: 15, spread: 10 };

/** Row numbers by time, equal times by row number: runs are sorted, and merged by two until one remains. */
function* rowOrder(timesUs: Float64Array): Steps<Uint32Array> {
  let order = new Uint32Array(timesUs.length);
  for (let row = 0; row < order.length; row++) order[row] = row;
  for (let from = 0; from < order.length; from += runRows) {
    order.subarray(from, from + runRows).sort((a, b) => timesUs[a] - timesUs[b] || a - b);
    yield Math.min(runRows, order.length - from) * rowWork.sort;
  }
  let other = new Uint32Array(order.length);
  for (let run = runRows; run < order.length; run *= 2) {
    for (let from = 0; from < order.length; from += 2 * run) yield* merge(timesUs, order, other, from, run);
    [order, other] = [other, order];
  }
  return order;
}

/** Merges two neighbouring runs of rows in order; of equal times the first run's come first. */
function* merge(
  timesUs: Float64Array,
  order: Uint32Array,
  into: Uint32Array,
  from: number,
  run: number,
): Steps<void> {
  const [middle, to] = [Math.min(from + run, order.length), Math.min(from + 2 * run, order.length)];
  let [left, right] = [from, middle];
  for (let at = from; at < to; at++) {
    if ((at - from) % runRows === 0) yield runRows * rowWork.merge;
    const isLeft = right === to || (left < middle && timesUs[order[left]] <= timesUs[order[right]]);
    into[at] = isLeft ? order[left++] : order[right++];
  }
}

/** For places in `order` the row that each goes to: equal times share one. */
function placeRows(
  timesUs: Float64Array,
  order: Uint32Array,
  from: number,
  to: number,
  target: Uint32Array,
): void {
  for (let i = Math.max(1, from); i < to; i++) {
    target[i] = target[i - 1] + (timesUs[order[i]] === timesUs[order[i - 1]] ? 0 : 1);
  }
}

/** Copies the values of a column, or the times, to the rows that they go to. */
function* spread(
  values: Float64Array,
  order: Uint32Array,
  target: Uint32Array,
  into: Float64Array,
): Steps<void> {
  for (const [from, to] of pieces(order.length)) {
    copyRows(values, order, target, from, to, into);
    yield (to - from) * rowWork.spread;
  }
}

function copyRows(
  values: Float64Array,
  order: Uint32Array,
  target: Uint32Array,
  from: number,
  to: number,
  into: Float64Array,
): void {
  for (let i = from; i < to; i++) {
    const value = values[order[i]];
    if (!Number.isNaN(value)) into[target[i]] = value;
  }
}
