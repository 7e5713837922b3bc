/**
 * Turns on the event loop. Work that computes there is done in steps of about a millisecond. Steps of all clients take turns, the
 * client that has used least time first; after a slice of steps the event loop serves its sockets.
 */
import type { Stopwatch } from '#model/environment';
import type { Soon } from './account.ts';

/** Steps run for this long before the event loop goes on, ms. */
const sliceMs = 1;

/** Steps that would be next anyway do not wait for the next slice, until this has been used, ms. */
const promptMs = 3;

/** A step whose turn has not come; it runs and settles its promise. */
type Step = () => void;

/** Hands out turns. */
export class Turns {
  readonly #stopwatch: Stopwatch;
  /** Client → its steps in order. */
  readonly #waiting = new Map<string, Step[]>();
  /** Client → the time that it has used since steps began to wait, ms. */
  readonly #usedMs = new Map<string, number>();
  /** Used in this iteration of the event loop, ms. */
  #spentMs = 0;
  #isScheduled = false;

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
  }

  /** Steps that wait. */
  get waitingCount(): number {
    return this.#waiting.values().reduce((sum, steps) => sum + steps.length, 0);
  }

  /** Runs a step of a client: at once where none waits and there is time left, else when it is its turn. Rejects as `step` throws. */
  async run<T>(client: string, step: () => Soon<T>): Promise<T> {
    if (this.isPrompt(client)) return this.runNow(client, step);
    return new Promise<T>((resolve, reject) => {
      this.#push(client, () => {
        try {
          resolve(this.runNow(client, step));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** As {@link run}, but without a promise where the step runs now: then it throws as `step` does. */
  runSoon<T>(client: string, step: () => Soon<T>): Soon<T> {
    return this.isPrompt(client) ? this.runNow(client, step) : this.run(client, step);
  }

  /** Whether a step of a client may run now: none waits, or it would be the next, and there is time left in this iteration. */
  isPrompt(client: string): boolean {
    if (this.#waiting.size === 0) return this.#spentMs < sliceMs;
    if (this.#spentMs >= promptMs || this.#waiting.has(client)) return false;
    return (this.#usedMs.get(client) ?? 0) < this.#leastUsedMs();
  }

  #push(client: string, step: Step): void {
    const own = this.#waiting.get(client);
    if (own !== undefined) own.push(step);
    else {
      this.#waiting.set(client, [step]);
      // Who was idle has saved nothing up.
      this.#usedMs.set(client, Math.max(this.#usedMs.get(client) ?? 0, this.#leastUsedMs()));
    }
    this.#schedule();
  }

  /** Runs a step at once, and counts its time. */
  runNow<T>(client: string, step: () => T): T {
    const startMs = this.#stopwatch.elapsedMs();
    try {
      return step();
    } finally {
      const ms = this.#stopwatch.elapsedMs() - startMs;
      this.#spentMs += ms;
      this.#usedMs.set(client, (this.#usedMs.get(client) ?? 0) + ms);
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runSlice());
  }

  #runSlice(): void {
    this.#isScheduled = false;
    this.#spentMs = 0;
    while (this.#spentMs < sliceMs && this.#waiting.size > 0) this.#takeNext()();
    if (this.#waiting.size > 0) this.#schedule();
    else this.#usedMs.clear();
  }

  /** The first step of the waiting client that has used least. */
  #takeNext(): Step {
    let next = '';
    let leastMs = Number.POSITIVE_INFINITY;
    for (const client of this.#waiting.keys()) {
      const usedMs = this.#usedMs.get(client) ?? 0;
      if (usedMs < leastMs) [next, leastMs] = [client, usedMs];
    }
    const steps = this.#waiting.get(next) as Step[];
    const step = steps.shift() as Step;
    if (steps.length === 0) this.#waiting.delete(next);
    return step;
  }

  #leastUsedMs(): number {
    let leastMs = Number.POSITIVE_INFINITY;
    for (const client of this.#waiting.keys()) {
      leastMs = Math.min(leastMs, this.#usedMs.get(client) ?? 0);
    }
    return Number.isFinite(leastMs) ? leastMs : 0;
  }
}
