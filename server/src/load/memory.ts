/**
 * The memory that requests hold together: one budget in parts, for what a request needs one after the other. A request
 * that waits for a later part holds only earlier ones, so requests never wait for one another in a circle.
 */
import { bug } from '#model/error';
import type { Limits } from '#model/limits';
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
  readonly #byClient = new Map<string, number>();
  readonly #small = new FairQueue<MemoryWaiter>();
  readonly #large = new FairQueue<MemoryWaiter>();
  #takenBytes = 0;

  /** Of `part` of the budget. */
  constructor(part: number, limits: MemoryLimits) {
    this.#part = part;
    this.#limits = limits;
  }

  /** Bytes that are taken now. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Requests that wait. */
  get waitingCount(): number {
    return this.#small.length + this.#large.length;
  }

  /**
   * Takes for a client; null when there is enough, else a promise that resolves when there is. An empty pool grants any amount.
   * Rejects with {@link Overload} when too many wait, and with the reason of `signal` when that is aborted first.
   */
  take(client: string, bytes: number, signal?: () => AbortSignal | undefined): Promise<void> | null {
    if (this.tryTake(client, bytes)) return null;
    return waitIn(this.#queueFor(bytes), client, {
      lengthMax: this.#limits.memoryWaitingMax,
      signal: signal?.(),
      refusal: () => new Overload('requests under way use all the memory that they may'),
      prepare: (waiter) => ({ ...waiter, bytes }),
      onAbort: () => this.#startWaiting(),
    });
  }

  /** Takes what is there at once; false when it is not. */
  tryTake(client: string, bytes: number): boolean {
    if (!this.#isFree(client, bytes)) return false;
    this.note(client, bytes);
    return true;
  }

  /** Takes in any case, for what exists already. */
  note(client: string, bytes: number): void {
    this.#takenBytes += bytes;
    this.#byClient.set(client, (this.#byClient.get(client) ?? 0) + bytes);
  }

  /** Gives back what was taken or noted. */
  give(client: string, bytes: number): void {
    this.#forget(client, bytes);
    this.#startWaiting();
  }

  /** What `from` holds is held by `to` from now on. */
  move(from: string, to: string, bytes: number): void {
    this.note(to, bytes);
    this.#forget(from, bytes);
  }

  #forget(client: string, bytes: number): void {
    this.#takenBytes -= bytes;
    const rest = (this.#byClient.get(client) ?? 0) - bytes;
    if (rest < 0) bug('more memory was given back than was taken');
    if (rest > 0) this.#byClient.set(client, rest);
    else this.#byClient.delete(client);
  }

  #queueFor(bytes: number): FairQueue<MemoryWaiter> {
    return bytes <= smallBytesMax ? this.#small : this.#large;
  }

  #isFree(client: string, bytes: number): boolean {
    return this.#queueFor(bytes).length === 0 && this.#isInShare(client, bytes) && this.#fits(bytes);
  }

  get #bytesMax(): number {
    return this.#part * this.#limits.requestMemoryBytesMax;
  }

  #isInShare(client: string, bytes: number): boolean {
    const own = this.#byClient.get(client) ?? 0;
    return own === 0 || own + bytes <= (this.#bytesMax * this.#limits.integrationSharePercent) / 100;
  }

  #fits(bytes: number): boolean {
    const part = bytes <= smallBytesMax ? 1 : 1 - smallPart;
    return this.#takenBytes === 0 || this.#takenBytes + bytes <= this.#bytesMax * part;
  }

  #startWaiting(): void {
    for (const queue of [this.#small, this.#large]) while (this.#startNext(queue));
  }

  /** In rotation. A client that has its share is passed over; one whose request does not fit is not, or it would never be served. */
  #startNext(queue: FairQueue<MemoryWaiter>): boolean {
    for (const [client, waiter] of queue.heads()) {
      if (!this.#isInShare(client, waiter.bytes)) continue;
      if (!this.#fits(waiter.bytes)) return false;
      this.note(client, waiter.bytes);
      queue.start(client, waiter);
      return true;
    }
    return false;
  }
}

/** The whole budget, by stage. */
export type Memory = Readonly<Record<MemoryStage, MemoryPool>>;

/** Makes a budget of which nothing is taken. */
export function newMemory(limits: MemoryLimits): Memory {
  const pool = (stage: MemoryStage) => new MemoryPool(parts[stage], limits);
  return {
    body: pool('body'),
    inflated: pool('inflated'),
    parsed: pool('parsed'),
    read: pool('read'),
    answer: pool('answer'),
  };
}
