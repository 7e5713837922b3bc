/**
 * Turns on the event loop. Work that computes there is done in steps of about a millisecond. Steps of all clients take turns, the
 * client that has used least time recently first; after a slice of steps the event loop serves its sockets.
 */
import type { Stopwatch } from '#model/environment';
import type { Soon } from './account.ts';
import { RecentUse } from './recent-use.ts';

/** Steps run for this long before the event loop goes on, ms. */
const sliceMs = 1;

/** A step that asks is told after this time that it is over, ms. */
const stepMs = 2;

/** Steps that would be next anyway do not wait for the next slice, until this has been used, ms. */
const promptMs = 3;

/** Nor do those of a client that uses little, until this has been used: a small call takes several steps, and would wait for each. */
const lightPromptMs = 6;

/** A client that has used less recently uses little, ms: one that always takes a tenth of the time has used 14. */
const littleMs = 15;

/** A part of some work. It may ask whether its time is over. */
export type StepWork<T> = (isOver: () => boolean) => T;

/** A step whose turn has not come; it runs and settles its promise. */
type Step = () => void;

/** Hands out turns. */
export class Turns {
  readonly #stopwatch: Stopwatch;
  /** Client → its steps in order. */
  readonly #waiting = new Map<string, Step[]>();
  readonly #used = new RecentUse();
  /** Used in this iteration of the event loop, ms. */
  #spentMs = 0;
  #isScheduled = false;
  /** Whose step, or what follows from it, runs; null: nobody's. */
  #running: string | null = null;
  #sinceMs = 0;
  /** Called when nothing more follows from the step that runs. */
  #next: (() => void) | null = null;

  constructor(stopwatch: Stopwatch) {
    this.#stopwatch = stopwatch;
  }

  /** Steps that wait. */
  get waitingCount(): number {
    return this.#waiting.values().reduce((sum, steps) => sum + steps.length, 0);
  }

  /** Runs a step of a client: at once where none waits and there is time left, else when it is its turn. Rejects as `step` throws. */
  async run<T>(client: string, step: StepWork<Soon<T>>): Promise<T> {
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
  runSoon<T>(client: string, step: StepWork<Soon<T>>): Soon<T> {
    return this.isPrompt(client) ? this.runNow(client, step) : this.run(client, step);
  }

  /**
   * Whether a step of a client may run now: none of its own waits, and either it would be the next, or it uses little, and there is
   * time left for it in this iteration.
   */
  isPrompt(client: string): boolean {
    if (this.#waiting.has(client)) return false;
    const nowMs = this.#count();
    if (this.#spentMs < promptMs && this.#waiting.size === 0) return true;
    const usedMs = this.#used.ofMs(client, nowMs);
    if (usedMs < littleMs) return this.#spentMs < lightPromptMs;
    return this.#spentMs < promptMs && usedMs < this.#leastUsedMs(nowMs);
  }

  readonly #isOver = () => this.#stopwatch.elapsedMs() - this.#sinceMs >= stepMs;

  #push(client: string, step: Step): void {
    const own = this.#waiting.get(client);
    if (own !== undefined) own.push(step);
    else this.#waiting.set(client, [step]);
    this.#schedule();
  }

  /** Runs a step at once. Its time counts, and that of all that follows from it before the event loop goes on. */
  runNow<T>(client: string, step: StepWork<T>): T {
    this.#count();
    if (this.#running === null) afterPromises(() => this.#end());
    this.#running = client;
    this.#schedule();
    return step(this.#isOver);
  }

  /** Counts the time since the last call for the client that runs; the time now, ms. */
  #count(): number {
    const nowMs = this.#stopwatch.elapsedMs();
    if (this.#running !== null) {
      const ms = nowMs - this.#sinceMs;
      this.#spentMs += ms;
      this.#used.add(this.#running, ms, nowMs);
    }
    this.#sinceMs = nowMs;
    return nowMs;
  }

  #end(): void {
    this.#count();
    this.#running = null;
    const next = this.#next;
    this.#next = null;
    next?.();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spentMs = 0;
      this.#runSlice();
    });
  }

  /** Runs steps, each with what follows from it. */
  #runSlice(): void {
    if (this.#waiting.size === 0) this.#used.forget(this.#stopwatch.elapsedMs());
    else if (this.#spentMs >= sliceMs) this.#schedule();
    else {
      this.#next = () => this.#runSlice();
      this.#takeNext()();
    }
  }

  /** The first step of the waiting client that has used least. */
  #takeNext(): Step {
    const nowMs = this.#stopwatch.elapsedMs();
    let next = '';
    let leastMs = Number.POSITIVE_INFINITY;
    for (const client of this.#waiting.keys()) {
      const usedMs = this.#used.ofMs(client, nowMs);
      if (usedMs < leastMs) [next, leastMs] = [client, usedMs];
    }
    const steps = this.#waiting.get(next) as Step[];
    const step = steps.shift() as Step;
    if (steps.length === 0) this.#waiting.delete(next);
    return step;
  }

  #leastUsedMs(nowMs: number): number {
    let leastMs = Number.POSITIVE_INFINITY;
    for (const client of this.#waiting.keys()) leastMs = Math.min(leastMs, this.#used.ofMs(client, nowMs));
    return leastMs;
  }
}

/** Calls back when all promises that are settled now, and all that follows from them at once, have been handled. */
function afterPromises(then: () => void): void {
  queueMicrotask(() => process.nextTick(then));
}
