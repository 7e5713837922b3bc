/** Compares items with an earlier time: the distance, and the alignment of the earlier rows with the current ones. */
import { addCivil, offsetMs, startOf } from '../../platform/time/civil.ts';
import { type Span, tidySpan } from './range.ts';
import { printSpan } from './timestamps.ts';

/** What a view is compared with; empty: nothing. */
export type Comparison = '' | 'previous' | 'day' | 'week' | 'year';

/** Every comparison, with what it is called. */
export const comparisons: Readonly<Record<Comparison, string>> = {
  '': 'No comparison',
  previous: 'Previous period',
  day: 'A day earlier',
  week: 'A week earlier',
  year: 'A year earlier',
};

/** Another time range, as long on the calendar. */
export interface Earlier {
  span: Span;
  /** An instant of that range → where it is in the present range. */
  toPresent(ms: number): number;
}

const dayMs = 86_400_000;

/**
 * The time range that is compared with. It begins so many days earlier on the calendar of the zone, so that days lie under
 * days when the clocks change in between; the period before one that is not made of whole days is as long as that.
 */
export function earlierSpan(span: Span, comparison: Exclude<Comparison, ''>, zone: string): Earlier {
  const days = daysBack(span, comparison, zone);
  if (days === null) {
    const byMs = span.toMs - span.fromMs;
    return { span: { fromMs: span.fromMs - byMs, toMs: span.fromMs }, toPresent: (ms) => ms + byMs };
  }
  const back = (ms: number) => addCivil(zone, ms, -days, 'd');
  const earlier = { fromMs: back(span.fromMs), toMs: back(span.toMs) };
  const offsets = [span.fromMs, span.toMs, earlier.fromMs, earlier.toMs].map((ms) => offsetMs(zone, ms));
  const isSteady = offsets.every((offset) => offset === offsets[0]);
  // Counting on the calendar takes its time: only where the clocks change.
  const toPresent = (ms: number) => (isSteady ? ms + days * dayMs : addCivil(zone, ms, days, 'd'));
  return { span: earlier, toPresent };
}

/** `A day earlier: 2026-11-18 14:04 – 2026-11-19 14:04`. */
export function sayComparison(span: Span, comparison: Exclude<Comparison, ''>, zone: string): string {
  return `${comparisons[comparison]}: ${printSpan(tidySpan(earlierSpan(span, comparison, zone).span), zone)}`;
}

/** How many days of the calendar; null where days do not say it. */
function daysBack({ fromMs, toMs }: Span, comparison: Exclude<Comparison, ''>, zone: string): number | null {
  if (comparison === 'day') return 1;
  if (comparison === 'week') return 7;
  if (comparison === 'year') return Math.round((fromMs - addCivil(zone, fromMs, -1, 'y')) / dayMs);
  const isWhole = [fromMs, toMs].every((ms) => startOf(zone, ms, 'd') === ms);
  return isWhole ? Math.max(1, Math.round((toMs - fromMs) / dayMs)) : null;
}
