/**
 * Remembers the keys of recent frames. A client sends the same keys in the same order again and again: comparing the text
 * with them costs a third of making a string of each, and whoever looks keys up finds strings whose hash is known.
 */

/** Frames remembered, by their first key; enough for the clients of one moment, and bounded with {@link keysMax}. */
const framesMax = 256;
/** Longer lists are read, but not remembered. */
const keysMax = 10_000;

const quote = 0x22;
const backslash = 0x5c;

/** First key → the keys of the latest frame that began with it. */
export class KeyMemory {
  readonly #frames = new Map<string, readonly string[]>();

  /** Begins to read the keys of a frame. */
  begin(): KeyReading {
    return new KeyReading(this.#frames);
  }
}

/** The reading of one frame's keys. */
class KeyReading {
  readonly #frames: Map<string, readonly string[]>;
  /** What is expected, and up to {@link #count} was found. */
  #known: readonly string[] = [];
  #count = 0;
  /** The keys, from where they differ from the expected ones; null while they do not. */
  #made: string[] | null = null;

  constructor(frames: Map<string, readonly string[]>) {
    this.#frames = frames;
  }

  /** How many keys there will be, as far as is known. */
  get expected(): number {
    return this.#known.length;
  }

  /** Reads the key whose opening quote is at `at`; the place behind the closing one, -1 when it is no plain key. */
  next(text: string, at: number): number {
    if (this.#made === null && this.#count < this.#known.length) {
      const key = this.#known[this.#count];
      const end = at + 1 + key.length;
      if (text.charCodeAt(end) === quote && text.startsWith(key, at + 1)) {
        this.#count++;
        return end + 1;
      }
    }
    const end = plainKeyEnd(text, at + 1);
    if (end < 0) return -1;
    this.#add(text.slice(at + 1, end));
    return end + 1;
  }

  /** All keys; null where one came twice, since only a full reading says which one wins. */
  finish(): readonly string[] | null {
    if (this.#made === null) {
      return this.#count === this.#known.length ? this.#known : this.#known.slice(0, this.#count);
    }
    if (new Set(this.#made).size < this.#made.length) return null;
    this.#remember(this.#made);
    return this.#made;
  }

  #add(key: string): void {
    if (this.#made === null && this.#count === 0) {
      const known = this.#frames.get(key);
      if (known !== undefined) {
        this.#known = known;
        this.#count = 1;
        return;
      }
    }
    this.#made ??= this.#known.slice(0, this.#count);
    // A slice would keep the whole request in memory.
    this.#made.push(Buffer.from(key, 'latin1').toString('latin1'));
  }

  #remember(keys: readonly string[]): void {
    if (keys.length > keysMax) return;
    this.#frames.delete(keys[0]);
    this.#frames.set(keys[0], keys);
    if (this.#frames.size <= framesMax) return;
    const [oldest] = this.#frames.keys();
    this.#frames.delete(oldest);
  }
}

/** The place of the quote that ends a key of 1 to 128 printable ASCII characters without escapes; -1 when it is another. */
function plainKeyEnd(text: string, start: number): number {
  let at = start;
  for (; at - start <= 128; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at > start && !isReserved(text, start, at) ? at : -1;
    if (!(code >= 0x20 && code < 0x7f) || code === backslash) return -1;
  }
  return -1;
}

function isReserved(text: string, start: number, end: number): boolean {
  return end - start === 9 && text.startsWith('__proto__', start);
}
