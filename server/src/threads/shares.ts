/** What clients hold of one thing, such as memory or places in a lane, added up over all threads of the process. */
import { bug } from '#model/error';
import type { NumberTable, NumberTables, TableLayout } from './number-table.ts';

/** Clients that hold something at one time; there are at most as many as connections. */
const layout: TableLayout = { records: 16_384, fields: 1, evicts: false };

/** Decides whether a client that holds `own` may take more; {@link Shares.total} and {@link Shares.clientCount} do not change meanwhile. */
export type MayTake = (own: number) => boolean;

/** Amounts by client. */
export class Shares {
  readonly #table: NumberTable;

  constructor(tables: NumberTables, name: string) {
    this.#table = tables.table(name, layout);
  }

  /** What all clients hold. */
  get total(): number {
    return this.#table.sum;
  }

  /** Clients that hold something. */
  get clientCount(): number {
    return this.#table.count;
  }

  /** What a client holds. */
  of(client: string): number {
    return this.#table.peek(client, (numbers, at) => numbers[at]) ?? 0;
  }

  /** Takes for a client if it may; otherwise returns false. */
  take(client: string, amount: number, mayTake: MayTake): boolean {
    const taken = this.#table.update(client, (numbers, at) => {
      if (!mayTake(numbers[at])) return false;
      this.#add(numbers, at, amount);
      return true;
    });
    return taken ?? false;
  }

  /** Takes in any case, or gives back when `amount` is negative. */
  add(client: string, amount: number): void {
    const rest = this.#table.update(client, (numbers, at) => this.#add(numbers, at, amount));
    if (rest === null || rest < 0) bug('more was given back than was taken');
  }

  /**
   * Lets all threads that wait try again what did not fit, if there are others than this one. `isWaiting`: this thread has called
   * {@link waitForOthers}. Returns whether there were others.
   */
  wakeOthers(isWaiting: boolean): boolean {
    return this.#table.wakeOthers(isWaiting);
  }

  /** Calls `woken` once, when another thread has given something back. */
  waitForOthers(woken: () => void): void {
    this.#table.waitForOthers(woken);
  }

  #add(numbers: Float64Array, at: number, amount: number): number {
    this.#table.addToSum(amount);
    numbers[at] += amount;
    return numbers[at];
  }
}

/** Waits on behalf of the waiters of one thread. */
export class ShareWaiting {
  readonly #shares: Shares;
  readonly #tryAgain: () => void;
  readonly #hasWaiters: () => boolean;
  #isWaiting = false;

  /** `tryAgain` starts the waiters for which there is room. */
  constructor(shares: Shares, hasWaiters: () => boolean, tryAgain: () => void) {
    this.#shares = shares;
    this.#hasWaiters = hasWaiters;
    this.#tryAgain = tryAgain;
  }

  /**
   * Something was given back in this thread. If others wait too, all are woken, and the one that comes to it first, since it has less
   * to do, goes on: were its own waiters tried at once, a thread would keep for itself what it had once got.
   */
  given(): void {
    if (this.#shares.wakeOthers(this.#isWaiting) && this.#isWaiting) return;
    if (this.#hasWaiters()) this.#tryAgain();
  }

  /** A waiter has been added: what other threads give back, or have given back since it was decided to wait, starts it. */
  watch(): void {
    if (this.#isWaiting || !this.#hasWaiters()) return;
    this.#isWaiting = true;
    this.#shares.waitForOthers(() => {
      this.#isWaiting = false;
      this.#tryAgain();
      this.watch();
    });
    this.#tryAgain();
  }
}
