/** Columns that may be given to another thread: each alone in a buffer of its own, so that nothing else goes with it. */
import type { Points } from '#model/frame';

/** The same points; columns that share a buffer, or lie in a larger one, are copied. */
export function columnsForTransfer(runs: readonly Points[]): Points[] {
  return runs.map(({ timesUs, values }) => ({ timesUs: timesUs.slice(), values: values.slice() }));
}
