/** A cache of immutable objects by number, bounded by their bytes; the least recently used are evicted first. */

/** Keeps up to `bytesMax` bytes. */
export class ByteCache<T> {
  readonly bytesMax: number;
  readonly #bytesOf: (thing: T) => number;
  readonly #things = new Map<number, T>();
  #bytes = 0;

  constructor(bytesMax: number, bytesOf: (thing: T) => number) {
    this.bytesMax = bytesMax;
    this.#bytesOf = bytesOf;
  }

  get(key: number): T | undefined {
    const thing = this.#things.get(key);
    if (thing === undefined) return undefined;
    this.#things.delete(key);
    this.#things.set(key, thing);
    return thing;
  }

  /** Adds an object under a key that is not in use. */
  add(key: number, thing: T): void {
    this.#things.set(key, thing);
    this.#bytes += this.#bytesOf(thing);
    for (const [oldest, old] of this.#things) {
      if (this.#bytes <= this.bytesMax) return;
      this.#things.delete(oldest);
      this.#bytes -= this.#bytesOf(old);
    }
  }
}
