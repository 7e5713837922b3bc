/** Keys that are being looked up: who needs one of them waits, instead of asking the store for the same at the same time. */

/** Looking up keys of one integration, or of several, told apart by prefixes. */
export class LookingUp {
  readonly #underWay = new Map<string, Promise<unknown>>();

  /**
   * What `known` gives, as soon as it gives something; else the result of `find`, which begins when no other one for one of these
   * keys is under way. Clients that begin at the same time name the same keys.
   */
  async run<T extends object>(
    keys: readonly string[],
    known: () => T | null,
    find: () => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const result = known();
      if (result !== null) return result;
      const others = new Set(keys.map((key) => this.#underWay.get(key)).filter((one) => one !== undefined));
      if (others.size === 0) break;
      await Promise.allSettled(others);
    }
    const finding = find();
    for (const key of keys) this.#underWay.set(key, finding);
    try {
      return await finding;
    } finally {
      for (const key of keys) this.#underWay.delete(key);
    }
  }
}
