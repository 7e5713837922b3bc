/** A write under way: it says so while it goes on, so that those who follow the sequence wait for it. */
import { AppError } from '#model/error';
import type { TimeRange, WriteNumbers } from '../coordination.ts';

/** Signs of life within the time for which one counts. */
const holdsInTime = 4;

/** One write. */
export class HeldWrite {
  readonly number: number;
  readonly #numbers: WriteNumbers;
  readonly #timer: NodeJS.Timeout;
  /** When the last statement began that has said so, ms. */
  #heldMs: number;

  private constructor(numbers: WriteNumbers, number: number, heldMs: number) {
    this.#numbers = numbers;
    this.number = number;
    this.#heldMs = heldMs;
    this.#timer = setInterval(() => void this.#hold(), numbers.silentMsMax / holdsInTime);
  }

  /** Takes a number, for times in a range. */
  static async begin(numbers: WriteNumbers, range: TimeRange): Promise<HeldWrite> {
    const startMs = performance.now();
    return new HeldWrite(numbers, await numbers.begin(range), startMs);
  }

  /**
   * Fails with `unavailable` where the write has been silent for too long: those who follow may have gone on without it, so that
   * it must not be acknowledged under this number.
   */
  requireHeld(): void {
    if (performance.now() - this.#heldMs < this.#numbers.silentMsMax) return;
    const reason = 'the metadata store was out of reach for too long meanwhile';
    throw new AppError('unavailable', `The data may be stored in part; send it again: ${reason}`);
  }

  /** Lets those who follow go on. */
  end(): Promise<void> {
    clearInterval(this.#timer);
    return this.#numbers.end(this.number);
  }

  async #hold(): Promise<void> {
    const startMs = performance.now();
    try {
      if (await this.#numbers.hold(this.number)) this.#heldMs = startMs;
    } catch {
      // It is tried again, and missed where the write ends before that succeeds.
    }
  }
}
