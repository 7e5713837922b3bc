/** A map of bounded size that keeps what was used last. */

/** Holds values up to a total size; above it the least recently used ones are evicted. */
export class LruCache<K, V> {
  /** Applies from the next {@link set} on. */
  sizeMax: number;
  readonly #sizeOf: (value: V) => number;
  /** The most recently used last. */
  readonly #values = new Map<K, V>();
  #size = 0;

  /** `sizeOf` must give the same size for a value at any time; by default values are counted. */
  constructor(sizeMax: number, sizeOf: (value: V) => number = () => 1) {
    this.sizeMax = sizeMax;
    this.#sizeOf = sizeOf;
  }

  /** The sizes of all values. */
  get size(): number {
    return this.#size;
  }

  /** A value, which becomes the most recently used. */
  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  /** A value, which is made if it is missing, and becomes the most recently used. */
  getOrMake(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }

  /** Whether there is a value, without using it. */
  has(key: K): boolean {
    return this.#values.has(key);
  }

  /** Adds or replaces a value. One that is larger than the bound is not kept. */
  set(key: K, value: V): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#size += this.#sizeOf(value);
    for (const [oldest] of this.#values) {
      if (this.#size <= this.sizeMax) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#size -= this.#sizeOf(value);
  }

  clear(): void {
    this.#values.clear();
    this.#size = 0;
  }

  /** The keys, the least recently used first. */
  keys(): Iterable<K> {
    return this.#values.keys();
  }

  /** The least recently used first. */
  values(): Iterable<V> {
    return this.#values.values();
  }
}
