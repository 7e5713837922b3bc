/**
 * How long a thread takes to decode a row of the log or a block, which is done at one go. Code that is not compiled yet takes ten
 * times as long as later, and may wait long to be compiled on a busy machine.
 */

/** What is decoded at one go. */
export type Coded = 'row' | 'block';

/** Decodes so many values; throws instead where they are too many. */
export type Decode = <T>(coded: Coded, values: number, decode: () => T) => T;

/** For threads that may take their time. */
export const decodeAll: Decode = (_, __, decode) => decode();

/** A value in code that is not compiled, ms. */
const coldMs = 0.0003;

/** Fewer values say little, since the rest of a call takes as long. */
const notedMin = 1000;

/** What remains of the time of a value when it was too long, so that it is measured again some time. */
const restPart = 0.9;

/** What is known of a thread. */
export class DecodePace {
  readonly #msMax: number;
  readonly #valueMs: Record<Coded, number> = { row: coldMs, block: coldMs };

  /** `msMax`: a decoding that would take longer is not allowed. */
  constructor(msMax: number) {
    this.#msMax = msMax;
  }

  /** Whether so many values may be decoded at one go. */
  allows(coded: Coded, values: number): boolean {
    const isShort = values * this.#valueMs[coded] <= this.#msMax;
    if (!isShort) this.#valueMs[coded] *= restPart;
    return isShort;
  }

  /** How long it took. */
  note(coded: Coded, values: number, ms: number): void {
    if (values >= notedMin) this.#valueMs[coded] = (this.#valueMs[coded] + ms / values) / 2;
  }
}
