/**
 * Group commit: batches that arrive while others are being written, or sooner than the gathering time after the last insert began,
 * are written together, with one number of the sequence. One group at a time.
 */
import type { Log } from '#model/environment';
import { AppError } from '#model/error';
import type { PointNotices, TimeRange, WriteNumbers } from '../coordination.ts';
import type { Batch } from '../store.ts';
import type { Cluster, Shard } from './cluster.ts';
import { HeldWrite } from './held-write.ts';
import { type InsertOptions, insertInto } from './insert.ts';
import { BlockMemory } from './native-writer.ts';
import type { ReadGate } from './read-gate.ts';
import { type Cut, cutGroup, encodeCut, type Own } from './write-plan.ts';
import type { PointWriter } from './writer.ts';

/** Batches of one group at most; their places have numbers below this. */
export const batchesOfGroup = 8192;

/** How much of what was under way when a group ended is waited for: a client may have left. */
const expectedShare = 0.9;

/** What a group commit needs. */
export interface GroupCommitOptions extends InsertOptions {
  cluster: Cluster;
  gate: ReadGate;
  numbers: WriteNumbers;
  /** Raised after each group. */
  notices: PointNotices;
  log: Log;
}

interface Waiting {
  batch: Batch;
  rows: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Writes batches. */
export class GroupCommit implements PointWriter {
  readonly #options: GroupCommitOptions;
  /** For the blocks of each shard. */
  readonly #memories: readonly BlockMemory[];
  #waiting: Waiting[] = [];
  #waitingRows = 0;
  #bytes = 0;
  #openCount = 0;
  #isRunning = false;
  #isClosed = false;
  /** Rows of the last group, and when it began and ended, ms. */
  #last = { rows: 0, begunMs: Number.NEGATIVE_INFINITY, endedMs: Number.NEGATIVE_INFINITY };
  /** So many rows need not wait for others. */
  #enoughRows: number;
  /** Ends the gathering. */
  #gathered: (() => void) | null = null;
  #idle: Promise<void> = Promise.resolve();
  /** What the last group has still to report. */
  #reported: Promise<void> = Promise.resolve();

  constructor(options: GroupCommitOptions) {
    this.#options = options;
    this.#enoughRows = options.tuning.gatherRows;
    this.#memories = options.cluster.shards.map(() => new BlockMemory());
  }

  get queue(): { bytes: number; count: number } {
    return { bytes: this.#bytes, count: this.#openCount };
  }

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
        this.#waiting.push({ batch, rows, resolve, reject });
        this.#waitingRows += rows;
        if (this.#isFull()) this.#gathered?.();
        if (!this.#isRunning) this.#idle = this.#run();
      });
    } finally {
      this.#bytes -= bytes;
      this.#openCount--;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#gathered?.();
    await this.#idle;
    await this.#reported;
  }

  #isFull(): boolean {
    const rows = Math.min(this.#enoughRows, this.#options.tuning.insertRowsMax);
    return this.#waitingRows >= rows || this.#waiting.length >= batchesOfGroup;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await this.#gather();
      const begunMs = performance.now();
      const group = this.#takeGroup();
      await this.#writeGroup(group);
      this.#note(group, begunMs);
    }
    this.#isRunning = false;
  }

  /**
   * Clients that were answered mostly send more at once: an insert of what all of them send costs less than several, so after a
   * large group most of what was under way is waited for.
   */
  #note(group: readonly Waiting[], begunMs: number): void {
    const { gatherRows, gatherRowsMax } = this.#options.tuning;
    const rows = group.reduce((sum, one) => sum + one.rows, 0);
    this.#last = { rows, begunMs, endedMs: performance.now() };
    const expected = expectedShare * (rows + this.#waitingRows);
    this.#enoughRows = Math.max(gatherRows, Math.min(expected, gatherRowsMax));
  }

  /** Waits until the last group began long enough ago, after a large one until it ended long enough ago, or enough has arrived. */
  async #gather(): Promise<void> {
    const { gatherMs, gatherRows } = this.#options.tuning;
    const { rows, begunMs, endedMs } = this.#last;
    const restMs = (rows < gatherRows ? begunMs : endedMs) + gatherMs - performance.now();
    if (restMs <= 0 || this.#isFull() || this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.ceil(restMs));
    this.#gathered = resolve;
    await promise;
    clearTimeout(timer);
    this.#gathered = null;
  }

  #takeGroup(): Waiting[] {
    let rows = 0;
    const end = this.#waiting.findIndex((one, i) => {
      rows += one.rows;
      return i > 0 && (rows > this.#options.tuning.insertRowsMax || i >= batchesOfGroup);
    });
    const group = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
    for (const one of group) this.#waitingRows -= one.rows;
    return group;
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const write = await this.#begin(group);
      const failures = new Map<number, unknown>();
      try {
        await this.#store(group, write.number, failures);
        write.requireHeld();
      } finally {
        this.#reported = this.#report(write);
      }
      for (const one of group) this.#answer(one, failures);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** A batch fails with the first shard that it touches and that has failed. */
  #answer({ batch, resolve, reject }: Waiting, failures: ReadonlyMap<number, unknown>): void {
    const { shardOf } = this.#options.cluster;
    const failed =
      failures.size === 0 ? undefined : batch.signals.find((signal) => failures.has(shardOf(signal)));
    if (failed === undefined) resolve();
    else reject(failures.get(shardOf(failed)));
  }

  async #begin(group: readonly Waiting[]): Promise<HeldWrite> {
    try {
      return await HeldWrite.begin(this.#options.numbers, rangeOf(group));
    } catch (cause) {
      const reason = 'the metadata store gave no number for the write';
      throw cause instanceof AppError ? cause : unavailable(reason, cause);
    }
  }

  /** Stores a group in the shards, and notes those that fail. */
  async #store(group: readonly Waiting[], number: number, failures: Map<number, unknown>): Promise<void> {
    const { gate, tuning } = this.#options;
    const placed = group.map(({ batch }, place) => ({ batch, place }));
    const signals = group.flatMap(({ batch }) => batch.signals);
    await gate.write(signals, async () => {
      for (const cut of cutGroup(placed, tuning.insertRowsMax)) await this.#writeCut(cut, number, failures);
    });
  }

  /**
   * All shards that have not failed, at the same time. Each is waited for, so that no insert is left behind that comes later than
   * the next group.
   */
  async #writeCut(cut: Cut, number: number, failures: Map<number, unknown>): Promise<void> {
    const { cluster } = this.#options;
    const write = async (shard: Shard, i: number) => {
      if (failures.has(i)) return;
      try {
        await this.#insert(cut, shard, { number, isOwn: (signal) => cluster.shardOf(signal) === i });
      } catch (error) {
        failures.set(i, error);
      }
    };
    await Promise.all(cluster.shards.map(write));
  }

  async #insert(cut: Cut, shard: Shard, own: Own): Promise<void> {
    const memory = this.#memories[this.#options.cluster.shards.indexOf(shard)];
    const encode = () => {
      memory.begin();
      return encodeCut(cut, own, memory);
    };
    await insertInto(shard, encode, this.#options);
    memory.end();
  }

  /** Lets those who follow go on. The answers to those who wrote do not wait for it. */
  async #report(write: HeldWrite): Promise<void> {
    const { notices, log } = this.#options;
    try {
      await write.end();
      notices.raise();
    } catch (error) {
      log.warn('live values learn of a write with a delay', { error });
    }
  }
}

/** Times ascend in each batch, of which none is empty. */
function rangeOf(group: readonly Waiting[]): TimeRange {
  const range = { firstUs: Number.POSITIVE_INFINITY, lastUs: Number.NEGATIVE_INFINITY };
  for (const { batch } of group) {
    range.firstUs = Math.min(range.firstUs, batch.timesUs[0]);
    range.lastUs = Math.max(range.lastUs, batch.timesUs[batch.timesUs.length - 1]);
  }
  return range;
}

function unavailable(reason: string, cause?: unknown): AppError {
  return new AppError('unavailable', `Nothing was stored: ${reason}; try again later`, { cause });
}
