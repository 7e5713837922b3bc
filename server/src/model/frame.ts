/** Columns of time-series data in memory. */
import { freeMemory } from './free-memory.ts';

/**
 * A data frame: one row for each time, one column for each series. In a column NaN is null: no stored value
 * and no result of a formula is NaN (R9, F2), so nothing is lost.
 */
export class Frame {
  /** Row times in microseconds since the epoch, strictly ascending when the service made the frame. */
  readonly timesUs: Float64Array;
  /** Series key → values, each as long as `timesUs`; in answer order. */
  readonly series: ReadonlyMap<string, Float64Array>;
  readonly #isAlone: boolean;

  /** `isAlone`: whether nothing else uses these arrays. */
  constructor(timesUs: Float64Array, series: ReadonlyMap<string, Float64Array>, isAlone = false) {
    this.timesUs = timesUs;
    this.series = series;
    this.#isAlone = isAlone;
  }

  /** What the columns take in memory. */
  get bytes(): number {
    return 8 * this.timesUs.length * (this.series.size + 1);
  }

  /** Must be called when the frame is not needed any more: frees its memory at once, if nothing else uses it. */
  free(): void {
    if (!this.#isAlone) return;
    freeMemory(this.timesUs);
    for (const column of this.series.values()) freeMemory(column);
  }
}

/** Points of one series: strictly ascending times and their finite values, of equal length. */
export interface Points {
  timesUs: Float64Array;
  values: Float64Array;
}

/** The columns of a frame that a client wrote, read but not yet put in order or matched with signals. */
export class Columns {
  /** Row times, µs, in the order given. */
  readonly timesUs: Float64Array;
  /**
   * Series keys, each once. Frames with the same keys in the same order share this very array, as long as the protocol
   * remembers it (protocol/key-memory.ts). Two caches rely on that and use the array as their key: the numbers of signals
   * (domain/signals/number-cache.ts) and, by the list that those give, the text of the answer (methods/integration/insert.ts).
   * Without it they are only slower; a test follows the array through the three layers.
   */
  readonly keys: readonly string[];
  /** The columns behind one another: row r of series k at `k * timesUs.length + r`; NaN for null. */
  readonly values: Float64Array;
  /** How many values are not null. */
  readonly pointCount: number;

  constructor(timesUs: Float64Array, keys: readonly string[], values: Float64Array, pointCount: number) {
    this.timesUs = timesUs;
    this.keys = keys;
    this.values = values;
    this.pointCount = pointCount;
  }

  /** What the columns take in memory. */
  get bytes(): number {
    return this.timesUs.buffer.byteLength + this.values.buffer.byteLength;
  }

  /** Frees the memory of the columns at once instead of waiting for the garbage collector; they are empty afterwards. */
  free(): void {
    (this.timesUs.buffer as ArrayBuffer).transfer(0);
    (this.values.buffer as ArrayBuffer).transfer(0);
  }
}
