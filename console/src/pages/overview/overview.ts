/** What the overview is told. */

/** The answer of `console.overview`. */
export interface Overview {
  version: string;
  uptimeS: number;
  memoryBytes: number;
  integrations: number;
  store: { bytes: number; signals: number; items: number };
  points: { today: number; days: { day: string; points: number }[] };
  requestsToday: number;
  rejectedToday: number;
  /** Over the last minute. */
  pointsPerS: number;
}
