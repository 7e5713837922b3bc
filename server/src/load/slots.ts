/** A bounded number of requests under way, shared between clients. */

/** Requests under way, by client. Both limits are asked for at each use: a configuration can change while the service runs. */
export class Slots {
  readonly #countMax: () => number;
  readonly #share: () => number;
  readonly #taken = new Map<string, number>();
  #count = 0;

  /** `share` is the fraction of all that one client may have. */
  constructor(countMax: () => number, share: () => number) {
    this.#countMax = countMax;
    this.#share = share;
  }

  /** How many are taken in all. */
  get count(): number {
    return this.#count;
  }

  /** Takes one for a client; false when there is none for it. */
  take(client: string): boolean {
    if (!this.#isFree(client)) return false;
    this.#count++;
    this.#taken.set(client, (this.#taken.get(client) ?? 0) + 1);
    return true;
  }

  /** Gives one back. */
  give(client: string): void {
    this.#count--;
    const rest = (this.#taken.get(client) ?? 0) - 1;
    if (rest > 0) this.#taken.set(client, rest);
    else this.#taken.delete(client);
  }

  /** Beyond the limit there is a quarter more for clients with few: those with many do not shut them out. */
  #isFree(client: string): boolean {
    const countMax = this.#countMax();
    const own = this.#taken.get(client) ?? 0;
    if (own >= Math.max(1, countMax * this.#share())) return false;
    if (this.#count < countMax) return true;
    return this.#count < countMax * 1.25 && own < countMax / 4 / (this.#taken.size + 1);
  }
}
