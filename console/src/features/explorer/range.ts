/** Time ranges as people choose them: "the last 7 days", "this week", or from then to then. */
import { addCivil, type CivilUnit, parseCivil, printIso, startOf } from '../../platform/time/civil.ts';

/**
 * A range as it is written in the address: each end is RFC 3339, or relative to now: `now-7d`, `now/w` (the start of this
 * week; as an end: its end), `now-1d/d`. Units: s m h d w M(onth) y.
 */
export interface Range {
  from: string;
  to: string;
}

/** A range at one time, half-open, ms. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** What turns relative ends into instants. */
export interface Calendar {
  zone: string;
  /** 1 Monday … 7 Sunday. */
  firstDay: number;
}

/** The range of a view that says nothing. */
export const defaultRange: Range = { from: 'now-7d', to: 'now' };

/** What the range picker offers. */
export const shortcuts: readonly (Range & { name: string })[] = [
  { name: 'Last 15 minutes', from: 'now-15m', to: 'now' },
  { name: 'Last hour', from: 'now-1h', to: 'now' },
  { name: 'Last 6 hours', from: 'now-6h', to: 'now' },
  { name: 'Last 24 hours', from: 'now-24h', to: 'now' },
  { name: 'Last 7 days', from: 'now-7d', to: 'now' },
  { name: 'Last 30 days', from: 'now-30d', to: 'now' },
  { name: 'Last 90 days', from: 'now-90d', to: 'now' },
  { name: 'Last year', from: 'now-1y', to: 'now' },
  { name: 'Today', from: 'now/d', to: 'now/d' },
  { name: 'Yesterday', from: 'now-1d/d', to: 'now-1d/d' },
  { name: 'This week', from: 'now/w', to: 'now/w' },
  { name: 'Last week', from: 'now-1w/w', to: 'now-1w/w' },
  { name: 'This month', from: 'now/M', to: 'now/M' },
  { name: 'Last month', from: 'now-1M/M', to: 'now-1M/M' },
  { name: 'This year', from: 'now/y', to: 'now/y' },
];

const relative = /^now(?:([+-])(\d{1,5})([smhdwMy]))?(?:\/([smhdwMy]))?$/;
const absolute = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Whether a text can be an end of a range. */
export function isRangeEnd(text: string): boolean {
  return relative.test(text) || (absolute.test(text) && !Number.isNaN(Date.parse(text)));
}

/** An end as people type it: `2026-11-20 10:30[:15[.250]]` in the zone, RFC 3339, or relative to now; null for anything else. */
export function readEnd(text: string, zone: string): string | null {
  if (isRangeEnd(text.trim())) return text.trim();
  const ms = parseCivil(zone, text);
  return ms === null ? null : printIso('UTC', ms);
}

/** Whether the range moves with the clock. */
export function isRelative({ from, to }: Range): boolean {
  return from.startsWith('now') || to.startsWith('now');
}

/** The range at a time; at least 1 ms long, also when its ends are the wrong way round. */
export function resolveRange({ from, to }: Range, nowMs: number, calendar: Calendar): Span {
  const fromMs = resolveEnd(from, nowMs, calendar, false);
  const toMs = resolveEnd(to, nowMs, calendar, true);
  return fromMs <= toMs ? { fromMs, toMs: Math.max(toMs, fromMs + 1) } : { fromMs: toMs, toMs: fromMs };
}

/** Whether a range ends before it begins. */
export function isBackwards({ from, to }: Range, nowMs: number, calendar: Calendar): boolean {
  return resolveEnd(to, nowMs, calendar, true) < resolveEnd(from, nowMs, calendar, false);
}

/** A span as a range that stays where it is. */
export function absoluteRange({ fromMs, toMs }: Span): Range {
  return { from: printIso('UTC', fromMs), to: printIso('UTC', toMs) };
}

/** As long a range that ends now: in minutes, or in days where minutes would have too many digits. */
export function rangeUntilNow({ fromMs, toMs }: Span): Range {
  const minutes = Math.ceil((toMs - fromMs) / 60_000);
  const length = minutes <= 60_000 ? `${minutes}m` : `${Math.ceil(minutes / 1440)}d`;
  return { from: `now-${length}`, to: 'now' };
}

/** How the range is called: its name, `last 45 minutes`, or null where only its ends describe it. */
export function nameRange(range: Range): string | null {
  const known = shortcuts.find(({ from, to }) => from === range.from && to === range.to);
  if (known) return known.name;
  const match = relative.exec(range.from);
  if (range.to !== 'now' || match?.[1] !== '-' || match[4] !== undefined) return null;
  const count = Number(match[2]);
  const unit = unitNames[match[3] as CivilUnit];
  return count === 1 ? `Last ${unit}` : `Last ${count} ${unit}s`;
}

/** The span moved by its own length, `steps` times; negative: into the past. */
export function shiftSpan({ fromMs, toMs }: Span, steps: number): Span {
  const byMs = Math.round((toMs - fromMs) * steps);
  return { fromMs: fromMs + byMs, toMs: toMs + byMs };
}

/** The span stretched around a point of it (0 its start, 1 its end); `factor` 2 doubles it. Kept within `lengthMs` min and max. */
export function stretchSpan(
  { fromMs, toMs }: Span,
  factor: number,
  around = 0.5,
  lengthMs: { min: number; max: number } = spanLengthMs,
): Span {
  const length = Math.min(lengthMs.max, Math.max(lengthMs.min, (toMs - fromMs) * factor));
  const centre = fromMs + (toMs - fromMs) * around;
  const start = Math.round(centre - length * around);
  return { fromMs: start, toMs: start + Math.round(length) };
}

/** The span on whole seconds or minutes where these are finer than a pixel: what is read off a chart is not exact. */
export function tidySpan({ fromMs, toMs }: Span): Span {
  const unit = [60_000, 1000, 1].find((each) => toMs - fromMs >= 2000 * each) ?? 1;
  const start = Math.round(fromMs / unit) * unit;
  return { fromMs: start, toMs: start + Math.max(1, Math.round((toMs - fromMs) / unit) * unit) };
}

/** What can be zoomed to: from one thousandth of a second to two centuries. */
export const spanLengthMs = { min: 1, max: 73_000 * 86_400_000 };

/** All data, with a small margin around it. */
export function wholeSpan({ fromMs, toMs }: Span): Span {
  const margin = Math.max(1000, (toMs - fromMs) * 0.01);
  return { fromMs: Math.floor(fromMs - margin), toMs: Math.ceil(toMs + margin) };
}

const unitNames: Readonly<Record<CivilUnit, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  M: 'month',
  y: 'year',
};

function resolveEnd(text: string, nowMs: number, { zone, firstDay }: Calendar, isEnd: boolean): number {
  const match = relative.exec(text);
  if (match === null) return Date.parse(text);
  const [, sign, count, unit, whole] = match;
  const moved =
    sign === undefined
      ? nowMs
      : addCivil(zone, nowMs, Number(count) * (sign === '-' ? -1 : 1), unit as CivilUnit);
  if (whole === undefined) return moved;
  const start = startOf(zone, moved, whole as CivilUnit, firstDay);
  return isEnd ? addCivil(zone, start, 1, whole as CivilUnit) : start;
}
