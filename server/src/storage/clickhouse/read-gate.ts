/**
 * Lets reads see each batch of this process whole or not at all, although a batch is stored in several inserts and a read
 * asks several servers: a read during which a write of its signals was under way is repeated; one that has been repeated
 * holds up writing for a bounded time. One thread of the process writes, all read, so what they know of one another is in
 * shared memory.
 */
import type { NumberTables } from '#threads/number-table';

/** Signals of a write above which it counts as a write of every signal: looking each one up would take too long. */
const signalsLookedUpMax = 10_000;

/** Signals are noted by their number modulo this, so that some are taken for others; a read is repeated in vain then. */
const noted = 65_536;

/** Words of the notes of one write: a bit for each remainder, and whether it is a write of every signal. */
const noteWords = noted / 32 + 1;

/** The notes of the last writes are kept; a read that more writes overlap is repeated in any case. */
const notesKept = 16;

/**
 * Words: how often a write has begun or ended (odd: one is under way), reads that hold up writing, whether a write waits for
 * those, and the notes of writes.
 */
const word = { state: 0, holders: 1, isWaiting: 2, notes: 3 } as const;

/** Makes reads and the writes of one store take turns where they must. */
export class ReadGate {
  readonly #words: Int32Array;
  readonly #holdMsMax: number;

  constructor(tables: NumberTables, holdMsMax: number) {
    this.#words = tables.words('writes of points', word.notes + notesKept * noteWords);
    this.#holdMsMax = holdMsMax;
  }

  /** Runs a write of these signals, after the reads that hold it up. One at a time, always in the same thread. */
  async write<T>(signals: readonly number[], work: () => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + this.#holdMsMax;
    this.#begin(signals);
    // Those who hold look whether a write has begun after they have said so, and the other way round.
    while (this.#load(word.holders) > 0 && performance.now() < deadlineMs) {
      this.#set(word.isWaiting, 1);
      this.#step();
      await this.#released(deadlineMs);
      this.#begin(signals);
    }
    this.#set(word.isWaiting, 0);
    try {
      return await work();
    } finally {
      this.#step();
    }
  }

  /** Runs a read of these signals, again where it may have seen a write in part. `read` is called up to three times. */
  async read<T>(signals: ReadonlySet<number>, read: () => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const first = this.#writesEnded;
      const result = await read();
      if (!this.#isTorn(first, signals)) return result;
    }
    return this.#readHolding(read);
  }

  async #readHolding<T>(read: () => Promise<T>): Promise<T> {
    // A write that waits for others to end their hold goes first.
    while (this.#load(word.isWaiting) === 1) await this.#change(word.isWaiting, 1);
    Atomics.add(this.#words, word.holders, 1);
    try {
      for (let state = this.#load(word.state); state & 1; state = this.#load(word.state))
        await this.#change(word.state, state);
      return await read();
    } finally {
      if (Atomics.sub(this.#words, word.holders, 1) === 1) Atomics.notify(this.#words, word.holders);
    }
  }

  get #writesEnded(): number {
    return this.#load(word.state) >>> 1;
  }

  /** Whether one of the writes from `first` on, of which the last may be under way, is of one of these signals. */
  #isTorn(first: number, signals: ReadonlySet<number>): boolean {
    const begun = (this.#load(word.state) + 1) >>> 1;
    if (begun < first) return true; // The count began again.
    for (let write = first; write !== begun && !this.#isForgotten(first); write++)
      if (this.#touches(write, signals)) return true;
    return this.#isForgotten(first);
  }

  /** Whether the notes of a write may have been replaced by those of a later one. */
  #isForgotten(write: number): boolean {
    return this.#writesEnded - write > notesKept - 2;
  }

  #touches(write: number, signals: ReadonlySet<number>): boolean {
    const at = noteOf(write);
    if (this.#words[at + noteWords - 1] === 1) return true;
    for (const signal of signals) {
      const bit = signal % noted;
      if ((this.#words[at + (bit >>> 5)] >>> (bit & 31)) & 1) return true;
    }
    return false;
  }

  #begin(signals: readonly number[]): void {
    const at = noteOf(this.#writesEnded);
    const notes = this.#words.subarray(at, at + noteWords).fill(0);
    if (signals.length > signalsLookedUpMax) notes[noteWords - 1] = 1;
    else for (const signal of signals) notes[(signal % noted) >>> 5] |= 1 << (signal & 31);
    this.#step();
  }

  /** From under way to ended, or the other way round. */
  #step(): void {
    Atomics.add(this.#words, word.state, 1);
    Atomics.notify(this.#words, word.state);
  }

  async #released(deadlineMs: number): Promise<void> {
    for (let holders = this.#load(word.holders); holders > 0; holders = this.#load(word.holders)) {
      const restMs = deadlineMs - performance.now();
      if (restMs <= 0) return;
      await this.#change(word.holders, holders, restMs);
    }
  }

  #load(at: number): number {
    return Atomics.load(this.#words, at);
  }

  #set(at: number, value: number): void {
    Atomics.store(this.#words, at, value);
    Atomics.notify(this.#words, at);
  }

  /** Waits until a word is not this value any more, or has been reported to have changed. */
  async #change(at: number, value: number, ms = this.#holdMsMax): Promise<void> {
    await Atomics.waitAsync(this.#words, at, value, ms).value;
  }
}

function noteOf(write: number): number {
  return word.notes + (write % notesKept) * noteWords;
}
