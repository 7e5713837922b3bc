/**
 * Lets reads see each batch of this process whole or not at all, although a batch is stored in several inserts and a read
 * asks several servers: a read during which a write of its signals was under way is repeated; one that has been repeated
 * holds up writing for a bounded time.
 */

/** Signals of a write above which it counts as a write of every signal: looking each one up would take too long. */
const signalsLookedUpMax = 10_000;

/** A read under way. */
interface Reading {
  signals: ReadonlySet<number>;
  isTorn: boolean;
}

/** Makes reads and writes of one store take turns where they must. */
export class ReadGate {
  readonly #holdMsMax: number;
  readonly #readings = new Set<Reading>();
  /** The signals of the group that is being written, and its end. */
  #writing: { signals: readonly number[]; end: Promise<void> } | null = null;
  #holders = 0;
  #onRelease: (() => void) | null = null;

  constructor(holdMsMax: number) {
    this.#holdMsMax = holdMsMax;
  }

  /** Runs a write of these signals, after the reads that hold it up. */
  async write<T>(signals: readonly number[], work: () => Promise<T>): Promise<T> {
    await this.#released();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#writing = { signals, end: promise };
    for (const reading of this.#readings) reading.isTorn ||= touches(signals, reading.signals);
    try {
      return await work();
    } finally {
      this.#writing = null;
      resolve();
    }
  }

  /** Runs a read of these signals, again where it may have seen a write in part. `read` is called up to three times. */
  async read<T>(signals: ReadonlySet<number>, read: () => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const reading = this.#begin(signals);
      try {
        const result = await read();
        if (!reading.isTorn) return result;
      } finally {
        this.#readings.delete(reading);
      }
    }
    return this.#readHolding(read);
  }

  #begin(signals: ReadonlySet<number>): Reading {
    const isTorn = this.#writing !== null && touches(this.#writing.signals, signals);
    const reading = { signals, isTorn };
    this.#readings.add(reading);
    return reading;
  }

  async #readHolding<T>(read: () => Promise<T>): Promise<T> {
    // A write that waits for others to end their hold goes first.
    while (this.#writing !== null || this.#onRelease !== null)
      await (this.#writing?.end ?? new Promise((resolve) => setImmediate(resolve)));
    this.#holders++;
    try {
      return await read();
    } finally {
      this.#holders--;
      if (this.#holders === 0) this.#release();
    }
  }

  #release(): void {
    this.#onRelease?.();
  }

  async #released(): Promise<void> {
    if (this.#holders === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#holdMsMax);
    this.#onRelease = resolve;
    await promise;
    clearTimeout(timer);
    this.#onRelease = null;
  }
}

function touches(written: readonly number[], read: ReadonlySet<number>): boolean {
  return written.length > signalsLookedUpMax || written.some((signal) => read.has(signal));
}
