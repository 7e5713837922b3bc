/** The threads that encode Parquet: one for each file, kept for the next one, since to start one takes as long as a small file. */
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads';
import { Overload } from '#load/overload';
import { PortCalls } from '#threads/port-calls';
import type { ParquetShape } from './parquet-encoder.ts';

/** Threads at one time; each takes up to a processor, and some ten MB. */
export const threadsMax = 4;

/**
 * Large enough for a group of rows, and a bound for a thread that has a defect. What a group leaves behind is freed soon with a small
 * young generation: an export takes 30 MiB less, and as long.
 */
const heapLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 } as const;

/** Threads that are kept without a file, each with what its last one has left, and how long. */
const idleMax = 2;
const idleMs = 30_000;

/** Those that have no file, the one that had one last at the end. */
const idle: ParquetThread[] = [];
let threadCount = 0;

/** A thread that encodes one file at a time. */
export class ParquetThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #calls: PortCalls;
  #idleTimer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    this.#port = port1;
    this.#worker = new Worker(new URL(`./parquet-thread.${extension}`, import.meta.url), {
      name: 'parquet',
      workerData: { port: port2 },
      transferList: [port2],
      resourceLimits: heapLimits,
    });
    this.#calls = new PortCalls(port1, {});
    threadCount++;
    // Its calls are rejected, since its port is closed with it.
    this.#worker.on('error', () => this.#end());
  }

  /** Begins a file. */
  begin(shape: ParquetShape): void {
    clearTimeout(this.#idleTimer);
    this.#worker.ref();
    this.#port.ref();
    this.#calls.tell('begin', shape);
  }

  /** Calls the encoder of the file: `add`, `describe` or `end`. One call at a time. */
  call(name: string, detail: unknown, transfer: Transferable[] = []): Promise<Uint8Array> {
    const answer = this.#calls.call<Uint8Array>(name, detail, transfer);
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** The file is complete or given up: waits for the last call, then for another file for a while. */
  async leave(): Promise<void> {
    await this.#last;
    if (this.#hasEnded) return;
    if (idle.length >= idleMax) return this.#end();
    this.#calls.tell('leave');
    idle.push(this);
    this.#worker.unref();
    this.#port.unref();
    this.#idleTimer = setTimeout(() => this.#end(), idleMs).unref();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    threadCount--;
    if (idle.includes(this)) idle.splice(idle.indexOf(this), 1);
    this.#calls.close();
    void this.#worker.terminate();
  }
}

/** A thread for a file. `Overload` when all have one. */
export function takeThread(shape: ParquetShape): ParquetThread {
  if (idle.length === 0 && threadCount >= threadsMax)
    throw new Overload('too many Parquet files are written');
  const thread = idle.pop() ?? new ParquetThread();
  thread.begin(shape);
  return thread;
}
