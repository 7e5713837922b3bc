/** Half-open time ranges. */

/** `[startUs, endUs)` in microseconds since the epoch; empty when `endUs <= startUs` (Q1). */
export interface Window {
  startUs: number;
  endUs: number;
}
