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
 * How long the same question is asked before its steady times are taken, ms. V8 compiles a function with all optimisations when it
 * has been called 3,000 times: for short questions these are so many answers.
 */
const warmMs = 2000;

/** Asks again and again, one after the other. */
export async function timeOften(ask: () => Promise<void>, { times, isTiny }: Run): Promise<Timing> {
  const first = await timesOf(ask, times);
  const warmUntilMs = performance.now() + (isTiny ? 0 : warmMs);
  while (performance.now() < warmUntilMs) await ask();
  const steady = await timesOf(ask, times);
  return { first: median(first), steady: median(steady), best: Math.min(...steady) };
}

/** Further figures, in addition to the steady time. */
export function timingNote({ first, best }: Timing): string {
  return `best ${best.toPrecision(3)}, the first ones ${first.toPrecision(3)}`;
}

/** The times of so many answers, one after the other, ms. */
export async function timesOf(ask: () => Promise<void>, count: number): Promise<number[]> {
  const durations: number[] = [];
  for (let i = 0; i < count; i++) {
    const startMs = performance.now();
    await ask();
    durations.push(performance.now() - startMs);
  }
  return durations;
}

/** A turn that gives less than this times the best one before is not faster. */
const fasterFrom = 1.03;

/** Turns of a warm-up at most. */
const warmTurnsMax = 6;

/**
 * Sends requests in turns until a turn gives no more answers than those before. Each thread of a server that
 * compiles while it runs does so for itself: with eight clients and two threads of this service it takes about 20,000 answers each.
 */
export async function warmUp(
  target: Target,
  next: NextRequest,
  load: { clients: number; seconds: number },
): Promise<void> {
  let bestRate = 0;
  for (let turn = 0; turn < warmTurnsMax; turn++) {
    const { rate } = await requestRate(target, next, load);
    if (turn > 0 && rate < bestRate * fasterFrom) return;
    bestRate = Math.max(bestRate, rate);
  }
}
