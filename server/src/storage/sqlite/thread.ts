/** The caller's side of a worker thread that answers calls. */
import { Worker } from 'node:worker_threads';
import { type PackedError, unpackError } from './errors.ts';
import type { CallResults, Reply, ThreadOptions } from './messages.ts';

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The first message of a thread: it is ready, or the error that prevented it from starting. */
export type ThreadStart = { ready: true } | { failed: PackedError };

/**
 * Maximum size of a thread's young generation, MB. The data of these threads are in buffers outside the heap; without this limit
 * V8 lets the young generation of each thread grow to 48 MB under load.
 */
const youngMbMax = 12;

/** Starts a thread and tracks its unanswered calls. */
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

  /** Starts the thread of a file in this directory. Resolves when it is ready; rejects if it cannot start. */
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

  /** Rejects an unanswered call; its answer will be ignored. */
  abandon(id: number, reason: unknown): void {
    this.#waiting.get(id)?.reject(reason);
    this.#waiting.delete(id);
  }

  /** Calls the thread. Buffers in `transfer` are transferred, not copied. */
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
