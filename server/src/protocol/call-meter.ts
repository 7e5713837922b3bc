/** What the protocol tells, and asks, about who calls how often (L4d); domain/plans/quota.ts has this shape. */

/** Counts calls, and refuses those that come too soon. */
export interface CallMeter {
  /** A body came in from an integration: its size after decompression. */
  noteBody(integration: string, bytes: number): void;
  /** A method is about to be called, under its first name. Throws `RateExceeded` when that is too soon. */
  admit(integration: string, method: string): void;
}

/** Counts nothing, refuses nothing. */
export const noMeter: CallMeter = { noteBody() {}, admit() {} };
