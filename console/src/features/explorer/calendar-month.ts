/** Days on a calendar, as the UTC midnight of their date in ms: no zone changes its clocks under them. */
import { pad } from '../../platform/time/civil.ts';
import type { Span } from './range.ts';

/** A day, ms. */
export const dayMs = 86_400_000;

/** Days of a calendar that are chosen: both of them are meant. */
export interface Days {
  first: number;
  last: number;
}

/** The weeks that a month touches, seven days each; weeks begin on `firstDay` (1 Monday … 7 Sunday). */
export function weeksOf(day: number, firstDay: number): number[][] {
  const first = startOfMonth(day);
  const offset = (((new Date(first).getUTCDay() || 7) - firstDay + 7) % 7) * dayMs;
  const next = addMonths(first, 1);
  const weeks: number[][] = [];
  for (let start = first - offset; start < next; start += 7 * dayMs) {
    weeks.push(Array.from({ length: 7 }, (_, i) => start + i * dayMs));
  }
  return weeks;
}

/** The first day of the month of a day. */
export function startOfMonth(day: number): number {
  const at = new Date(day);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
}

/** The same day so many months later, or the last of a month that is shorter. */
export function addMonths(day: number, count: number): number {
  const at = new Date(day);
  const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + count, 1);
  const last = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + count + 1, 0);
  return Math.min(last, first + (at.getUTCDate() - 1) * dayMs);
}

/** The day that a key leads to from another; null for a key that moves nothing. */
export function dayAfterKey(key: string, day: number, firstDay: number): number | null {
  const inWeek = ((new Date(day).getUTCDay() || 7) - firstDay + 7) % 7;
  const moves: Record<string, number> = {
    ArrowLeft: day - dayMs,
    ArrowRight: day + dayMs,
    ArrowUp: day - 7 * dayMs,
    ArrowDown: day + 7 * dayMs,
    Home: day - inWeek * dayMs,
    End: day + (6 - inWeek) * dayMs,
    PageUp: addMonths(day, -1),
    PageDown: addMonths(day, 1),
  };
  return moves[key] ?? null;
}

/** `2026-11-20`. */
export function printDay(day: number): string {
  const at = new Date(day);
  return `${String(at.getUTCFullYear()).padStart(4, '0')}-${pad(at.getUTCMonth() + 1)}-${pad(at.getUTCDate())}`;
}

/** The days that a span touches, by the clock of a zone. */
export function daysOf({ fromMs, toMs }: Span, offsetAt: (ms: number) => number): Days {
  const dayOf = (ms: number) => Math.floor((ms + offsetAt(ms)) / dayMs) * dayMs;
  return { first: dayOf(fromMs), last: dayOf(Math.max(fromMs, toMs - 1)) };
}

/** Both days in their order. */
export function ordered(a: number, b: number): Days {
  return { first: Math.min(a, b), last: Math.max(a, b) };
}
