/** Matches patterns with texts in turns, between which other work of the thread goes on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { matchInSteps } from '#model/pattern';

/** Work (characters times pattern size) of one turn, about a millisecond. */
const turnUnits = 5_000;

/** For each text whether the pattern matches it. An aborted call ends soon, with the signal's reason. */
export async function matchInTurns(
  pattern: string,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<boolean[]> {
  const steps = matchInSteps(pattern, texts, turnUnits);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await nextTurn();
    signal?.throwIfAborted();
  }
}
