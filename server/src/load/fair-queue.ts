/** A bounded waiting queue with a list for each client: clients are served in rotation, and the longest list gives way. */
import type { Shares } from '#threads/shares';

/** One that waits. */
export interface Waiter {
  /** It is this one's turn; it has left the queue. */
  start(): void;
  /** It was evicted in favour of another client's; it has left the queue. */
  refuse(): void;
}

/** Waiters by client. Each thread has a queue of its own; the bound is that of all. */
export class FairQueue<W extends Waiter> {
  /** Each list in order of arrival; the client that was served last comes last. */
  readonly #lists = new Map<string, Set<W>>();
  readonly #waiting: Shares;
  #length = 0;

  /** `waiting` counts the waiters of all threads. */
  constructor(waiting: Shares) {
    this.#waiting = waiting;
  }

  /** How many wait in this thread. */
  get length(): number {
    return this.#length;
  }

  /** How many wait in all threads. */
  get totalLength(): number {
    return this.#waiting.total;
  }

  /**
   * Adds a waiter at the end of its client's list. When `lengthMax` wait already, the newest waiter of the client with the
   * longest list is evicted, unless that is the new one's own client: then nothing is added, and the answer is false.
   */
  push(client: string, waiter: W, lengthMax: number): boolean {
    if (this.totalLength >= lengthMax && !this.#evictFor(client)) return false;
    this.#lists.getOrInsertComputed(client, () => new Set()).add(waiter);
    this.#waiting.add(client, 1);
    this.#length++;
    return true;
  }

  /** Takes a waiter out, if it is still there. */
  remove(client: string, waiter: W): void {
    const list = this.#lists.get(client);
    if (list?.delete(waiter) !== true) return;
    this.#waiting.add(client, -1);
    this.#length--;
    if (list.size === 0) this.#lists.delete(client);
  }

  /** Each client's next waiter, the client that was served longest ago first. */
  *heads(): Generator<[client: string, waiter: W]> {
    for (const [client, list] of this.#lists) {
      const [head] = list;
      yield [client, head];
    }
  }

  /** Takes a waiter out, moves its client to the end of the rotation, and starts it. */
  start(client: string, waiter: W): void {
    this.remove(client, waiter);
    const rest = this.#lists.get(client);
    if (rest !== undefined) {
      this.#lists.delete(client);
      this.#lists.set(client, rest);
    }
    waiter.start();
  }

  #evictFor(client: string): boolean {
    let longest = client;
    let lengthMax = (this.#lists.get(client)?.size ?? 0) + 1;
    for (const [other, { size }] of this.#lists) {
      if (size > lengthMax) [longest, lengthMax] = [other, size];
    }
    const newest = longest === client ? undefined : [...(this.#lists.get(longest) ?? [])].at(-1);
    if (newest === undefined) return false;
    this.remove(longest, newest);
    newest.refuse();
    return true;
  }
}

/**
 * Waits in `queue` until started. Rejects with what `refusal` makes when the queue is full or this waiter is evicted, and with
 * the reason of `signal` when that is aborted first. `prepare` completes the waiter.
 */
export function waitIn<W extends Waiter>(
  queue: FairQueue<W>,
  client: string,
  options: {
    lengthMax: number;
    signal: AbortSignal | undefined;
    refusal(): Error;
    prepare(waiter: Waiter): W;
    /** Called when the waiter has left because of `signal`. */
    onAbort?(): void;
  },
): Promise<void> {
  const { signal, lengthMax } = options;
  return new Promise((resolve, reject) => {
    const abort = () => {
      queue.remove(client, waiter);
      reject(signal?.reason);
      options.onAbort?.();
    };
    const settle = (outcome: () => void) => {
      signal?.removeEventListener('abort', abort);
      outcome();
    };
    const waiter = options.prepare({
      start: () => settle(resolve),
      refuse: () => settle(() => reject(options.refusal())),
    });
    if (signal?.aborted === true) return reject(signal.reason);
    if (!queue.push(client, waiter, lengthMax)) return reject(options.refusal());
    signal?.addEventListener('abort', abort, { once: true });
  });
}
