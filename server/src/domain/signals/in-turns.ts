/** Work on a long list in steps, so that other calls are served in between. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { RunStep } from '#model/steps';

/** Decides when a step may run, as the ticket of a request does. */
export interface StepRunner {
  step: RunStep;
}

/** How long one step holds the event loop, ms. */
const stepMs = 1;

/** Elements after which the time is checked. */
const perCheck = 16;

/**
 * Calls `work` for each element, in order. Without `runner`, for work that a transaction waits for: a step in each iteration of the
 * event loop, the first at once.
 */
export async function inTurns<T>(
  elements: Iterable<T>,
  work: (element: T) => void,
  runner?: StepRunner,
): Promise<void> {
  const iterator = elements[Symbol.iterator]();
  const takeStep = () => workFor(iterator, work);
  if (runner === undefined) while (!takeStep()) await nextIteration();
  else while (!(await runner.step(takeStep)));
}

/** Works for one step. Returns whether it has ended. */
function workFor<T>(iterator: Iterator<T>, work: (element: T) => void): boolean {
  const endMs = performance.now() + stepMs;
  for (let count = 1; ; count++) {
    const { done, value } = iterator.next();
    if (done) return true;
    work(value);
    if (count % perCheck === 0 && performance.now() >= endMs) return false;
  }
}
