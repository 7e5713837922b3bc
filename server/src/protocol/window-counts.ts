/** Counts events by key in bounded memory. Each key has its own window, which begins with its first event. */
import type { Stopwatch } from '#model/environment';

/** One window. */
interface Count {
  count: number;
  endsMs: number;
}

/** Keys come from outside: a million of them would be 200 MB. */
const keysMaxDefault = 100_000;

/** How long a key's events are counted together, ms. */
export const windowMs = 60_000;

/** Counts events of the last minute. Above `keysMax` keys the one with the oldest window is evicted. */
export class WindowCounts {
  /** Windows by key, oldest first; all have the same length, so they end in this order. */
  readonly #counts = new Map<string, Count>();
  readonly #stopwatch: Stopwatch;
  readonly #keysMax: number;

  constructor(stopwatch: Stopwatch, keysMax = keysMaxDefault) {
    this.#stopwatch = stopwatch;
    this.#keysMax = keysMax;
  }

  /** Maximum number of keys. */
  get keyCount(): number {
    return this.#counts.size;
  }

  /** Counts one event of a key. Returns the number of events in its window. */
  add(key: string): number {
    const nowMs = this.#stopwatch.elapsedMs();
    this.#forgetEnded(nowMs);
    const known = this.#counts.get(key);
    if (known !== undefined) return ++known.count;
    this.#counts.set(key, { count: 1, endsMs: nowMs + windowMs });
    return 1;
  }

  /** Events of a key in its window, and the seconds until the window ends (whole, at least 1); both 0 without events. */
  look(key: string): { count: number; leftS: number } {
    const known = this.#counts.get(key);
    const leftMs = (known?.endsMs ?? 0) - this.#stopwatch.elapsedMs();
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
