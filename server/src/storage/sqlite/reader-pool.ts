/** The reader threads: each call goes to the one with the least to do. */
import type { CallResults, ReaderCall, ThreadOptions } from './messages.ts';
import { Thread } from './thread.ts';

/** Distributes calls over reader threads. */
export class ReaderPool {
  readonly #threads: readonly Thread<ReaderCall>[];
  readonly #underWay = new Set<Promise<unknown>>();

  private constructor(threads: readonly Thread<ReaderCall>[]) {
    this.#threads = threads;
  }

  /** Starts `count` threads; rejects when one of them cannot work. */
  static async start(options: ThreadOptions, count: number): Promise<ReaderPool> {
    const starts = Array.from({ length: count }, () => Thread.start<ReaderCall>('reader-thread', options));
    return new ReaderPool(await Promise.all(starts));
  }

  /** Calls that have not been answered yet. */
  get queueLength(): number {
    return this.#threads.reduce((sum, { waitingCount }) => sum + waitingCount, 0);
  }

  /** Asks a thread. An aborted call is rejected with the signal's reason at once, and ended in the thread. */
  async call<B extends ReaderCall>(body: B, signal?: AbortSignal): Promise<CallResults[B['kind']]> {
    signal?.throwIfAborted();
    const thread = this.#threads.reduce((best, other) =>
      other.waitingCount < best.waitingCount ? other : best,
    );
    if (signal === undefined) return this.#track(thread.call(body));
    const id = thread.nextId;
    const abandon = () => {
      thread.abandon(id, signal.reason);
      thread.call({ kind: 'cancel', call: id }).catch(() => {});
    };
    signal.addEventListener('abort', abandon, { once: true });
    return this.#track(thread.call(body)).finally(() => signal.removeEventListener('abort', abandon));
  }

  /** Ends the threads after what is under way. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await Promise.all(this.#threads.map((thread) => thread.call({ kind: 'close' })));
  }

  #track<T>(call: Promise<T>): Promise<T> {
    this.#underWay.add(call);
    const forget = () => this.#underWay.delete(call);
    call.then(forget, forget);
    return call;
  }
}
