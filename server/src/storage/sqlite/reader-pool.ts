/** The reader threads: each takes one call at a time, so that a short call never stands behind a long one while another is free. */
import type { CallResults, ReaderCall, ThreadOptions } from './messages.ts';
import { Thread } from './thread.ts';

interface Queued {
  body: ReaderCall;
  resolve(result: never): void;
  reject(error: unknown): void;
}

/** Distributes calls over reader threads. */
export class ReaderPool {
  readonly #free: Thread<ReaderCall>[];
  readonly #threads: readonly Thread<ReaderCall>[];
  #queue: Queued[] = [];

  private constructor(threads: readonly Thread<ReaderCall>[]) {
    this.#threads = threads;
    this.#free = [...threads];
  }

  /** Starts `count` threads; rejects when one of them cannot work. */
  static async start(options: ThreadOptions, count: number): Promise<ReaderPool> {
    const starts = Array.from({ length: count }, () => Thread.start<ReaderCall>('reader-thread', options));
    return new ReaderPool(await Promise.all(starts));
  }

  /** Asks the next free thread. An aborted call is rejected with the signal's reason. */
  call<B extends ReaderCall>(body: B, signal?: AbortSignal): Promise<CallResults[B['kind']]> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const queued: Queued = { body, resolve: resolve as Queued['resolve'], reject };
      signal?.addEventListener('abort', () => this.#abort(queued, signal.reason), { once: true });
      this.#queue.push(queued);
      this.#next();
    });
  }

  /** Ends the threads after what is under way; queued calls are rejected. */
  async close(): Promise<void> {
    for (const { reject } of this.#queue.splice(0)) reject(new Error('the store is closed'));
    await Promise.all(this.#threads.map((thread) => thread.call({ kind: 'close' })));
  }

  #abort(queued: Queued, reason: unknown): void {
    this.#queue = this.#queue.filter((other) => other !== queued);
    queued.reject(reason);
  }

  #next(): void {
    const thread = this.#free.at(-1);
    const queued = this.#queue[0];
    if (thread === undefined || queued === undefined) return;
    this.#free.pop();
    this.#queue.shift();
    const release = () => {
      this.#free.push(thread);
      this.#next();
    };
    thread
      .call(queued.body)
      .then(queued.resolve as (result: unknown) => void, queued.reject)
      .finally(release);
  }
}
