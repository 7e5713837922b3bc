/** Inserts data frames (R9): validates them, resolves their signals, and resolves when the store has them on disk. */
import type { Account } from '#load/account';
import type { Columns } from '#model/frame';
import { eachIteration, resultOf, runSteps } from '#model/steps';
import type { SeriesStore } from '#storage/store';
import type { SignalChange } from '../signals/change.ts';
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
  numbers(
    integration: string,
    inputs: readonly string[],
    describe?: DescribeInput,
  ): Promise<readonly InputSignal[]>;
  /** Input key → name of a state → its number, of those that are signals with states. */
  states(
    integration: string,
    inputs: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>;
}

/** Describes the signal that an input key makes when it is new; checked against R2 already. */
export type DescribeInput = (input: string) => Pick<SignalChange, 'name' | 'labels' | 'gapDetectionUs'>;

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
  readonly #options: IngestOptions;

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /**
   * Stores a frame of an integration, whose account it is, completely or not at all; the points are durable when it resolves.
   * `invalid-params` for an invalid input key; `try-again` when the plan's limit is reached or the store cannot accept it now.
   */
  async insert(integration: string, frame: Columns, account: Account): Promise<Inserted> {
    const { keys: inputs } = frame;
    return this.#counted(integration, frame.pointCount, account, async () => {
      const signals =
        this.#options.signals.cachedNumbers(integration, inputs) ??
        (await this.#options.signals.numbers(integration, inputs));
      await this.#append(frame, signals);
      return { inputs, signals };
    });
  }

  /**
   * Stores frames that have no signal in common, for protocols that do not promise more: after a failure some of them may be
   * stored. `describe` is asked for signals that are new. Otherwise as {@link insert}.
   */
  async insertAll(
    integration: string,
    frames: readonly Columns[],
    account: Account,
    describe: DescribeInput,
  ): Promise<void> {
    const points = frames.reduce((sum, { pointCount }) => sum + pointCount, 0);
    await this.#counted(integration, points, account, async () => {
      const signals: (readonly InputSignal[])[] = [];
      for (const { keys } of frames) {
        const known = this.#options.signals.cachedNumbers(integration, keys);
        signals.push(known ?? (await this.#options.signals.numbers(integration, keys, describe)));
      }
      await allSettled(frames.map((frame, i) => this.#append(frame, signals[i])));
    });
  }

  /** See {@link SignalNumbers.states}. */
  states(
    integration: string,
    inputs: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    return this.#options.signals.states(integration, inputs);
  }

  /** Counts points before they are stored; what fails is not counted. */
  async #counted<T>(
    integration: string,
    points: number,
    account: Account,
    store: () => Promise<T>,
  ): Promise<T> {
    const taking = account.takePoints(points);
    const taken = taking instanceof Promise ? await taking : taking;
    try {
      const result = await store();
      this.#options.onInserted?.(integration, points);
      return result;
    } catch (error) {
      taken.giveBack();
      throw error;
    }
  }

  async #append({ timesUs, values, pointCount }: Columns, signals: readonly InputSignal[]): Promise<void> {
    if (pointCount === 0) return;
    const rows = orderRows({ timesUs, signals: numbersOf(signals), values });
    const isLarge = values.length > valuesAtOnce;
    await this.#options.series.append(isLarge ? await runSteps(rows, eachIteration()) : resultOf(rows));
  }
}

/** Waits for all, since none may go on behind the answer; then rejects as the first that did. */
async function allSettled(appends: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(appends)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

/** Values of rows that are put in order at once. */
const valuesAtOnce = 4096;

const knownNumbers = new WeakMap<readonly InputSignal[], readonly number[]>();

/** The numbers of signals; the same array for the same list, by which the store remembers what it has made of them. */
function numbersOf(signals: readonly InputSignal[]): readonly number[] {
  const numbers = knownNumbers.get(signals) ?? signals.map(({ number }) => number);
  knownNumbers.set(signals, numbers);
  return numbers;
}
