/**
 * Caches the signals of input keys for ingest, in bounded memory. Entries are in two generations instead of an order of use,
 * because a hit, of which an insert may have thousands, must not cost more than a look-up.
 */

/** What ingest needs to know of a signal. */
export interface SignalNumber {
  id: string;
  /** Names its points in a SeriesStore. */
  number: number;
}

type Inputs = Map<string, SignalNumber>;

/** The signals of a whole list of keys. */
interface Found {
  integration: string;
  signals: readonly SignalNumber[];
}

/**
 * Integration → input key → signal. Used entries are in the young generation; when it is full it becomes the old one, and the
 * previous old one is dropped. So an entry is kept for at least half the bound of further entries.
 *
 * Clients send frames of the same keys again and again, and the protocol gives the same array for them (see `Columns.keys`):
 * what was found for a list is remembered with it, and given again as the same array, to which integration.insert attaches
 * the text of its answer.
 */
export class NumberCache {
  readonly #generationMax: number;
  #young = new Map<string, Inputs>();
  #old = new Map<string, Inputs>();
  #youngCount = 0;
  #lists = new WeakMap<readonly string[], Found>();

  /** Remembers at most `entriesMax` input keys. */
  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, entriesMax >> 1);
  }

  /** The signals of these keys in their order; null unless all are remembered. The list may not be changed later. */
  find(integration: string, inputs: readonly string[]): readonly SignalNumber[] | null {
    const known = this.#lists.get(inputs);
    if (known?.integration === integration) return known.signals;
    const signals = this.#findEach(integration, inputs);
    if (signals !== null) this.#lists.set(inputs, { integration, signals });
    return signals;
  }

  #findEach(integration: string, inputs: readonly string[]): SignalNumber[] | null {
    const young = this.#young.get(integration);
    const found = new Array<SignalNumber>(inputs.length);
    for (let i = 0; i < inputs.length; i++) {
      const signal = young?.get(inputs[i]) ?? this.#rejuvenate(integration, inputs[i]);
      if (signal === undefined) return null;
      found[i] = signal;
    }
    return found;
  }

  remember(integration: string, input: string, signal: SignalNumber): void {
    if (this.#youngCount >= this.#generationMax) this.#age();
    const inputs = this.#young.get(integration);
    if (inputs === undefined) this.#young.set(integration, new Map([[input, signal]]));
    else if (inputs.has(input)) return;
    else inputs.set(input, signal);
    this.#youngCount++;
  }

  /** Forgets every integration that is not in `existing`. */
  keepOnly(existing: ReadonlySet<string>): void {
    this.#lists = new WeakMap();
    for (const integration of [...this.#young.keys(), ...this.#old.keys()]) {
      if (existing.has(integration)) continue;
      this.#youngCount -= this.#young.get(integration)?.size ?? 0;
      this.#young.delete(integration);
      this.#old.delete(integration);
    }
  }

  #rejuvenate(integration: string, input: string): SignalNumber | undefined {
    const signal = this.#old.get(integration)?.get(input);
    if (signal !== undefined) this.remember(integration, input, signal);
    return signal;
  }

  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngCount = 0;
  }
}
