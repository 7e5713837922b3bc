/**
 * Group commit: batches that arrive while others are being written, or within the gathering time, are written together, with
 * one number of the sequence. One group at a time.
 */
import { AppError } from '#model/error';
import type { Batch } from '../store.ts';
import type { Cluster } from './cluster.ts';
import { type InsertOptions, insertInto } from './insert.ts';
import { placesOfGroup } from './native-writer.ts';
import type { ReadGate } from './read-gate.ts';
import { type Cut, cutGroup, encodeCut } from './write-plan.ts';

/** What a group commit needs. */
export interface GroupCommitOptions extends InsertOptions {
  cluster: Cluster;
  gate: ReadGate;
  nextVersion(): Promise<number>;
}

interface Waiting {
  batch: Batch;
  bytes: number;
  rows: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Writes batches. */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  #bytes = 0;
  #openCount = 0;
  #isRunning = false;
  #isClosed = false;
  /** Ends the gathering. */
  #gathered: (() => void) | null = null;
  #idle: Promise<void> = Promise.resolve();

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Bytes and number of batches that wait or are being written. */
  get queue(): { bytes: number; count: number } {
    return { bytes: this.#bytes, count: this.#openCount };
  }

  /** Resolves when every shard that the batch touches has it. Fails with `unavailable` where that is not certain. */
  async append(batch: Batch): Promise<void> {
    const rows = batch.values.length;
    if (rows === 0) return;
    const bytes = batch.values.byteLength + batch.timesUs.byteLength + 8 * batch.signals.length;
    const { queueBytesMax } = this.#options.tuning;
    if (this.#isClosed) throw unavailable('the store is being closed');
    if (this.#bytes > 0 && this.#bytes + bytes > queueBytesMax)
      throw unavailable(`${this.#bytes} bytes are waiting to be written, the limit is ${queueBytesMax}`);
    this.#bytes += bytes;
    this.#openCount++;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push({ batch, bytes, rows, resolve, reject });
        if (this.#isFull()) this.#gathered?.();
        if (!this.#isRunning) this.#idle = this.#run();
      });
    } finally {
      this.#bytes -= bytes;
      this.#openCount--;
    }
  }

  /** Refuses further batches, and resolves when those that it has are written or have failed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#gathered?.();
    await this.#idle;
  }

  #isFull(): boolean {
    let rows = 0;
    for (const one of this.#waiting) rows += one.rows;
    return rows >= this.#options.tuning.insertRowsMax || this.#waiting.length >= placesOfGroup;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const startMs = performance.now();
      await this.#gather(this.#options.tuning.gatherMs);
      await this.#writeGroup(this.#takeGroup());
      // What arrived meanwhile has gathered for so long already.
      const restMs = this.#options.tuning.gatherMs - (performance.now() - startMs);
      if (restMs > 0 && this.#waiting.length > 0) await this.#gather(restMs);
    }
    this.#isRunning = false;
  }

  async #gather(ms: number): Promise<void> {
    if (this.#isFull() || this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#gathered = resolve;
    await promise;
    clearTimeout(timer);
    this.#gathered = null;
  }

  #takeGroup(): Waiting[] {
    let rows = 0;
    const end = this.#waiting.findIndex((one, i) => {
      rows += one.rows;
      return i > 0 && (rows > this.#options.tuning.insertRowsMax || i >= placesOfGroup);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const number = await this.#number();
      const placed = group.map(({ batch }, place) => ({ batch, place }));
      const signals = group.flatMap(({ batch }) => batch.signals);
      await this.#options.gate.write(signals, async () => {
        for (const cut of cutGroup(placed, this.#options.tuning.insertRowsMax))
          await this.#writeCut(cut, number);
      });
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async #number(): Promise<number> {
    try {
      return await this.#options.nextVersion();
    } catch (cause) {
      const reason = 'the metadata store gave no number for the write';
      throw cause instanceof AppError ? cause : unavailable(reason, cause);
    }
  }

  /** All shards, at the same time. Each is waited for, so that no insert is left behind that comes later than the next group. */
  async #writeCut(cut: Cut, number: number): Promise<void> {
    const { cluster } = this.#options;
    const results = await Promise.allSettled(
      cluster.shards.map((shard, i) =>
        insertInto(shard, () => encodeCut(cut, i, cluster.shardOf, number), this.#options),
      ),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }
}

function unavailable(reason: string, cause?: unknown): AppError {
  return new AppError('unavailable', `Nothing was stored: ${reason}; try again later`, { cause });
}
