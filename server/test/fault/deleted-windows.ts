/** Batches that follow one another, and the windows that are deleted behind them. */
import type { Window } from '#model/window';
import type { Batch } from '#storage/store';

/** Rows of a batch, a microsecond apart. */
export const rowCount = 4000;

/** The signals of each batch. */
export const deletedSignals = [1, 2, 3, 4, 5, 6, 7, 8];

/** After so many batches a window is deleted … */
const everyBatches = 4;

/** … that begins so many rows back: in blocks as a rule, at times in the log. */
const backRows = 30_500;
const windowRows = 9_000;

/** The batch of a number, from 0. */
export function batchToDelete(batch: number): Batch {
  const timesUs = Float64Array.from({ length: rowCount }, (_, row) => batch * rowCount + row);
  const values = new Float64Array(rowCount * deletedSignals.length);
  for (let i = 0; i < values.length; i++) values[i] = valueAt(timesUs[i % rowCount]);
  return { timesUs, signals: deletedSignals, values };
}

/** What every signal has at a time. */
export function valueAt(timeUs: number): number {
  return ((timeUs * 7919) % 10_007) / 10;
}

/** Whether a window is deleted after a batch. */
export function hasWindow(batch: number): boolean {
  return batch % everyBatches === everyBatches - 1;
}

/** The window that is deleted after a batch; every other one near the newest rows. */
export function deletedWindow(batch: number): Window {
  const isRecent = (batch + 1) % (2 * everyBatches) === 0;
  const startUs = (batch + 1) * rowCount - (isRecent ? windowRows + 500 : backRows);
  return { startUs, endUs: startUs + windowRows };
}
