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
  queues: {
    requests: number;
    running: number;
    waiting: number;
    queueBytes: number;
    logBytes: number;
    sealLagS: number;
  };
  /** How long the last calls of each kind took. */
  durations: Record<'insert' | 'read' | 'change', DurationSummary | null>;
}

/** How long the last calls took, ms. */
export interface DurationSummary {
  count: number;
  medianMs: number;
  p95Ms: number;
  maxMs: number;
}
