/** A lane: calls of one kind, of which a bounded number runs and a bounded number waits; clients take turns. */
import type { NumberTables } from '#threads/number-table';
import { Shares, ShareWaiting } from '#threads/shares';
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
  readonly #running: Shares;
  readonly #waiting: FairQueue<Waiter>;
  readonly #watch: ShareWaiting;

  /** `calls` names them in messages, in the plural. The width is that of all threads which share the tables. */
  constructor(calls: string, width: () => LaneWidth, tables: NumberTables) {
    this.#calls = calls;
    this.#width = width;
    this.#running = new Shares(tables, `${calls} running`);
    this.#waiting = new FairQueue(new Shares(tables, `${calls} waiting`));
    this.#watch = new ShareWaiting(
      this.#running,
      () => this.#waiting.length > 0,
      () => this.#startAll(),
    );
  }

  /** Calls that run. */
  get runningCount(): number {
    return this.#running.total;
  }

  /** Calls that wait. */
  get waitingCount(): number {
    return this.#waiting.totalLength;
  }

  /**
   * Enters at once if possible, else when it is this client's turn. Rejects with {@link Overload} when too many wait,
   * and with the reason of `signal` when that is aborted first. Never throws.
   */
  enter(client: string, signal: () => AbortSignal): Leave | Promise<Leave> {
    if (!this.#run(client)) return this.#wait(client, signal()).then(() => this.#leaving(client));
    return this.#leaving(client);
  }

  /** Takes a place, if there is one for this client. */
  #run(client: string): boolean {
    return this.#running.take(client, 1, (own) => this.#mayRun(own));
  }

  /** Beyond the limit there is a quarter more for clients of whom nothing runs: the others do not shut them out. */
  #mayRun(own: number): boolean {
    const { runningMax, ownRunningMax } = this.#width();
    if (own >= ownRunningMax) return false;
    return this.#running.total < (own === 0 ? runningMax + Math.floor(runningMax / 4) : runningMax);
  }

  #leaving(client: string): Leave {
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.#running.add(client, -1);
      this.#watch.given();
    };
  }

  #wait(client: string, signal: AbortSignal): Promise<void> {
    const waiting = waitIn(this.#waiting, client, {
      lengthMax: this.#width().waitingMax,
      signal,
      refusal: () => new Overload(`the queue is full (${this.#width().waitingMax} ${this.#calls} waiting)`),
      prepare: (waiter) => waiter,
    });
    this.#watch.watch();
    return waiting;
  }

  #startAll(): void {
    while (this.#startNext());
  }

  /** Starts the first waiting call of the client with the fewest running calls. Returns whether there was one. */
  #startNext(): boolean {
    const ready = [...this.#waiting.heads()].map((head) => ({ head, own: this.#running.of(head[0]) }));
    for (const { head } of ready.toSorted((a, b) => a.own - b.own)) {
      if (!this.#run(head[0])) continue;
      this.#waiting.start(...head);
      return true;
    }
    return false;
  }
}
