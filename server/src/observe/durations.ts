/** Durations of the most recent calls of one kind. */
import type { DurationSummary } from '#model/seen-call';

/** Number of calls kept: enough for a meaningful 95th percentile. */
const keptMax = 256;

/** A ring of the most recent durations. */
export class Durations {
  readonly #kept = new Float64Array(keptMax);
  #count = 0;

  /** A call has ended. */
  note(durationMs: number): void {
    this.#kept[this.#count++ % keptMax] = durationMs;
  }

  /** Null before the first call. */
  summary(): DurationSummary | null {
    if (this.#count === 0) return null;
    const sorted = this.#kept.slice(0, Math.min(this.#count, keptMax)).sort();
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1];
    return { count: this.#count, medianMs: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
  }
}
