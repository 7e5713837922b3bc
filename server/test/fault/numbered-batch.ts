/** Batches that can be checked: each covers the second half of the one before it, and says which one it is. */
import type { Points } from '#model/frame';
import type { Batch } from '#storage/store';

/** Signals of each writer. */
export const signalsPerWriter = 10;

/** Rows of a batch; half of them lie where the batch before has its second half. */
const rowCount = 200;
const stepUs = 1000;
const half = rowCount / 2;

/** The time of a row: irregular, so that the signals of a batch share their stored times. */
function timeAt(row: number): number {
  return row * stepUs + ((row * row * 7919) % 997);
}

/** The signals of a writer. */
export function signalsOf(writer: number): number[] {
  return Array.from({ length: signalsPerWriter }, (_, i) => 1 + writer * signalsPerWriter + i);
}

/** The batch of a number, from 0. */
export function batchNumbered(writer: number, batch: number): Batch {
  const timesUs = Float64Array.from({ length: rowCount }, (_, i) => timeAt(batch * half + i));
  const signals = signalsOf(writer);
  const values = new Float64Array(rowCount * signals.length);
  for (let i = 0; i < values.length; i++) values[i] = numberIn(batch, signals[Math.floor(i / rowCount)]);
  return { timesUs, signals, values };
}

/** What a signal must hold once batches up to `last` are stored, from time 0; `last` -1: nothing. */
export function pointsThrough(signal: number, last: number): Points {
  const count = last < 0 ? 0 : (last + 2) * half;
  const points = { timesUs: new Float64Array(count), values: new Float64Array(count) };
  for (let i = 0; i < count; i++) {
    points.timesUs[i] = timeAt(i);
    points.values[i] = numberIn(Math.min(Math.floor(i / half), last), signal);
  }
  return points;
}

/** Decimals, which the log packs, and in every other signal doubles, which it does not. */
function numberIn(batch: number, signal: number): number {
  return ((batch * 7919) % 1000) / (signal % 2 === 0 ? 10 : 7) + signal * 1000;
}
