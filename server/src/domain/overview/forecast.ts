/** Forecasts when the disk will be full, from recent points per day, bytes per point, and retention. */

/** The input of a forecast. */
export interface ForecastSource {
  /** Points of the last whole UTC days since the first with any, at most seven. */
  pointsByDay: readonly number[];
  /** Size of the store on disk, and its number of points. */
  storeBytes: number;
  points: number;
  freeBytes: number;
  /** Days for which the rule for all signals keeps points; null: unlimited. */
  keepDays: number | null;
}

/** The forecast. */
export interface Forecast {
  /** Growth of a typical day in bytes, from the median number of points, so that a single import does not distort it. */
  bytesPerDay: number;
  freeBytes: number;
  /** Days until the disk is full; null: never, since the store does not grow, or retention limits it in time. */
  daysLeft: number | null;
  /** The final size when retention has reached its limit; null: no retention. */
  keptBytes: number | null;
}

/** Minimum number of days and points for a forecast; with fewer points the size is mostly that of the empty file. */
const daysMin = 2;
const pointsMin = 1_000_000;

/** Computes a forecast; null when there are not enough data. */
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
