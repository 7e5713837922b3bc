/**
 * The threads that encode Parquet. Each has several files, block by block in the order in which blocks arrive, and is kept for
 * those that come later: to start one takes as long as a small file, and each compiles the same code for itself.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { Overload } from '#load/overload';
import { PortCalls } from '#threads/port-calls';
import { systemThreadId } from '#threads/scheduling';
import type { ParquetShape } from './parquet-encoder.ts';
import type { ParquetThreadData } from './parquet-thread.ts';

/** Files at one time; each takes up to some ten MB. */
const filesMax = 4;

/** A processor is left for the event loop, which waits for milliseconds where more want one. */
const threadsMax = Math.min(filesMax, Math.max(1, availableParallelism() - 1));

/**
 * Large enough for a group of rows of each file, and a bound for a thread that has a defect. What a group leaves behind is freed soon
 * with a small young generation: an export takes 30 MiB less, and as long.
 */
const heapLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 } as const;

/** A thread that has no file ends after this time. */
const idleMs = 30_000;

const threads = new Set<ParquetThread>();
let fileCount = 0;

/** The encoder of a file, on one of the threads. Close it. */
export class ParquetFile {
  readonly #thread: ParquetThread;
  readonly #number: number;
  #last: Promise<unknown> = Promise.resolve();

  /** `Overload` when there are too many files already. */
  constructor(shape: ParquetShape) {
    if (fileCount >= filesMax) throw new Overload('too many Parquet files are written');
    fileCount++;
    this.#thread = leastUsed();
    this.#number = this.#thread.begin(shape);
  }

  /** Calls `add`, `describe` or `end` of the encoder, one after the other; the bytes that are ready. */
  call(name: string, detail: unknown, transfer?: Transferable[]): Promise<Uint8Array> {
    const bytes = this.#thread.calls.call<Uint8Array>(name, [this.#number, detail], transfer);
    this.#last = bytes.catch(() => {});
    return bytes;
  }

  /** Gives up what is not encoded yet, after the last call. Once. */
  async close(): Promise<void> {
    await this.#last;
    fileCount--;
    this.#thread.leave(this.#number);
  }
}

/** A thread without files or, when there are enough threads, that with the fewest. */
function leastUsed(): ParquetThread {
  let least: ParquetThread | null = null;
  for (const thread of threads) if (least === null || thread.fileCount < least.fileCount) least = thread;
  return least !== null && (least.fileCount === 0 || threads.size >= threadsMax)
    ? least
    : new ParquetThread();
}

class ParquetThread {
  readonly calls: PortCalls;
  fileCount = 0;
  readonly #worker: Worker;
  readonly #port: MessagePort;
  #lastFile = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#port = port1;
    this.#worker = new Worker(new URL(`./parquet-thread.${extension}`, import.meta.url), {
      name: 'parquet',
      workerData: { port: port2, caller: systemThreadId() } satisfies ParquetThreadData,
      transferList: [port2],
      resourceLimits: heapLimits,
    });
    this.calls = new PortCalls(port1, {});
    threads.add(this);
    this.#worker.on('error', () => this.#end());
  }

  /** The number of a new file. */
  begin(shape: ParquetShape): number {
    if (this.fileCount++ === 0) {
      clearTimeout(this.#idleTimer);
      this.#worker.ref();
      this.#port.ref();
    }
    const number = ++this.#lastFile;
    this.calls.tell('begin', [number, shape]);
    return number;
  }

  leave(number: number): void {
    this.calls.tell('leave', [number]);
    if (--this.fileCount > 0 || !threads.has(this)) return;
    this.#worker.unref();
    this.#port.unref();
    this.#idleTimer = setTimeout(() => this.#end(), idleMs).unref();
  }

  /** Its calls are rejected. */
  #end(): void {
    threads.delete(this);
    this.calls.close();
    void this.#worker.terminate();
  }
}
