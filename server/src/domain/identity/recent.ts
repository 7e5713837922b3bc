/** A bounded map that keeps what is used: two generations, so that a hit costs one look-up and no reordering. */

/** Remembers values by text, at most `entriesMax` of them. */
export class Recent<V> {
  readonly #generationMax: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, entriesMax >> 1);
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
