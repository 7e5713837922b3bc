/** A worker thread that answers calls: the side of the one who asks. */
import { Worker } from 'node:worker_threads';
import { type PackedError, unpackError } from './errors.ts';
import type { CallResults, Reply, ThreadOptions } from './messages.ts';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The first message of a thread: it is ready, or why it cannot work. */
export type ThreadStart = { ready: true } | { failed: PackedError };

/**
 * What these threads handle is in buffers outside of their heaps. V8 would let each grow a young generation of 48 MB, which
 * five threads under load do.
 */
const youngMbMax = 12;

/** Starts a thread and keeps account of the calls under way. */
export class Thread<Body extends { kind: keyof CallResults }> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #end: Error | null = null;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('BUG: a thread of the store has ended')));
  }

  /** Starts the thread of a file beside this one; resolves when it is ready, rejects with why it is not. */
  static async start<Body extends { kind: keyof CallResults }>(
    name: string,
    options: ThreadOptions,
  ): Promise<Thread<Body>> {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./${name}.${extension}`, import.meta.url), {
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: youngMbMax },
    });
    const thread = new Thread<Body>(worker);
    await new Promise<void>((resolve, reject) => {
      thread.#waiting.set(0, { resolve: () => resolve(), reject });
      worker.once('message', (start: ThreadStart) => {
        thread.#waiting.delete(0);
        worker.on('message', (reply: Reply) => thread.#settle(reply));
        if ('failed' in start) reject(unpackError(start.failed));
        else resolve();
      });
    });
    return thread;
  }

  /** Number of calls that wait for an answer. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** The ID that the next call will have. */
  get nextId(): number {
    return this.#lastId + 1;
  }

  /** Rejects a call under way; its answer will not be waited for. */
  abandon(id: number, reason: unknown): void {
    this.#waiting.get(id)?.reject(reason);
    this.#waiting.delete(id);
  }

  /** Asks the thread. Buffers in `transfer` are given away. */
  call<B extends Body>(body: B, transfer: ArrayBuffer[] = []): Promise<CallResults[B['kind']]> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      this.#worker.postMessage({ id, body }, transfer);
    });
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(unpackError(reply.error));
    else waiting?.resolve(reply.result);
  }

  #fail(error: unknown): void {
    this.#end = error instanceof Error ? error : new Error(String(error));
    for (const waiting of this.#waiting.values()) waiting.reject(this.#end);
    this.#waiting.clear();
  }
}
