/** A writer: gathers points, keeps them in a queue until the service has them, and says what it had to give up. */
import { type Environment, systemEnvironment } from './environment.ts';
import type { ServiceError } from './error.ts';
import type { Columns, WireFrame } from './frame.ts';
import { countPoints, PointGatherer, type Points, type PointTime } from './points.ts';
import { type Appended, MemoryQueue, type WriterQueue } from './queue.ts';
import { type ArrowWriter, type Inserter, type Patience, Sender } from './sender.ts';

export type { PointTime } from './points.ts';
export { MemoryQueue, type WriterQueue } from './queue.ts';
export type { ArrowWriter, Inserter, Patience } from './sender.ts';

/** Points that a writer has given up, and why. */
export interface PointLoss {
  /**
   * `full`: the oldest, since the queue was at its bound; `damaged`: an earlier run's that cannot be read (their number is not
   * known); `refused`: the service found them invalid; `unstored`: the oldest, since the queue could not be written for too
   * long; `closed`: the writer was closed before they were sent, and its queue does not outlive it.
   */
  reason: 'full' | 'damaged' | 'refused' | 'unstored' | 'closed';
  points: number;
  /** What the service said of refused points, or the system of a queue that cannot be written. */
  error?: unknown;
}

/** The figures of a writer. */
export interface WriterStatus {
  /** Points that were written to it. */
  written: number;
  /** Points that the service has stored, those of earlier runs included. */
  sent: number;
  /** Points that are lost: see {@link WriterOptions.onLoss}. */
  lost: number;
  /** Points that are gathered, not yet in the queue. */
  gathered: number;
  /** Points in the queue. */
  queued: number;
  /** Bytes of the queue. */
  queuedBytes: number;
  /** Why sending is being repeated; null while all is well. */
  problem: unknown;
}

/** What a writer is made with. */
export interface WriterOptions {
  /** The integration that writes: the caller's own. */
  integration: string;
  /** Where points wait for the service; default a {@link MemoryQueue}. `FileQueue` of `@tidemark/client/file-queue` outlives the program. */
  queue?: WriterQueue;
  /** A batch is put into the queue when it has so many points (default 10,000), or */
  batchPoints?: number;
  /** when its first point was written so long ago, ms; default 1,000. */
  batchMs?: number;
  /** The most points that are sent together after an interruption; default 50,000. */
  sendPoints?: number;
  /** The pauses between attempts. Sending is repeated without end; what the queue cannot hold is dropped. */
  patience?: Partial<Patience>;
  /** The module `@tidemark/client/arrow`: frames are sent as Arrow streams where the service accepts them. */
  arrow?: ArrowWriter;
  /** Called for points that are given up. */
  onLoss?: (loss: PointLoss) => void;
  /** Called for each failed attempt: why, and the pause before the next one. */
  onRetry?: (error: ServiceError, pauseMs: number) => void;
  environment?: Environment;
}

/** How long to wait for the service. */
export interface FlushOptions {
  timeoutMs?: number;
}

/** While the queue cannot be written, so many batches stay in memory. */
const unstoredMax = 10;

/** Writes the points of one integration. */
export class Writer {
  readonly #options: WriterOptions & { batchPoints: number; batchMs: number; sendPoints: number };
  readonly #queue: WriterQueue;
  readonly #sender: Sender;
  readonly #environment: Environment;
  readonly #gatherer = new PointGatherer();
  readonly #ending = new AbortController();
  /** Full batches, oldest first; the first may be on its way into the queue. */
  #unstored: Points[] = [];
  #storing: Promise<void> | null = null;
  #sending: Promise<void> | null = null;
  #isWoken = false;
  #isTimed = false;
  #isClosed = false;
  #lastStored = 0;
  #lastDone = 0;
  #waiting: { last: number; resolve: () => void }[] = [];
  #problem: unknown = null;
  #written = 0;
  #sent = 0;
  #lost = 0;

  /** Opens a writer; what an earlier run left in the queue is sent first. Fails where the queue cannot be opened. */
  static async open(client: Inserter, options: WriterOptions): Promise<Writer> {
    const writer = new Writer(client, options);
    writer.#note(await writer.#queue.open());
    writer.#wake();
    return writer;
  }

  private constructor(client: Inserter, options: WriterOptions) {
    const { integration, patience, arrow, environment = systemEnvironment } = options;
    this.#options = { batchPoints: 10_000, batchMs: 1000, sendPoints: 50_000, ...options };
    this.#queue = options.queue ?? new MemoryQueue();
    this.#environment = environment;
    this.#sender = new Sender({
      ...{ client, integration, arrow, environment },
      patience: { firstMs: 250, longestMs: 30_000, ...patience },
      onRetry: (error, pauseMs) => {
        this.#problem = error;
        options.onRetry?.(error, pauseMs);
      },
      onSent: (points) => {
        this.#problem = null;
        this.#sent += points;
      },
      onRefused: (points, error) => this.#lose({ reason: 'refused', points, error }),
    });
  }

  /**
   * Writes a value, by default at the present time. Returns at once. Throws `RangeError` for what the service would refuse, and
   * after {@link close}.
   */
  write(key: string, value: number, time: PointTime = new Date(this.#environment.dateMs())): void {
    this.#checkOpen();
    this.#gatherer.add(key, value, time);
    this.#written++;
    this.#gathered();
  }

  /** Writes the numbers of a frame, or of columns. Throws as {@link write}; then nothing of it was written. */
  writeFrame(frame: WireFrame | Columns): void {
    this.#checkOpen();
    this.#written += this.#gatherer.addFrame(frame);
    this.#gathered();
  }

  /** Resolves when all that was written is in the queue: with a file queue, on disk. Fails where the queue cannot be written. */
  store(): Promise<void> {
    this.#seal();
    return this.#store();
  }

  /** Puts all that was written into the queue without waiting: for the end of a program. Only a file queue gains by it. */
  storeNow(): void {
    this.#seal();
    for (const points of this.#unstored.splice(0)) this.#queue.appendNow?.(points);
  }

  /** Resolves when the service has all that was written before (or it is lost). Fails after `timeoutMs`; default: never. */
  async flush({ timeoutMs }: FlushOptions = {}): Promise<void> {
    await this.store();
    const last = this.#lastStored;
    if (this.#lastDone >= last) return;
    const done = new Promise<void>((resolve) => this.#waiting.push({ last, resolve }));
    if (timeoutMs === undefined) return done;
    const timer = new AbortController();
    const late = this.#environment.wait(timeoutMs, timer.signal).then(() => this.#tooLate(timeoutMs));
    await Promise.race([done, late]).finally(() => {
      late.catch(() => {});
      timer.abort();
    });
  }

  /**
   * Flushes for at most `timeoutMs` (default 10,000), then ends. What could not be sent stays in a file queue for the next run;
   * with a memory queue it is lost, and said so.
   */
  async close({ timeoutMs = 10_000 }: FlushOptions = {}): Promise<WriterStatus> {
    if (this.#isClosed) return this.status();
    this.#isClosed = true;
    await this.flush({ timeoutMs }).catch((error) => {
      this.#problem ??= error;
    });
    this.#ending.abort(new Error('the writer was closed'));
    await this.#sending;
    const points = this.#unstored.reduce((sum, batch) => sum + countPoints(batch), 0);
    const left = this.#queue.isDurable ? points : points + this.#queue.points;
    if (left > 0) this.#lose({ reason: 'closed', points: left, error: this.#problem });
    await this.#queue.close();
    return this.status();
  }

  /** The figures of now. */
  status(): WriterStatus {
    const gathered = this.#unstored.reduce((sum, batch) => sum + countPoints(batch), this.#gatherer.count);
    const { points: queued, bytes: queuedBytes } = this.#queue;
    const [written, sent, lost] = [this.#written, this.#sent, this.#lost];
    return { written, sent, lost, gathered, queued, queuedBytes, problem: this.#problem };
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new RangeError('the writer is closed');
  }

  #gathered(): void {
    const { batchPoints, batchMs } = this.#options;
    if (this.#gatherer.count >= batchPoints) {
      this.#seal();
      this.#storeInBackground();
    } else this.#startTimer(batchMs);
  }

  /** While it runs a program does not end by itself: the points would be lost. */
  #startTimer(ms: number): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    const store = () => {
      this.#isTimed = false;
      this.#seal();
      this.#storeInBackground();
    };
    this.#environment.wait(ms, this.#ending.signal).then(store, () => {});
  }

  #seal(): void {
    if (this.#gatherer.count === 0) return;
    this.#unstored.push(this.#gatherer.take());
    while (this.#unstored.length > unstoredMax) {
      // The first may be on its way.
      const [points] = this.#unstored.splice(this.#storing === null ? 0 : 1, 1);
      this.#lose({ reason: 'unstored', points: countPoints(points), error: this.#problem });
    }
  }

  #storeInBackground(): void {
    this.#store().catch((error) => {
      this.#problem = error;
      if (!this.#isClosed) this.#startTimer(this.#options.batchMs);
    });
  }

  #store(): Promise<void> {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = null;
    });
    // What was sealed while it was under way may be left.
    return this.#storing.then(() => (this.#unstored.length > 0 ? this.#store() : undefined));
  }

  async #storeAll(): Promise<void> {
    while (this.#unstored.length > 0) {
      this.#note(await this.#queue.append(this.#unstored[0]));
      this.#unstored.shift();
      this.#wake();
    }
  }

  #note({ number, lost }: Appended): void {
    this.#lastStored = Math.max(this.#lastStored, number);
    for (const { reason, points, last } of lost) {
      this.#lose({ reason, points });
      this.#done(last);
    }
  }

  #wake(): void {
    this.#isWoken = true;
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    while (this.#isWoken && !this.#ending.signal.aborted) {
      this.#isWoken = false;
      try {
        await this.#sendQueue();
      } catch (error) {
        if (this.#ending.signal.aborted) break;
        await this.#pauseAfter(error);
      }
    }
    // In the same step as the last look at #isWoken, so that no wake is lost.
    this.#sending = null;
  }

  async #sendQueue(): Promise<void> {
    const { signal } = this.#ending;
    for (;;) {
      const backlog = await this.#queue.oldest(this.#options.sendPoints);
      if (backlog === null || signal.aborted) return;
      await this.#sender.send(backlog.points, signal);
      await this.#queue.remove(backlog.last);
      this.#done(backlog.last);
    }
  }

  /** The queue could not be read. */
  async #pauseAfter(error: unknown): Promise<void> {
    this.#problem = error;
    this.#isWoken = true;
    await this.#environment.wait(this.#options.batchMs, this.#ending.signal).catch(() => {});
  }

  #done(last: number): void {
    this.#lastDone = Math.max(this.#lastDone, last);
    const isDone = (waiting: { last: number }) => waiting.last <= this.#lastDone;
    for (const { resolve } of this.#waiting.filter(isDone)) resolve();
    this.#waiting = this.#waiting.filter((waiting) => !isDone(waiting));
  }

  #lose(loss: PointLoss): void {
    this.#lost += loss.points;
    this.#options.onLoss?.(loss);
  }

  #tooLate(timeoutMs: number): never {
    const { queued } = this.status();
    const cause = this.#problem;
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw new Error(`${queued} points are still queued after ${timeoutMs} ms${why}`, { cause });
  }
}
