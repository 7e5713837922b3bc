/** Usage counters of each integration and UTC day (L4). */

/** What is counted, in the order in which it is shown and stored. */
export const tallied = [
  'points',
  'requests',
  'bytesIn',
  'signals',
  'items',
  'rejected',
  'pointsOver',
  'requestsOver',
  'signalsOver',
  'itemsOver',
] as const;

/**
 * Counts of one integration in one day. `points`: values that were accepted, also those that replaced others; `requests`:
 * calls, each one of a batch; `bytesIn`: bodies, after decompression; `signals`, `items`: those created; `rejected`: calls
 * that a limit of the plan refused. `…Over`: what a soft plan allowed above its limit, counted in the former too.
 */
export type Tally = Record<(typeof tallied)[number], number>;

/** The counts of one integration and day. */
export interface UsageRow {
  /** The ID; it may have been deleted since. */
  integration: string;
  /** Days since 1970-01-01, UTC. */
  day: number;
  tally: Tally;
}

/** All counters at zero. */
export function emptyTally(): Tally {
  return {
    points: 0,
    requests: 0,
    bytesIn: 0,
    signals: 0,
    items: 0,
    rejected: 0,
    pointsOver: 0,
    requestsOver: 0,
    signalsOver: 0,
    itemsOver: 0,
  };
}

/** Adds counts to others, in place. */
export function addTally(to: Tally, counts: Tally): void {
  for (const name of tallied) to[name] += counts[name];
}

/** The UTC day of an instant, as {@link UsageRow.day}. */
export function dayOf(nowUs: number): number {
  return Math.floor(nowUs / 86_400e6);
}

/** A day as text: `2026-03-01`. */
export function printDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
