/** The sequence of batches in memory: the simplest SeriesChanges, with which every other one is compared. */
import type {
  Batch,
  ChangedBatch,
  ChangedPoints,
  ChangePosition,
  Changes,
  SeriesChanges,
} from '#storage/store';

/** Batches that one call returns. */
const batchesMax = 3;

/** Keeps all batches since the last deletion; number n is the n-th. */
export class MemoryChanges implements SeriesChanges {
  readonly #batches: Batch[] = [];
  readonly #listeners = new Set<() => void>();
  #forgotten = 0;

  /** Adds a batch that has been stored. */
  add({ timesUs, signals, values }: Batch): void {
    this.#batches.push({ timesUs: timesUs.slice(), signals: [...signals], values: values.slice() });
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener();
    });
  }

  /** Points were deleted. */
  forget(): void {
    this.#forgotten = this.#batches.length;
  }

  async now(): Promise<ChangePosition> {
    return { seq: this.#batches.length, mark: 0, row: 0 };
  }

  async since(after: ChangePosition, signals: ReadonlySet<number>): Promise<Changes | null> {
    const isKnown = after.seq >= this.#forgotten && after.seq <= this.#batches.length;
    if (!isKnown || after.mark !== 0 || after.row !== 0) return null;
    const end = Math.min(this.#batches.length, after.seq + batchesMax);
    const batches: ChangedBatch[] = [];
    for (let seq = after.seq + 1; seq <= end; seq++) {
      const points = pointsOf(this.#batches[seq - 1], signals);
      if (points.length > 0) batches.push({ position: { seq, mark: 0, row: 0 }, points });
    }
    return { batches, position: { seq: end, mark: 0, row: 0 }, hasMore: end < this.#batches.length };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function pointsOf({ timesUs, signals, values }: Batch, wanted: ReadonlySet<number>): ChangedPoints[] {
  return signals.flatMap((signal, column) => {
    if (!wanted.has(signal)) return [];
    const own = values.subarray(column * timesUs.length, (column + 1) * timesUs.length);
    const rows = [...own.keys()].filter((row) => !Number.isNaN(own[row]));
    if (rows.length === 0) return [];
    const times = Float64Array.from(rows, (row) => timesUs[row]);
    return [{ signal, timesUs: times, values: Float64Array.from(rows, (row) => own[row]) }];
  });
}
