/** Inserts data frames (R9): checks them whole, names their signals, and rests only when the store has them on disk. */
import type { Columns } from '#model/frame';
import type { SeriesStore } from '#storage/store';
import { orderRows } from './order.ts';

/** The signal behind an input key. */
export interface InputSignal {
  id: string;
  number: number;
  /** Whether this insert created the signal; absent = false. */
  created?: boolean;
}

/** What ingest needs of the signals: which number stands for an input key. */
export interface SignalNumbers {
  /** The signals of these keys in their order, when all are remembered; else null. */
  cachedNumbers(integration: string, inputs: readonly string[]): readonly InputSignal[] | null;
  /** The same, creating unknown ones; refuses keys that are no input keys. */
  numbers(integration: string, inputs: readonly string[]): Promise<readonly InputSignal[]>;
}

/** Points that were counted before they are stored. */
export interface PointsTaken {
  /** They were not stored after all. */
  giveBack(): void;
}

/** Knows how many points an integration may insert (L4c). */
export interface PointQuota {
  /** Counts points, all of them or none: `try-again` where a hard plan has no room for them. */
  takePoints(integration: string, points: number): PointsTaken;
}

/** What {@link Ingest} works with. */
export interface IngestOptions {
  signals: SignalNumbers;
  series: SeriesStore;
  /** Default: room for everything. */
  quota?: PointQuota;
  /** Told of every acknowledged insert and the number of its points. */
  onInserted?: (integration: string, pointCount: number) => void;
}

/** What an insert came to: the signals behind its input keys, in order (R9). */
export interface Inserted {
  inputs: readonly string[];
  signals: readonly InputSignal[];
}

/** The write path: a frame of an integration becomes one batch of the store. */
export class Ingest {
  readonly #signals: SignalNumbers;
  readonly #series: SeriesStore;
  readonly #quota: PointQuota;
  readonly #onInserted: (integration: string, pointCount: number) => void;

  constructor(options: IngestOptions) {
    this.#signals = options.signals;
    this.#series = options.series;
    this.#quota = options.quota ?? noQuota;
    this.#onInserted = options.onInserted ?? (() => {});
  }

  /**
   * Stores a frame; the points are durable when it resolves. All or nothing: `invalid-params` for a series key that is no
   * input key, or `try-again` when the plan has no room or the store cannot take it now, and then no point is stored.
   */
  async insert(integration: string, frame: Columns): Promise<Inserted> {
    const { keys: inputs, timesUs, values, pointCount: points } = frame;
    const taken = this.#quota.takePoints(integration, points);
    try {
      const signals =
        this.#signals.cachedNumbers(integration, inputs) ??
        (await this.#signals.numbers(integration, inputs));
      const numbers = signals.map((signal) => signal.number);
      if (points > 0) await this.#series.append(orderRows({ timesUs, signals: numbers, values }));
      this.#onInserted(integration, points);
      return { inputs, signals };
    } catch (error) {
      taken.giveBack();
      throw error;
    }
  }
}

/** Room for everything, metered nowhere. */
const noQuota: PointQuota = { takePoints: () => ({ giveBack() {} }) };
