/** Work on a list that a client made long, in turns, so that other calls are served in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one turn may hold the event loop, ms; a short list takes one turn. */
const turnMs = 10;

/** How often the time is looked at. */
const perLook = 64;

/** Calls `work` for each element, in order; gives way to others every 10 ms. */
export async function inTurns<T>(elements: Iterable<T>, work: (element: T) => void): Promise<void> {
  let startMs = performance.now();
  let count = 0;
  for (const element of elements) {
    work(element);
    if (++count % perLook !== 0 || performance.now() - startMs < turnMs) continue;
    await nextTurn();
    startMs = performance.now();
  }
}
