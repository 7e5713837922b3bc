/** A bounded number of requests under way, shared between clients. */
import type { NumberTables } from '#threads/number-table';
import { Shares } from '#threads/shares';

/** Requests under way, by client. Both limits are asked for at each use: a configuration can change while the service runs. */
export class Slots {
  readonly #countMax: () => number;
  readonly #share: () => number;
  readonly #taken: Shares;

  /** `share` is the fraction of all that one client may have. */
  constructor(countMax: () => number, share: () => number, tables: NumberTables) {
    this.#countMax = countMax;
    this.#share = share;
    this.#taken = new Shares(tables, 'slots');
  }

  /** How many are taken in all. */
  get count(): number {
    return this.#taken.total;
  }

  /** Takes one for a client; false when there is none for it. */
  take(client: string): boolean {
    return this.#taken.take(client, 1, (own) => this.#isFree(own));
  }

  /** Gives one back. */
  give(client: string): void {
    this.#taken.add(client, -1);
  }

  /** Beyond the limit there is a quarter more for clients with few: those with many do not shut them out. */
  #isFree(own: number): boolean {
    const countMax = this.#countMax();
    const { total, clientCount } = this.#taken;
    if (own >= Math.max(1, countMax * this.#share())) return false;
    if (total < countMax) return true;
    // A client without a slot is counted already while it is decided.
    const shareCount = own > 0 ? clientCount + 1 : clientCount;
    return total < countMax * 1.25 && own < countMax / 4 / shareCount;
  }
}
