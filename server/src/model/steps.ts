/** Computations that pause now and then, so that the event loop can do other work. */
import { type Ending, signalOf } from './ending.ts';

/** A computation in steps. It yields where it may pause: the work since the last yield, in about nanoseconds. */
export type Steps<T> = Generator<number, T, void>;

/** Runs one step when it is its turn (load/turns.ts). Rejects as the step throws. The step may ask whether its time is over. */
export type RunStep = <T>(step: (isOver: () => boolean) => T) => Promise<T>;

/** Runs every step at once, for callers outside requests. */
export const runAtOnce: RunStep = async (step) => step(() => false);

/** Runs the first step at once, and each further one in an iteration of the event loop of its own, for work that has no turns. */
export function eachIteration(): RunStep {
  let isFirst = true;
  return async (step) => {
    if (!isFirst) await new Promise((resolve) => setImmediate(resolve));
    isFirst = false;
    return step(() => false);
  };
}

/** After so much work, about a millisecond, a step ends; before, if code that is not compiled yet takes longer than estimated. */
const stepWork = 1e6;

/** Runs a computation to its end. `ending` ends it between two steps, with its reason. */
export async function runSteps<T>(steps: Steps<T>, runStep: RunStep, ending?: Ending): Promise<T> {
  for (;;) {
    const { done, value } = await runStep((isOver) => nextStep(steps, isOver));
    if (done) return value;
    signalOf(ending)?.throwIfAborted();
  }
}

/** Runs a computation to its end without a pause. */
export function resultOf<T>(steps: Generator<unknown, T, void>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function nextStep<T>(steps: Steps<T>, isOver: () => boolean): IteratorResult<number, T> {
  for (let work = 0; ; ) {
    const result = steps.next();
    if (result.done) return result;
    work += result.value;
    if (work >= stepWork || isOver()) return result;
  }
}

/**
 * So many elements in pieces, after each of which a computation may pause: code that is not compiled yet, which may take a
 * microsecond for each, takes some ms for a piece.
 */
export function* pieces(count: number): Generator<readonly [from: number, to: number], void, void> {
  for (let from = 0; from < count; from += pieceLength) yield [from, Math.min(count, from + pieceLength)];
}

const pieceLength = 4096;

/** Whether so many elements are at most one piece. */
export function isOnePiece(count: number): boolean {
  return count <= pieceLength;
}

/** Calls `work` for so many elements in pieces, each of which takes about `elementWork` nanoseconds. */
export function* inPieces(
  count: number,
  elementWork: number,
  work: (from: number, to: number) => void,
): Steps<void> {
  for (const [from, to] of pieces(count)) {
    work(from, to);
    yield (to - from) * elementWork;
  }
}
