/**
 * The memory that requests hold together: one budget in parts, for what a request needs one after the other. A request
 * that waits for a later part holds only earlier ones, so requests never wait for one another in a circle.
 */
import type { Limits } from '#model/limits';
import type { NumberTables } from '#threads/number-table';
import { Shares, ShareWaiting } from '#threads/shares';
import { FairQueue, type Waiter, waitIn } from './fair-queue.ts';
import { Overload } from './overload.ts';

/** What memory is for: bodies as they came, inflated, and parsed; columns and points of reads; text of answers. */
export type MemoryStage = 'body' | 'inflated' | 'parsed' | 'read' | 'answer';

/** Stage → its part of the budget. */
const parts: Readonly<Record<MemoryStage, number>> = {
  body: 0.15,
  inflated: 0.15,
  parsed: 0.25,
  read: 0.35,
  answer: 0.1,
};

/** Up to this many bytes a request is small: it waits only behind other small ones. */
export const smallBytesMax = 64 * 1024;

/** What large requests leave free for small ones. */
const smallPart = 1 / 8;

/** The limits that decide; read at each use. */
export type MemoryLimits = Pick<
  Limits,
  'requestMemoryBytesMax' | 'memoryWaitingMax' | 'integrationSharePercent'
>;

interface MemoryWaiter extends Waiter {
  bytes: number;
}

/** The part of one stage. */
export class MemoryPool {
  readonly #part: number;
  readonly #limits: MemoryLimits;
  readonly #taken: Shares;
  readonly #small: FairQueue<MemoryWaiter>;
  readonly #large: FairQueue<MemoryWaiter>;
  readonly #waiting: ShareWaiting;

  /** Of `part` of the budget, under the name `memory STAGE` in the tables. */
  constructor(part: number, limits: MemoryLimits, tables: NumberTables, stage: string) {
    this.#part = part;
    this.#limits = limits;
    this.#taken = new Shares(tables, `memory ${stage}`);
    this.#small = new FairQueue(new Shares(tables, `memory ${stage}, small waiting`));
    this.#large = new FairQueue(new Shares(tables, `memory ${stage}, large waiting`));
    this.#waiting = new ShareWaiting(
      this.#taken,
      () => this.#small.length + this.#large.length > 0,
      () => this.#startWaiting(),
    );
  }

  /** Bytes that are taken now. */
  get takenBytes(): number {
    return this.#taken.total;
  }

  /** Requests that wait. */
  get waitingCount(): number {
    return this.#small.totalLength + this.#large.totalLength;
  }

  /**
   * Takes for a client; null when there is enough, else a promise that resolves when there is. An empty pool grants any amount.
   * Rejects with {@link Overload} when too many wait, and with the reason of `signal` when that is aborted first.
   */
  take(client: string, bytes: number, signal?: () => AbortSignal | undefined): Promise<void> | null {
    if (this.tryTake(client, bytes)) return null;
    const waiting = waitIn(this.#queueFor(bytes), client, {
      lengthMax: this.#limits.memoryWaitingMax,
      signal: signal?.(),
      refusal: () => new Overload('requests under way use all the memory that they may'),
      prepare: (waiter) => ({ ...waiter, bytes }),
      onAbort: () => this.#startWaiting(),
    });
    this.#waiting.watch();
    return waiting;
  }

  /** Takes what is there at once; false when it is not. */
  tryTake(client: string, bytes: number): boolean {
    return this.#queueFor(bytes).totalLength === 0 && this.#takeFitting(client, bytes);
  }

  /** Takes in any case, for what exists already. */
  note(client: string, bytes: number): void {
    this.#taken.add(client, bytes);
  }

  /** Gives back what was taken or noted. */
  give(client: string, bytes: number): void {
    this.#taken.add(client, -bytes);
    this.#waiting.given();
  }

  /** What `from` holds is held by `to` from now on. */
  move(from: string, to: string, bytes: number): void {
    this.#taken.add(to, bytes);
    this.#taken.add(from, -bytes);
  }

  #queueFor(bytes: number): FairQueue<MemoryWaiter> {
    return bytes <= smallBytesMax ? this.#small : this.#large;
  }

  #takeFitting(client: string, bytes: number): boolean {
    return this.#taken.take(client, bytes, (own) => this.#isInShare(own, bytes) && this.#fits(bytes));
  }

  get #bytesMax(): number {
    return this.#part * this.#limits.requestMemoryBytesMax;
  }

  #isInShare(own: number, bytes: number): boolean {
    return own === 0 || own + bytes <= (this.#bytesMax * this.#limits.integrationSharePercent) / 100;
  }

  #fits(bytes: number): boolean {
    const part = bytes <= smallBytesMax ? 1 : 1 - smallPart;
    const { total } = this.#taken;
    return total === 0 || total + bytes <= this.#bytesMax * part;
  }

  #startWaiting(): void {
    for (const queue of [this.#small, this.#large]) while (this.#startNext(queue));
  }

  /** In rotation. A client that has its share is passed over; one whose request does not fit is not, or it would never be served. */
  #startNext(queue: FairQueue<MemoryWaiter>): boolean {
    for (const [client, waiter] of queue.heads()) {
      if (!this.#isInShare(this.#taken.of(client), waiter.bytes)) continue;
      if (!this.#takeFitting(client, waiter.bytes)) return false;
      queue.start(client, waiter);
      return true;
    }
    return false;
  }
}

/** The whole budget, by stage. */
export type Memory = Readonly<Record<MemoryStage, MemoryPool>>;

/** Makes a budget of which nothing is taken. */
export function newMemory(limits: MemoryLimits, tables: NumberTables): Memory {
  const pool = (stage: MemoryStage) => new MemoryPool(parts[stage], limits, tables, stage);
  return {
    body: pool('body'),
    inflated: pool('inflated'),
    parsed: pool('parsed'),
    read: pool('read'),
    answer: pool('answer'),
  };
}
