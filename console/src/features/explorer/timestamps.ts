/** Timestamps and time ranges as the explorer writes them. */
import { offsetMs, printCivil, printOffset } from '../../platform/time/civil.ts';
import { nameRange, type Range, type Span } from './range.ts';
import type { StateSpan } from './state-band.ts';

/** The offset of a zone over a span: `UTC+02:00`, or `UTC+02:00 → UTC+01:00` where the clocks change in it. */
export function printOffsets(zone: string, { fromMs, toMs }: Span): string {
  const [before, after] = [offsetMs(zone, fromMs), offsetMs(zone, toMs - 1)];
  return before === after ? printOffset(before) : `${printOffset(before)} → ${printOffset(after)}`;
}

/** A zone with its offset over a span: `Europe/Oslo UTC+01:00`. */
export function nameZone(zone: string, span: Span): string {
  return `${zone.replaceAll('_', ' ')}${zone === 'UTC' ? '' : ` ${printOffsets(zone, span)}`}`;
}

/** A range as a button says it: its name, or both ends without what they share. */
export function printRange(range: Range, span: Span, zone: string): string {
  return nameRange(range) ?? printSpan(span, zone);
}

/** Both ends of a span, without what they share. */
export function printSpan(span: Span, zone: string): string {
  const from = shortCivil(printCivil(zone, span.fromMs));
  const to = shortCivil(printCivil(zone, span.toMs));
  const isSameDay = from.slice(0, 10) === to.slice(0, 10) && from.length > 10;
  return `${from} – ${isSameDay ? to.slice(11) : to}`;
}

/** `3 d 4 h`, `2 min 10 s`, `250 ms`: two units at most. */
export function printSpanLength(ms: number): string {
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
    ['ms', 1],
  ];
  let rest = Math.round(ms);
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    if (count > 0 && parts.length < 2) parts.push(`${count} ${unit}`);
    rest -= count * length;
    if (parts.length > 0 && count === 0) break;
  }
  return parts.join(' ') || '0 s';
}

/** How long a state holds around an instant: `for 2 h 10 min`, or its share of a bucket: `for 10 min of 15 min`. */
export function sayHoldLength({ fromMs, toMs, low, high }: StateSpan): string {
  const share = high - low;
  const length = printSpanLength((toMs - fromMs) * share);
  return share < 0.999 ? `for ${length} of ${printSpanLength(toMs - fromMs)}` : `for ${length}`;
}

/** The same, and where it is not a share of a bucket, from when to when: `for 2 h 10 min, 10:00:00 – 12:10:00`. */
export function sayHold(held: StateSpan, zone: string): string {
  if (held.high - held.low < 0.999) return sayHoldLength(held);
  // The last one ends now; fractions of that second do not matter.
  const [from, to] = [held.fromMs, Math.floor(held.toMs / 1000) * 1000].map((ms) => printCivil(zone, ms));
  return `${sayHoldLength(held)}, ${from} – ${from!.slice(0, 10) === to!.slice(0, 10) ? to!.slice(11) : to}`;
}

/** `12.5 %`. */
export function printShare(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 0.1 ? 'below 0.1 %' : `${percent.toFixed(1)} %`;
}

/** Without seconds that are zero, and without a time that is midnight. */
function shortCivil(text: string): string {
  return text.replace(/ 00:00:00$/, '').replace(/:00$/, '');
}
