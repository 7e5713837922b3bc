/** How wide buckets are: chosen from the width of the chart in pixels, and said in words. */
import { printPeriod } from '../../platform/time/span.ts';

/** A width that can be chosen. */
export interface Width {
  /** RFC 3339, as the service takes it. */
  duration: string;
  /** Its usual length, ms: a day as 24 hours, a month as 30.4 days. */
  ms: number;
  words: string;
}

interface WidthFacts {
  spanMs: number;
  /** Width of the plotting area, CSS pixels. */
  pixels: number;
  /** For each item: how far apart its points are on average, ms; null: unknown. */
  intervalsMs: readonly (number | null)[];
  /** Whether every point cannot be had: formulas are computed over buckets. */
  needsBuckets?: boolean;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The widths that the automatic choice knows, from narrow to wide: those that clocks and calendars have marks for. */
export const niceWidths: readonly Width[] = [
  ...counted('second', second, 1, 2, 5, 10, 15, 30),
  ...counted('minute', minute, 1, 2, 5, 10, 15, 30),
  ...counted('hour', hour, 1, 2, 3, 6, 12),
  { duration: 'P1D', ms: day, words: '1-day buckets' },
  { duration: 'P2D', ms: 2 * day, words: '2-day buckets' },
  { duration: 'P1W', ms: 7 * day, words: '1-week buckets' },
  { duration: 'P1M', ms: 30.4 * day, words: '1-month buckets' },
  { duration: 'P3M', ms: 91.3 * day, words: '3-month buckets' },
  { duration: 'P1Y', ms: 365.25 * day, words: '1-year buckets' },
];

/** Up to so many points are shown as they are; more are reduced by the service. */
export const rawPointsMax = 20_000;

/** Buckets × items of one answer: keeps its JSON below 2 MB with average, minimum, maximum and count. */
const cellsMax = 60_000;

/** A bucket has at least so many pixels; with a band behind the line more detail could not be seen. */
const pixelsMin = 1.5;

/** The longest span for each class of width, as the service allows (L2), ms. */
const spanLimits = [
  { below: minute, max: 40 * day },
  { below: day, max: 400 * day },
  { below: 30 * day, max: 1900 * day },
];

/** Every point (null) when there are few, else the narrowest nice width that fits the pixels and the service's limits. */
export function reduce({ spanMs, pixels, intervalsMs, needsBuckets = false }: WidthFacts): Width | null {
  // An item of unknown interval counts as one point a second: a coarse chart can be refined, a fine one could stall.
  const points = intervalsMs.reduce<number>((sum, interval) => sum + spanMs / (interval ?? second), 0);
  if (!needsBuckets && points <= rawPointsMax && spanMs <= 40 * day) return null;
  const bucketsMax = Math.max(10, Math.min(pixels / pixelsMin, cellsMax / Math.max(1, intervalsMs.length)));
  const fits = (width: Width) => spanMs / width.ms <= bucketsMax && isAllowed(width.ms, spanMs);
  return niceWidths.find(fits) ?? niceWidths.at(-1)!;
}

/** Whether the service reads a span of this length with buckets of this width. */
export function isAllowed(widthMs: number, spanMs: number): boolean {
  return spanLimits.every(({ below, max }) => widthMs >= below || spanMs <= max);
}

/** How a width is said: `5-minute buckets`, `every point`, `one bucket for the whole window`. */
export function sayWidth(duration: string | null): string {
  if (duration === null) return 'every point';
  if (duration === 'window') return 'one bucket for the whole window';
  return (
    niceWidths.find((width) => width.duration === duration)?.words ?? `buckets of ${printPeriod(duration)}`
  );
}

function counted(unit: 'second' | 'minute' | 'hour', ms: number, ...counts: number[]): Width[] {
  const letter = unit.charAt(0).toUpperCase();
  return counts.map((n) => ({ duration: `PT${n}${letter}`, ms: n * ms, words: `${n}-${unit} buckets` }));
}
