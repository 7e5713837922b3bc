/** Inserts data frames (R9): validates them, resolves their signals, and resolves when the store has them on disk. */
import type { Account } from '#load/account';
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

/** The interface of ingest to signals: resolves input keys to signal numbers. */
export interface SignalNumbers {
  /** The signals of these keys in their order if all are cached; else null. */
  cachedNumbers(integration: string, inputs: readonly string[]): readonly InputSignal[] | null;
  /** The same, creating unknown signals; rejects invalid input keys. */
  numbers(integration: string, inputs: readonly string[]): Promise<readonly InputSignal[]>;
}

/** Dependencies of {@link Ingest}. */
export interface IngestOptions {
  signals: SignalNumbers;
  series: SeriesStore;
  /** Called after every acknowledged insert with the number of its points. */
  onInserted?: (integration: string, pointCount: number) => void;
}

/** The result of an insert: the signals of its input keys, in order (R9). */
export interface Inserted {
  inputs: readonly string[];
  signals: readonly InputSignal[];
}

/** The write path: converts a frame of an integration to one batch of the store. */
export class Ingest {
  readonly #signals: SignalNumbers;
  readonly #series: SeriesStore;
  readonly #onInserted: (integration: string, pointCount: number) => void;

  constructor(options: IngestOptions) {
    this.#signals = options.signals;
    this.#series = options.series;
    this.#onInserted = options.onInserted ?? (() => {});
  }

  /**
   * Stores a frame of an integration, whose account it is, completely or not at all; the points are durable when it resolves.
   * `invalid-params` for an invalid input key; `try-again` when the plan's limit is reached or the store cannot accept it now.
   */
  async insert(integration: string, frame: Columns, account: Account): Promise<Inserted> {
    const { keys: inputs, timesUs, values, pointCount: points } = frame;
    const taking = account.takePoints(points);
    const taken = taking instanceof Promise ? await taking : taking;
    try {
      const signals =
        this.#signals.cachedNumbers(integration, inputs) ??
        (await this.#signals.numbers(integration, inputs));
      if (points > 0) {
        await this.#series.append(orderRows({ timesUs, signals: numbersOf(signals), values }));
      }
      this.#onInserted(integration, points);
      return { inputs, signals };
    } catch (error) {
      taken.giveBack();
      throw error;
    }
  }
}

const knownNumbers = new WeakMap<readonly InputSignal[], readonly number[]>();

/** The numbers of signals; the same array for the same list, by which the store remembers what it has made of them. */
function numbersOf(signals: readonly InputSignal[]): readonly number[] {
  const numbers = knownNumbers.get(signals) ?? signals.map(({ number }) => number);
  knownNumbers.set(signals, numbers);
  return numbers;
}
