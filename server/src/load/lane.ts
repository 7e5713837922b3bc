/** A lane: calls of one kind, of which a bounded number runs and a bounded number waits; clients take turns. */
import { FairQueue, type Waiter, waitIn } from './fair-queue.ts';
import { Overload } from './overload.ts';

/** How wide a lane is; asked at each use, since a configuration can change while the service runs. */
export interface LaneWidth {
  runningMax: number;
  waitingMax: number;
  /** How many may run for one client. */
  ownRunningMax: number;
}

/** Ends a call's place in its lane. A second time it does nothing. */
export type Leave = () => void;

/** One lane. */
export class Lane {
  readonly #calls: string;
  readonly #width: () => LaneWidth;
  readonly #running = new Map<string, number>();
  readonly #waiting = new FairQueue<Waiter>();
  #runningCount = 0;

  /** `calls` names them in messages, in the plural. */
  constructor(calls: string, width: () => LaneWidth) {
    this.#calls = calls;
    this.#width = width;
  }

  /** Calls that run. */
  get runningCount(): number {
    return this.#runningCount;
  }

  /** Calls that wait. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /**
   * Enters at once if possible, else when it is this client's turn. Rejects with {@link Overload} when too many wait,
   * and with the reason of `signal` when that is aborted first. Never throws.
   */
  enter(client: string, signal: () => AbortSignal): Leave | Promise<Leave> {
    if (!this.#mayRun(client)) return this.#wait(client, signal()).then(() => this.#leaving(client));
    this.#run(client);
    return this.#leaving(client);
  }

  /** Beyond the limit there is a quarter more for clients of whom nothing runs: the others do not shut them out. */
  #mayRun(client: string): boolean {
    const { runningMax, ownRunningMax } = this.#width();
    const own = this.#running.get(client) ?? 0;
    if (own >= ownRunningMax) return false;
    return this.#runningCount < (own === 0 ? runningMax + Math.floor(runningMax / 4) : runningMax);
  }

  #run(client: string): void {
    this.#runningCount++;
    this.#running.set(client, (this.#running.get(client) ?? 0) + 1);
  }

  #leaving(client: string): Leave {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#runningCount--;
      const left = (this.#running.get(client) ?? 0) - 1;
      if (left > 0) this.#running.set(client, left);
      else this.#running.delete(client);
      while (this.#startNext());
    };
  }

  #wait(client: string, signal: AbortSignal): Promise<void> {
    return waitIn(this.#waiting, client, {
      lengthMax: this.#width().waitingMax,
      signal,
      refusal: () => new Overload(`the queue is full (${this.#width().waitingMax} ${this.#calls} waiting)`),
      prepare: (waiter) => waiter,
    });
  }

  /** Starts the first waiting call of the client with the fewest running calls. Returns whether there was one. */
  #startNext(): boolean {
    const ready = [...this.#waiting.heads()].filter(([client]) => this.#mayRun(client));
    const countOf = ([client]: [string, Waiter]) => this.#running.get(client) ?? 0;
    const [next] = ready.toSorted((a, b) => countOf(a) - countOf(b));
    if (next === undefined) return false;
    this.#run(next[0]);
    this.#waiting.start(...next);
    return true;
  }
}
