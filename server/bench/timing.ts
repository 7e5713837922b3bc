/** How long an answer takes: for a service that has just started, and for one that has been asked for a while. */
import { type NextRequest, requestRate, type Target } from './ingest.ts';
import { median } from './report.ts';
import type { Run } from './run.ts';

/** Times of one question, ms. */
export interface Timing {
  /** Median of the first answers: code that has hardly run is still being compiled. */
  first: number;
  /** The median after the warm-up, as for clients of a server that has been running for days. */
  steady: number;
  best: number;
}

/**
 * Asks again and again, one after the other; the steady times are taken after a {@link warmUp} with `request`, which asks the same.
 */
export async function timeOften(
  ask: () => Promise<unknown>,
  target: Target,
  request: Buffer,
  { times, isTiny }: Run,
): Promise<Timing> {
  const first = await timesOf(ask, times);
  if (!isTiny) await warmUp(target, () => request);
  // The code of the client, too, is compiled before its times count.
  const steady = (await timesOf(ask, isTiny ? times : clientWarmAsks + times)).slice(-times);
  return { first: median(first), steady: median(steady), best: Math.min(...steady) };
}

/** Answers that the client parses before its times count. */
export const clientWarmAsks = 300;

/** Further figures, in addition to the steady time. */
export function timingNote({ first, best }: Timing): string {
  return `best ${best.toPrecision(3)}, the first ones ${first.toPrecision(3)}`;
}

/** The times of so many answers, one after the other, ms. */
export async function timesOf(ask: () => Promise<unknown>, count: number): Promise<number[]> {
  const durations: number[] = [];
  for (let i = 0; i < count; i++) {
    const startMs = performance.now();
    await ask();
    durations.push(performance.now() - startMs);
  }
  return durations;
}

/** The times of all answers, one after the other, ms, for so long; of one at least. */
export async function timesFor(ask: () => Promise<unknown>, seconds: number): Promise<number[]> {
  const durations: number[] = [];
  for (
    const untilMs = performance.now() + seconds * 1000;
    durations.length === 0 || performance.now() < untilMs;
  )
    durations.push(...(await timesOf(ask, 1)));
  return durations;
}

/** A turn that gives less than this times the best one before is not faster. */
const fasterFrom = 1.03;

/** Turns in a row that are not faster: then the service is warm. */
const steadyTurns = 2;

/** Turns of a warm-up at most. */
const warmTurnsMax = 10;

/** How requests are sent in a turn of a warm-up. */
const warmLoad = { clients: 8, seconds: 2 };

/**
 * Sends requests in turns until turns give no more answers than those before, as to a server that has been running for days: V8
 * compiles a function with all optimisations when it has been called 3,000 times, each thread for itself. With two threads of this
 * service that takes 20,000 to 40,000 answers.
 */
export async function warmUp(target: Target, next: NextRequest): Promise<void> {
  let bestRate = 0;
  for (let turn = 0, steady = 0; turn < warmTurnsMax && steady < steadyTurns; turn++) {
    const { rate } = await requestRate(target, next, warmLoad);
    steady = rate < bestRate * fasterFrom ? steady + 1 : 0;
    bestRate = Math.max(bestRate, rate);
  }
}
