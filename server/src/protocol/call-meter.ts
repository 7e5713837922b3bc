/** The interface for metering and rate limits of calls (L4d); implemented by domain/plans/quota.ts. */
import type { RateStatus } from '#model/rate-status';

/** Counts calls, and rejects calls above their rate. */
export interface CallMeter {
  /** Counts a request body of an integration; `bytes` is its size after decompression. */
  noteBody(integration: string, bytes: number): void;
  /**
   * Counts a call of a method (by its primary name), before it runs. Returns the status of its rate, null if it has none. Throws
   * `RateExceeded` when the rate is exceeded.
   */
  admit(integration: string, method: string): RateStatus | null;
}

/** Neither counts nor rejects calls. */
export const noMeter: CallMeter = { noteBody() {}, admit: () => null };
