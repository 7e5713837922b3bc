/** Counts by key, each in a window of its own that begins with its first event and then is over: in bounded memory. */

/** One window. */
interface Count {
  count: number;
  endsMs: number;
}

/** Keys come from outside: a million of them would be 200 MB. */
const keysMaxDefault = 100_000;

/** How long a key's events are counted together, ms. */
export const windowMs = 60_000;

/** Counts events of the last minute. Beyond `keysMax` keys the oldest is forgotten, which began to be counted first. */
export class WindowCounts {
  /** All windows are as long, so in the order in which they began they end. */
  readonly #counts = new Map<string, Count>();
  readonly #keysMax: number;

  constructor(keysMax = keysMaxDefault) {
    this.#keysMax = keysMax;
  }

  /** Keys that are remembered. */
  get keyCount(): number {
    return this.#counts.size;
  }

  /** Counts one event of a key; how many there were of it in its window. */
  add(key: string): number {
    const nowMs = performance.now();
    this.#forgetEnded(nowMs);
    const known = this.#counts.get(key);
    if (known !== undefined) return ++known.count;
    this.#counts.set(key, { count: 1, endsMs: nowMs + windowMs });
    return 1;
  }

  /** Events of a key in its window, and the whole seconds until that is over, at least 1; both 0 where there were none. */
  look(key: string): { count: number; leftS: number } {
    const known = this.#counts.get(key);
    const leftMs = (known?.endsMs ?? 0) - performance.now();
    if (known === undefined || leftMs <= 0) return { count: 0, leftS: 0 };
    return { count: known.count, leftS: Math.max(1, Math.ceil(leftMs / 1000)) };
  }

  #forgetEnded(nowMs: number): void {
    for (const [key, { endsMs }] of this.#counts) {
      if (endsMs > nowMs && this.#counts.size < this.#keysMax) return;
      this.#counts.delete(key);
    }
  }
}
