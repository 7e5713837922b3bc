/** The states of steps. */

/** `next` is in progress, or the one to do. */
export type StepState = 'done' | 'next' | 'open' | 'warn' | 'bad';

/** The state of each step when they are done in their order. */
export function statesOf(areDone: readonly boolean[]): StepState[] {
  const next = areDone.indexOf(false);
  return areDone.map((isDone, i) => (isDone ? 'done' : i === next ? 'next' : 'open'));
}
