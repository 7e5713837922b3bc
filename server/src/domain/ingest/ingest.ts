/** Inserts data frames (R9): checks them whole, names their signals, and rests only when the store has them on disk. */
import { invalidParams, type ParamProblems } from '#model/error';
import type { BatchColumn, SeriesStore } from '#storage/store';
import { type RawFrame, readTimes, readValues } from './columns.ts';
import { orderRows } from './order.ts';

/** What became of one series key of an insert (R9). */
export interface Inserted {
  id: string;
  /** Whether the insert created the signal. */
  created: boolean;
}

/** What ingest needs of the signals: which number stands for an input key. */
export interface SignalNumbers {
  /** The signals of these keys in their order, when all are remembered; else null. */
  cachedNumbers(integration: string, inputs: readonly string[]): { id: string; number: number }[] | null;
  /** The same, creating unknown ones; refuses keys that are no input keys. */
  numbers(
    integration: string,
    inputs: readonly string[],
  ): Promise<{ id: string; number: number; created: boolean }[]>;
}

/** How many points were accepted, for metering. */
export interface IngestOptions {
  signals: SignalNumbers;
  series: SeriesStore;
  /** Told of every acknowledged insert. */
  onInserted?: (integration: string, pointCount: number) => void;
}

/** The write path: a frame of an integration becomes one batch of the store. */
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
   * Stores a frame; the points are durable when it resolves. All or nothing: `invalid-params` with a path for each wrong
   * part, or `try-again` when the store cannot take it now, and then no point is stored.
   */
  async insert(integration: string, frame: RawFrame): Promise<Map<string, Inserted>> {
    const inputs = Object.keys(frame.series);
    const problems: ParamProblems = {};
    const timesUs = readTimes(frame.times, problems);
    const values = inputs.map((input) => readValues(input, frame.series[input], timesUs.length, problems));
    if (Object.keys(problems).length > 0) throw invalidParams(problems);

    const known = this.#signals.cachedNumbers(integration, inputs);
    const signals = known ?? (await this.#signals.numbers(integration, inputs));
    const columns = signals.map(({ number }, i) => ({ signal: number, values: values[i] }));
    await this.#append(integration, { timesUs, columns });
    return new Map(
      inputs.map((input, i) => {
        const signal = signals[i];
        return [input, { id: signal.id, created: 'created' in signal && signal.created === true }];
      }),
    );
  }

  async #append(integration: string, rows: { timesUs: Float64Array; columns: BatchColumn[] }) {
    const pointCount = countPoints(rows.columns);
    if (pointCount > 0) await this.#series.append(orderRows(rows));
    this.#onInserted(integration, pointCount);
  }
}

function countPoints(columns: readonly BatchColumn[]): number {
  let count = 0;
  for (const { values } of columns) {
    for (let row = 0; row < values.length; row++) {
      if (!Number.isNaN(values[row])) count++;
    }
  }
  return count;
}
