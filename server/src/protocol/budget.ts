/** A bounded amount of something that integrations take and give back: requests under way, bytes in memory. */

/** What is left of an amount, and who has the rest. One integration has its share at most, so that others find some left. */
export class Budget {
  readonly #amountMax: () => number;
  readonly #shareMax: () => number;
  readonly #taken = new Map<string, number>();
  #takenAmount = 0;

  /** Both are asked anew each time, since a configuration can change while the service runs. `shareMax` is a fraction. */
  constructor(amountMax: () => number, shareMax: () => number) {
    this.#amountMax = amountMax;
    this.#shareMax = shareMax;
  }

  /** What is taken in all. */
  get takenAmount(): number {
    return this.#takenAmount;
  }

  /** Takes for an integration, if there is enough. The first to take is never refused, whatever it takes. */
  take(integration: string, amount: number): boolean {
    if (this.isOver(integration, amount)) return false;
    this.force(integration, amount);
    return true;
  }

  /** Takes in any case, for what exists already. */
  force(integration: string, amount: number): void {
    this.#takenAmount += amount;
    this.#taken.set(integration, (this.#taken.get(integration) ?? 0) + amount);
  }

  /** Whether taking this much would be too much. */
  isOver(integration: string, amount: number): boolean {
    if (this.#takenAmount === 0) return false;
    const amountMax = this.#amountMax();
    const own = (this.#taken.get(integration) ?? 0) + amount;
    return this.#takenAmount + amount > amountMax || own > Math.max(1, amountMax * this.#shareMax());
  }

  /** Gives back what was taken. */
  give(integration: string, amount: number): void {
    this.#takenAmount -= amount;
    const rest = (this.#taken.get(integration) ?? 0) - amount;
    if (rest > 0) this.#taken.set(integration, rest);
    else this.#taken.delete(integration);
  }
}
