/**
 * How much the columns of running reads may take together. A read knows before it reads how many buckets it will fill; one that
 * does not fit waits until others are done, so that a few of the largest that are allowed do not fill the memory.
 */
import { bug } from '#model/error';
import type { Limits } from '#model/limits';

/** A read below this part of the whole never waits: many of them are still little. */
const smallPart = 1 / 64;

interface Waiting {
  bytes: number;
  start(): void;
}

/** The memory of all reads. */
export class ReadMemory {
  readonly #limits: Pick<Limits, 'readsBytesMax'>;
  #takenBytes = 0;
  #waiting: Waiting[] = [];

  /** `limits` is looked at each time. */
  constructor(limits: Pick<Limits, 'readsBytesMax'>) {
    this.#limits = limits;
  }

  /** Bytes that are taken now. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** A read begins; to be left when it has ended. */
  enter(): ReadPlace {
    return new ReadPlace(this);
  }

  /** Resolves when so much can be had: at once for what is small, and for the first, however much it is. Rejects as `signal` does. */
  async take(bytes: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const isSmall = bytes <= this.#limits.readsBytesMax * smallPart;
    if (!isSmall && (this.#waiting.length > 0 || !this.#fits(bytes))) return this.#wait(bytes, signal);
    this.#takenBytes += bytes;
  }

  /** Counts what exists already. */
  note(bytes: number): void {
    this.#takenBytes += bytes;
  }

  /** Gives back what was taken or noted. */
  give(bytes: number): void {
    this.#takenBytes -= bytes;
    if (this.#takenBytes < 0) bug('more memory was given back than was taken');
    this.#startNext();
  }

  #fits(bytes: number): boolean {
    return this.#takenBytes === 0 || this.#takenBytes + bytes <= this.#limits.readsBytesMax;
  }

  #wait(bytes: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        reject(signal?.reason);
        this.#startNext();
      };
      const start = () => {
        signal?.removeEventListener('abort', abort);
        this.#takenBytes += bytes;
        resolve();
      };
      const waiting = { bytes, start };
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #startNext(): void {
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0].bytes)) this.#waiting.shift()?.start();
  }
}

/** What one read has. */
export class ReadPlace {
  readonly #memory: ReadMemory;
  #bytes = 0;

  constructor(memory: ReadMemory) {
    this.#memory = memory;
  }

  /** As {@link ReadMemory.take}. */
  async take(bytes: number, signal?: AbortSignal): Promise<void> {
    await this.#memory.take(bytes, signal);
    this.#bytes += bytes;
  }

  /** As {@link ReadMemory.note}. */
  note(bytes: number): void {
    this.#memory.note(bytes);
    this.#bytes += bytes;
  }

  /** Gives everything back. */
  leave(): void {
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.#memory.give(bytes);
  }
}
