/** Matches patterns with texts in turns, between which other work of the thread goes on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compilePattern } from '#model/pattern';

/** Work (characters times pattern size) of one turn, about a millisecond. */
const turnUnits = 5_000;

/** For each text whether the pattern matches it. An aborted call ends soon, with the signal's reason. */
export async function matchInTurns(
  pattern: string,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<boolean[]> {
  const compiled = compilePattern(pattern);
  const found: boolean[] = [];
  let units = 0;
  for (const text of texts) {
    found.push(compiled.test(text));
    units += (text.length + 1) * compiled.size;
    if (units < turnUnits) continue;
    units = 0;
    await nextTurn();
    signal?.throwIfAborted();
  }
  return found;
}
