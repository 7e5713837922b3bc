/** What the protocol tells, and asks, about who calls how often (L4d); domain/plans/quota.ts has this shape. */
import type { RateStatus } from '#model/rate-status';

/** Counts calls, and refuses those that come too soon. */
export interface CallMeter {
  /** A body came in from an integration: its size after decompression. */
  noteBody(integration: string, bytes: number): void;
  /**
   * A method is about to be called, under its first name: how it stands with its rate, null where it has none. Throws
   * `RateExceeded` when that is too soon.
   */
  admit(integration: string, method: string): RateStatus | null;
}

/** Counts nothing, refuses nothing. */
export const noMeter: CallMeter = { noteBody() {}, admit: () => null };
