/** Durations of the most recent calls of one kind. */
import type { DurationSummary } from '#model/seen-call';

/** Number of calls kept: enough for a meaningful 95th percentile. */
const keptMax = 256;

/** What one thread knows, in a form that other nodes can be sent: arrays of numbers, not typed ones. */
export interface KeptDurations {
  /** All calls since the start. */
  count: number;
  /** Of the most recent ones, ms. */
  durationsMs: readonly number[];
}

/** A ring of the most recent durations. */
export class Durations {
  readonly #kept = new Float64Array(keptMax);
  #count = 0;

  /** A call has ended. */
  note(durationMs: number): void {
    this.#kept[this.#count++ % keptMax] = durationMs;
  }

  /** What is kept. */
  kept(): KeptDurations {
    return { count: this.#count, durationsMs: [...this.#kept.subarray(0, Math.min(this.#count, keptMax))] };
  }
}

/** The summary of what several threads have kept; null without a call. */
export function summaryOf(kept: readonly KeptDurations[]): DurationSummary | null {
  const count = kept.reduce((sum, durations) => sum + durations.count, 0);
  if (count === 0) return null;
  const sorted = Float64Array.from(kept.flatMap(({ durationsMs }) => durationsMs)).sort();
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1];
  return { count, medianMs: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
}
