/**
 * Caches the keys of recent frames. Clients repeatedly send the same keys in the same order: comparing bytes is much cheaper than
 * creating a string for each key, and look-ups benefit from strings whose hash is known. Equal lists are returned as the same
 * array, on which other caches rely (see `Columns.keys`).
 */
import { LruCache } from '#model/lru-cache';
import { backslash, quoteMark } from './bytes.ts';

/** Maximum number of cached frames, by their first key; so each counts for a share of {@link allKeysMax} at least. */
const framesMax = 256;
/** Longer lists are read, but not cached. */
const keysMax = 10_000;
/** Maximum number of cached keys in total. */
const allKeysMax = 200_000;

/** The keys of one frame, and their concatenated bytes, each with its closing quote. */
interface KnownKeys {
  keys: readonly string[];
  bytes: Uint8Array;
}

const noKeys: KnownKeys = { keys: [], bytes: new Uint8Array(0) };

/** First key → the keys of the latest frame that began with it. */
export class KeyMemory {
  readonly #frames = new LruCache<string, KnownKeys>(allKeysMax, ({ keys }) =>
    Math.max(keys.length, allKeysMax / framesMax),
  );

  /** Begins to read the keys of a frame. */
  begin(): KeyReading {
    return new KeyReading(this);
  }

  /** The frame that began with this key. */
  find(first: string): KnownKeys | undefined {
    return this.#frames.get(first);
  }

  /** Caches the keys of a frame; the least recently used frames are evicted. */
  remember(keys: readonly string[]): void {
    if (keys.length > keysMax) return;
    this.#frames.set(keys[0], { keys, bytes: Buffer.from(`${keys.join('"')}"`, 'latin1') });
  }
}

/** Reads the keys of one frame. */
class KeyReading {
  readonly #memory: KeyMemory;
  /** The expected keys, of which {@link #count} have matched; the bytes of the next one begin at {@link #place}. */
  #known = noKeys;
  #count = 0;
  #place = 0;
  /** The keys read so far, after a difference from the expected ones; null while there is none. */
  #made: string[] | null = null;

  constructor(memory: KeyMemory) {
    this.#memory = memory;
  }

  /** The expected number of keys. */
  get expected(): number {
    return this.#known.keys.length;
  }

  /** Reads the key whose opening quoteMark is at `at`. Returns the position after the closing quoteMark, -1 if it is not a plain key. */
  next(bytes: Buffer, at: number): number {
    if (this.#made === null && this.#count < this.#known.keys.length) {
      const end = matchEnd(bytes, at + 1, this.#known.bytes, this.#place);
      if (end >= 0) {
        this.#place += end - at - 1;
        this.#count++;
        return end;
      }
    }
    const end = plainKeyEnd(bytes, at + 1);
    if (end < 0) return -1;
    this.#add(bytes.toString('latin1', at + 1, end));
    return end + 1;
  }

  /** All keys; null if one occurs twice, which only JSON.parse handles. */
  finish(): readonly string[] | null {
    const { keys } = this.#known;
    if (this.#made === null) return this.#count === keys.length ? keys : keys.slice(0, this.#count);
    if (new Set(this.#made).size < this.#made.length) return null;
    this.#memory.remember(this.#made);
    return this.#made;
  }

  #add(key: string): void {
    if (this.#made === null && this.#count === 0) {
      const known = this.#memory.find(key);
      if (known !== undefined) {
        this.#known = known;
        this.#count = 1;
        this.#place = key.length + 1;
        return;
      }
    }
    this.#made ??= this.#known.keys.slice(0, this.#count);
    this.#made.push(key);
  }
}

/** Compares `bytes` from `at` with `known` from `place`. Returns the position after the closing quote, -1 if they differ. */
function matchEnd(bytes: Uint8Array, at: number, known: Uint8Array, place: number): number {
  for (let i = 0; ; i++) {
    const code = known[place + i];
    if (bytes[at + i] !== code) return -1;
    if (code === quoteMark) return at + i + 1;
  }
}

/** The position of the closing quote of a key of 1 to 128 printable ASCII characters without escapes; -1 for any other key. */
function plainKeyEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (; at - start <= 128; at++) {
    const code = bytes[at];
    if (code === quoteMark) return at > start ? at : -1;
    if (!(code >= 0x20 && code < 0x7f) || code === backslash) return -1;
  }
  return -1;
}
