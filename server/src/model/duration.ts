/** Durations as text (R4): fixed ones in microseconds, calendar ones in months. */
import { AppError } from './error.ts';

/** A length of time: a fixed number of microseconds (may be zero or negative), or a positive number of months. */
export type Duration = { kind: 'fixed'; us: number } | { kind: 'calendar'; months: number };

/** Microseconds in a second. */
export const secondUs = 1_000_000;
/** Microseconds in a minute. */
export const minuteUs = 60 * secondUs;
/** Microseconds in an hour. */
export const hourUs = 60 * minuteUs;
/** Microseconds in a day of 24 hours. */
export const dayUs = 24 * hourUs;

const usMax = 2 ** 53;
const monthsMax = 120_000;
const form = 'must be a duration such as PT15M, PT0.5S, P1D or P1W, or P3M or P1Y';

const fixedPattern = /^(-?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?)?$/i;
const calendarPattern = /^P(?:(\d+)Y)?(?:(\d+)M)?$/i;
const mixedPattern = /^-?P(?=[^T]*[YM])[\dYMWD]*(?:T[\d.HMS]*)?$/i;
/** Longer texts are rejected without parsing. */
const charactersMax = 100;

/**
 * Reads a fixed or a calendar duration (R4), in either case. Fractions of a second finer than a microsecond are truncated.
 * Zero and negative fixed durations are durations; whether they make sense is the caller's question.
 * Fails with `invalid-params` (a message, no path) when the text is neither.
 */
export function parseDuration(text: string): Duration {
  const read = readDuration(text);
  if (typeof read === 'string') throw new AppError('invalid-params', read);
  return read;
}

/** What is wrong with a text as a duration, worded for the caller; null when {@link parseDuration} takes it. */
export function durationProblem(text: string): string | null {
  const read = readDuration(text);
  return typeof read === 'string' ? read : null;
}

function readDuration(text: string): Duration | string {
  if (text.length > charactersMax) return `${form}, got ${text.length} characters`;
  const got = `, got ${JSON.stringify(text)}`;
  const fixed = fixedPattern.exec(text);
  if (fixed !== null && /(?:T|\d[WDHMS])$/i.test(text))
    return readFixed(fixed) ?? `must be at most 2^53 µs long${got}`;
  const calendar = calendarPattern.exec(text);
  if (calendar !== null && /[YM]$/i.test(text)) return readCalendar(calendar, got);
  if (mixedPattern.test(text)) return `${calendarProblem(text)}${got}`;
  return `${form}${got}`;
}

function calendarProblem(text: string): string {
  return text.startsWith('-') && calendarPattern.test(text.slice(1))
    ? 'must not be a negative number of months or years'
    : 'must not mix years or months with weeks, days or times';
}

function readFixed(match: RegExpExecArray): Duration | null {
  const [, sign, weeks, days, hours, minutes, seconds, fraction] = match;
  const whole =
    Number(weeks ?? 0) * 7 * dayUs +
    Number(days ?? 0) * dayUs +
    Number(hours ?? 0) * hourUs +
    Number(minutes ?? 0) * minuteUs +
    Number(seconds ?? 0) * secondUs;
  const us = whole + Number((fraction ?? '').slice(0, 6).padEnd(6, '0'));
  if (us > usMax) return null;
  return { kind: 'fixed', us: sign === '-' && us !== 0 ? -us : us };
}

function readCalendar(match: RegExpExecArray, got: string): Duration | string {
  const months = Number(match[1] ?? 0) * 12 + Number(match[2] ?? 0);
  if (months === 0) return `must be at least one month${got}`;
  if (months > monthsMax) return `must be at most ${monthsMax} months${got}`;
  return { kind: 'calendar', months };
}

/** The canonical text (R4): `PT960H`, `PT1M30S`, `PT0.5S`, `-PT1H`, `PT0S`, `P1Y2M`. */
export function printDuration(duration: Duration): string {
  return duration.kind === 'fixed' ? printFixed(duration.us) : printMonths(duration.months);
}

function printFixed(us: number): string {
  if (us === 0) return 'PT0S';
  const length = Math.abs(us);
  const hours = Math.floor(length / hourUs);
  const minutes = Math.floor((length % hourUs) / minuteUs);
  const rest = length % minuteUs;
  return (
    (us < 0 ? '-PT' : 'PT') +
    (hours > 0 ? `${hours}H` : '') +
    (minutes > 0 ? `${minutes}M` : '') +
    (rest > 0 ? `${printSeconds(rest)}S` : '')
  );
}

function printSeconds(us: number): string {
  const whole = String(Math.floor(us / secondUs));
  const fraction = us % secondUs;
  return fraction === 0 ? whole : `${whole}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}

function printMonths(months: number): string {
  const years = Math.floor(months / 12);
  const rest = months % 12;
  return `P${years > 0 ? `${years}Y` : ''}${rest > 0 ? `${rest}M` : ''}`;
}
