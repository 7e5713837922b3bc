/** How long the disk will last: from what came in on the last days, what a point takes, and what retention gives back. */

/** What a forecast is made of. */
export interface ForecastSource {
  /** Points of the last whole UTC days since the first with any, at most seven. */
  pointsByDay: readonly number[];
  /** What the store takes on disk, and how many points it has. */
  storeBytes: number;
  points: number;
  freeBytes: number;
  /** How many days the rule for all signals keeps points; null: for ever. */
  keepDays: number | null;
}

/** What is to be expected if it goes on like that. */
export interface Forecast {
  /** Of a usual day: the median, so that one import tells nothing of the future. */
  bytesPerDay: number;
  freeBytes: number;
  /** Until the disk is full; null: never, since it does not grow, or retention gives back in time. */
  daysLeft: number | null;
  /** What all points that retention keeps will take, at last; null: it keeps everything. */
  keptBytes: number | null;
}

/** Fewer days say nothing; with fewer points it is the empty file that takes the room. */
const daysMin = 2;
const pointsMin = 1_000_000;

/** Null where it is too early to tell. */
export function forecastOf(source: ForecastSource): Forecast | null {
  const { pointsByDay, storeBytes, points, freeBytes, keepDays } = source;
  if (pointsByDay.length < daysMin || points < pointsMin) return null;
  const bytesPerDay = median(pointsByDay) * (storeBytes / points);
  const keptBytes = keepDays === null ? null : bytesPerDay * keepDays;
  const isHeld = keptBytes !== null && keptBytes <= storeBytes + freeBytes;
  const daysLeft = isHeld || bytesPerDay === 0 ? null : freeBytes / bytesPerDay;
  return { bytesPerDay, freeBytes, daysLeft, keptBytes };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
