/**
 * A lane: at most so many calls run in it, at most so many wait, and integrations take turns. Who floods it waits behind
 * his own calls; others pass him by.
 */
import { Overload } from './overload.ts';

/** How wide a lane is; asked anew each time, since a configuration can change while the service runs. */
export interface LaneWidth {
  runningMax: number;
  waitingMax: number;
  /** How many may run for one integration. */
  ownRunningMax: number;
}

/** Ends the call's place in its lane; to be called once. */
export type Leave = () => void;

interface Waiter {
  start(): void;
  refuse(error: unknown): void;
}

/** One lane. */
export class Lane {
  readonly #name: string;
  readonly #width: () => LaneWidth;
  readonly #running = new Map<string, number>();
  /** By integration, each list in order of arrival; the integration served last stands last. */
  readonly #waiting = new Map<string, Waiter[]>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(name: string, width: () => LaneWidth) {
    this.#name = name;
    this.#width = width;
  }

  /** Calls that run. */
  get runningCount(): number {
    return this.#runningCount;
  }

  /** Calls that wait. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  /**
   * Enters at once where there is room and nobody waits, else when it is this integration's turn. Rejects with
   * {@link Overload} when too many wait, and with the reason of `signal` when that is aborted first. Never throws.
   */
  enter(integration: string, signal: () => AbortSignal): Leave | Promise<Leave> {
    const leave = () => this.#leave(integration);
    if (!this.#mayRun(integration)) return this.#wait(integration, signal()).then(() => leave);
    this.#run(integration);
    return leave;
  }

  #mayRun(integration: string): boolean {
    const { runningMax, ownRunningMax } = this.#width();
    return this.#runningCount < runningMax && (this.#running.get(integration) ?? 0) < ownRunningMax;
  }

  #run(integration: string): void {
    this.#runningCount++;
    this.#running.set(integration, (this.#running.get(integration) ?? 0) + 1);
  }

  #leave(integration: string): void {
    this.#runningCount--;
    const rest = (this.#running.get(integration) ?? 0) - 1;
    if (rest > 0) this.#running.set(integration, rest);
    else this.#running.delete(integration);
    while (this.#admitNext());
  }

  async #wait(integration: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waitingCount >= this.#width().waitingMax) this.#makeRoom(integration);
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#forget(integration, waiter);
        reject(signal.reason);
      };
      const settle = (outcome: () => void) => {
        signal.removeEventListener('abort', abort);
        outcome();
      };
      const waiter = {
        start: () => settle(resolve),
        refuse: (error: unknown) => settle(() => reject(error)),
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waitingCount++;
      this.#waiting.set(integration, [...(this.#waiting.get(integration) ?? []), waiter]);
    });
  }

  /** Turns away the newest call of who has most of them waiting; that is the new one, unless it has fewer by two. */
  #makeRoom(integration: string): void {
    let most = integration;
    let mostCount = (this.#waiting.get(integration)?.length ?? 0) + 1;
    for (const [other, { length }] of this.#waiting) {
      if (length > mostCount) [most, mostCount] = [other, length];
    }
    const turnedAway = most === integration ? undefined : this.#waiting.get(most)?.at(-1);
    if (turnedAway === undefined) throw this.#overload();
    this.#forget(most, turnedAway);
    turnedAway.refuse(this.#overload());
  }

  #overload(): Overload {
    return new Overload(`Try again: ${this.#waitingCount} ${this.#name} wait already, and no more may`);
  }

  #forget(integration: string, waiter: Waiter): void {
    const left = (this.#waiting.get(integration) ?? []).filter((other) => other !== waiter);
    this.#waitingCount--;
    if (left.length > 0) this.#waiting.set(integration, left);
    else this.#waiting.delete(integration);
  }

  /** Lets the first call in of who runs the fewest; whether there was one. */
  #admitNext(): boolean {
    const next = [...this.#waiting.keys()].filter((integration) => this.#mayRun(integration));
    const countOf = (integration: string) => this.#running.get(integration) ?? 0;
    const [integration] = next.toSorted((a, b) => countOf(a) - countOf(b));
    const waiter = integration === undefined ? undefined : this.#waiting.get(integration)?.[0];
    if (integration === undefined || waiter === undefined) return false;
    const left = this.#waiting.get(integration) ?? [];
    this.#forget(integration, waiter);
    this.#standLast(integration, left.slice(1));
    this.#run(integration);
    waiter.start();
    return true;
  }

  #standLast(integration: string, waiters: Waiter[]): void {
    this.#waiting.delete(integration);
    if (waiters.length > 0) this.#waiting.set(integration, waiters);
  }
}
