/** The plan of a read in the log of slow calls: counts and times, without any names from clients. */
import type { ReadFacts } from '#domain/query/reading';
import type { DataQuery } from '#domain/query/request';
import { printDuration } from '#model/duration';
import type { Frame } from '#model/frame';
import { instantUsMax } from '#model/instant';
import { printInstant } from '#model/instant-printer';
import type { Call } from '#protocol/method';

/** The counts in a plan. */
export type ReadCounts = Readonly<Record<'items' | 'groups' | 'calculations', number>>;

/** Runs a read. Reports its plan before, so that failed reads have one too, its cost when known, and the size of the answer. */
export async function readPlanned<T>(
  call: Call,
  counts: ReadCounts,
  { fromUs, beforeUs, rollup, timeZone, last }: DataQuery,
  read: (tell: (facts: ReadFacts) => void) => Promise<T>,
  frameOf: (answer: T) => Frame,
): Promise<T> {
  const plan = {
    ...counts,
    from: printBound(fromUs),
    before: printBound(beforeUs),
    rollup: rollup === null || rollup === 'window' ? rollup : printDuration(rollup),
    timeZone,
    last,
  };
  call.plan = plan;
  const answer = await read((facts) => {
    call.plan = { ...call.plan, ...facts };
  });
  const { timesUs, series } = frameOf(answer);
  call.plan = { ...call.plan, rows: timesUs.length, series: series.size };
  return answer;
}

/** Null: the default of the form, or no time at all, which the read will refuse. */
function printBound(us: number | null): string | null {
  return us !== null && Math.abs(us) <= instantUsMax ? printInstant(us) : null;
}
