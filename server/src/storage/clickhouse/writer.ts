/** Who writes the batches of a store: the thread of the process that has the group commit, or another one that passes them on. */
import type { MessagePort } from 'node:worker_threads';
import { AppError, type Kind } from '#model/error';
import { PortCalls } from '#threads/port-calls';
import type { Batch } from '../store.ts';

/** Writes batches. */
export interface PointWriter {
  /** Bytes and number of batches of this thread that wait or are being written; in the thread that writes, those of all. */
  readonly queue: { bytes: number; count: number };
  /** Resolves when every shard that the batch touches has it. Fails with `unavailable` where that is not certain. */
  append(batch: Batch): Promise<void>;
  /** Refuses further batches, and resolves when those that it has are written or have failed. */
  close(): Promise<void>;
}

/** Why a batch was refused, as a message between threads can carry it; null: it was not. */
type Refusal = { kind: Kind; message: string; detail: string | undefined } | null;

/** Lets the owner of the other end of a port write, as a {@link RemoteWriter}. */
export function serveWriter(writer: PointWriter, port: MessagePort): void {
  const append = async (batch: Batch) => {
    try {
      await writer.append(batch);
      return null;
    } catch (error) {
      return refusalOf(error);
    } finally {
      free(batch);
    }
  };
  new PortCalls(port, { append });
}

/** Frees the memory of a batch that nobody else has at once, instead of waiting for the garbage collector. */
function free({ timesUs, values }: Batch): void {
  for (const { buffer } of [timesUs, values]) (buffer as ArrayBuffer).transfer(0);
}

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof AppError)) throw error;
  const { kind, message, detail } = error;
  return { kind, message, detail };
}

/** The writer of another thread. */
export class RemoteWriter implements PointWriter {
  readonly #calls: PortCalls;
  #bytes = 0;
  #open = new Set<Promise<Refusal>>();
  #isClosed = false;

  constructor(port: MessagePort) {
    this.#calls = new PortCalls(port, {});
  }

  get queue(): { bytes: number; count: number } {
    return { bytes: this.#bytes, count: this.#open.size };
  }

  async append({ timesUs, signals, values }: Batch): Promise<void> {
    if (values.length === 0) return;
    if (this.#isClosed) throw new AppError('unavailable', 'Nothing was stored: the store is being closed');
    // Copies: the arrays may be parts of larger buffers, and are the caller's.
    const batch: Batch = { timesUs: timesUs.slice(), signals, values: values.slice() };
    const bytes = batch.timesUs.byteLength + batch.values.byteLength;
    const transfer = [batch.timesUs.buffer, batch.values.buffer] as ArrayBuffer[];
    const answer = this.#calls.call<Refusal>('append', batch, transfer);
    this.#bytes += bytes;
    this.#open.add(answer);
    try {
      const refusal = await answer;
      if (refusal !== null) throw new AppError(refusal.kind, refusal.message, { detail: refusal.detail });
    } finally {
      this.#bytes -= bytes;
      this.#open.delete(answer);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#open);
    this.#calls.close();
  }
}
