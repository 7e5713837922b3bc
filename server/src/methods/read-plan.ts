/** What a read gets of its call, and its plan in the log of slow calls: counts and times, without any names from clients. */
import type { DataQuery, ReadFacts, ReadOptions } from '#domain/query/request';
import { printDuration } from '#model/duration';
import { instantUsMax } from '#model/instant';
import { printInstant } from '#model/instant-printer';
import type { ProblemList } from '#model/problem-list';
import type { Call } from '#protocol/method';

/** The counts in a plan. */
export type ReadCounts = Readonly<Record<'items' | 'groups' | 'calculations', number>>;

/** Options for a read; reports its plan now, so that failed reads have one too, and its cost and the size of the answer when known. */
export function readOptions(
  call: Call,
  counts: ReadCounts,
  { fromUs, beforeUs, rollup, timeZone, last }: DataQuery,
  problems: ProblemList,
): ReadOptions {
  const known: ReadFacts = {};
  call.plan = () => ({
    ...counts,
    from: printBound(fromUs),
    before: printBound(beforeUs),
    rollup: rollup === null || rollup === 'window' ? rollup : printDuration(rollup),
    timeZone,
    last,
    ...known,
  });
  return {
    signal: () => call.signal,
    ...(call.memory === undefined ? {} : { memory: call.memory }),
    runStep: (step) => call.ticket.step(step),
    onFacts: (facts) => {
      Object.assign(known, facts);
    },
    problems,
  };
}

/** Null: the default of the form, or no time at all, which the read will refuse. */
function printBound(us: number | null): string | null {
  return us !== null && Math.abs(us) <= instantUsMax ? printInstant(us) : null;
}
