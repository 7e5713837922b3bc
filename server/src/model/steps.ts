/** Computations that pause now and then, so that the event loop can do other work. */

/** A computation in steps. It yields where it may pause: the work since the last yield, in about nanoseconds. */
export type Steps<T> = Generator<number, T, void>;

/** Runs one step when it is its turn (load/turns.ts). Rejects as the step throws. */
export type RunStep = <T>(step: () => T) => Promise<T>;

/** Runs every step at once, for callers outside requests. */
export const runAtOnce: RunStep = async (step) => step();

/** After so much work, about a millisecond, a step ends. */
const stepWork = 1e6;

/** Runs a computation to its end. `signal` ends it between two steps, with its reason. */
export async function runSteps<T>(steps: Steps<T>, runStep: RunStep, signal?: AbortSignal): Promise<T> {
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = await runStep(() => nextStep(steps));
    if (done) return value;
  }
}

/** Runs a computation to its end without a pause. */
export function resultOf<T>(steps: Generator<unknown, T, void>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function nextStep<T>(steps: Steps<T>): IteratorResult<number, T> {
  for (let work = 0; ; ) {
    const result = steps.next();
    if (result.done) return result;
    work += result.value;
    if (work >= stepWork) return result;
  }
}
