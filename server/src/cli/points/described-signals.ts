/** The signals that a file describes, and the input keys of what it names. */
import { defaultKey } from '../csv/layout.ts';
import type { ImportTarget } from '../import-target.ts';
import { UsageError } from '../usage.ts';
import { DescribedCalculations } from './described-calculations.ts';
import type { DescribedCalculation, DescribedSignal } from './json-lines.ts';
import type { PointImport } from './point-import.ts';

/** How names become input keys. */
export interface KeyOptions {
  target: Pick<ImportTarget, 'describe' | 'describeCalculation'>;
  /** Before every input key. */
  prefix: string;
  /** Name in the file → input key, empty to leave it out. */
  map: ReadonlyMap<string, string>;
  /** Of files with the signals of several integrations: which one is imported. */
  from: string | null;
}

/** Signals that are described to the target together. */
const describedMax = 200;

/** Collects descriptions of signals, and hands them on in groups; those of calculated items one at a time. */
export class DescribedSignals {
  readonly #options: KeyOptions;
  readonly #points: Pick<PointImport, 'note' | 'reject'>;
  readonly #calculations: DescribedCalculations;
  /** Signal ID or name → input key; null: it is left out. */
  readonly #keys = new Map<string, string | null>();
  #waiting: DescribedSignal[] = [];
  #integration: string | null = null;

  constructor(options: KeyOptions, points: Pick<PointImport, 'note' | 'reject'>) {
    this.#options = options;
    this.#points = points;
    this.#calculations = new DescribedCalculations(options.target);
  }

  /** Whether signals wait for {@link flush}, which their points need. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Takes a description. */
  async add(signal: DescribedSignal): Promise<void> {
    const { from } = this.#options;
    const isOther = from !== null && signal.integration !== from;
    this.#keys.set(signal.id, isOther ? null : signal.input);
    this.#calculations.noteItem(signal, isOther);
    if (isOther) return;
    this.#integration ??= signal.integration;
    if (signal.integration !== this.#integration) {
      throw new UsageError(
        `the file has signals of several integrations, such as ${this.#integration} and ${signal.integration}; import one after the other, each with --from ID and the credentials of its new integration`,
      );
    }
    this.#waiting.push(signal);
    if (this.#waiting.length >= describedMax) await this.flush();
  }

  /** Takes the description of a calculated item; one that cannot be saved is listed among the rejects. */
  async addCalculation(line: number, item: DescribedCalculation, text: string): Promise<void> {
    await this.flush();
    const problem = await this.#calculations.add(item);
    if (problem !== null) await this.#points.reject(line, `the calculated item ${item.id} ${problem}`, text);
  }

  /** What became of calculated items, in a sentence. */
  notes(): string[] {
    return this.#calculations.notes();
  }

  /** Creates or updates the signals that wait. */
  async flush(): Promise<void> {
    const signals = this.#waiting;
    this.#waiting = [];
    if (signals.length > 0) this.#points.note(await this.#options.target.describe(signals));
  }

  /** The input key of a described signal by its ID, or of any other name; null: it is left out. */
  keyOf(name: string): string | null {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const { map, prefix } = this.#options;
    const mapped = map.get(name);
    const key = mapped === '' ? null : (mapped ?? defaultKey(name, prefix));
    this.#keys.set(name, key);
    return key;
  }
}
