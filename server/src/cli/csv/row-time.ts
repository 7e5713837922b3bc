/** The notations of row times that CSV files have, and which one a file uses. */
import { instantUsMax, parseInstant } from '#model/instant';
import { compileTimePattern, type RowTime, type TimePattern } from './time-pattern.ts';

/** How the times of a file are written. */
export interface TimeForm {
  /** `text` (RFC 3339 and its relatives), `unix-s`, `unix-ms`, `unix-us`, `unix-ns`, or a pattern such as `%d.%m.%Y`. */
  name: string;
  /** Finer than a microsecond is cut off. */
  read: TimePattern;
}

const number = /^-?\d+(\.\d+)?$/;
const local = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?)?$/i;
/** RFC 3339, with a space allowed for the `T` and before the offset, without seconds, and with an offset of hours only. */
const absolute =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)? ?(?:(Z|UTC|GMT)|([+-]\d\d)(?::?(\d\d))?)$/i;

/** Times that begin like ISO 8601, with or without an offset. */
export const textForm: TimeForm = { name: 'text', read: readText };

function readText(text: string): RowTime | null {
  const zoned = absolute.exec(text);
  if (zoned !== null) {
    const [, date, minutes, seconds = ':00', zero, hours, rest = '00'] = zoned;
    const offset = zero === undefined ? `${hours}:${rest}` : 'Z';
    return finite(parseInstant(`${date}T${minutes}${seconds.replace(',', '.')}${offset}`), false);
  }
  const parts = local.exec(text);
  if (parts === null) return null;
  const [, date, minutes = '00:00', seconds = ':00'] = parts;
  return finite(parseInstant(`${date}T${minutes}${seconds.replace(',', '.')}Z`), true);
}

function finite(us: number, isLocal: boolean): RowTime | null {
  return Number.isNaN(us) ? null : { us, isLocal };
}

/** From the coarsest to the finest; `digits` is how many decimal places a unit is above a microsecond. */
const unixForms: readonly TimeForm[] = [
  { name: 'unix-s', read: (text) => readUnix(text, 6) },
  { name: 'unix-ms', read: (text) => readUnix(text, 3) },
  { name: 'unix-us', read: (text) => readUnix(text, 0) },
  { name: 'unix-ns', read: (text) => readUnix(text.replace(/\..*/, '').replace(/\d{1,3}$/, '') || '0', 0) },
];

/** A decimal number of units of 10^`digits` µs, exact to the microsecond. */
function readUnix(text: string, digits: number): RowTime | null {
  if (text === '-') return { us: 0, isLocal: false };
  if (!number.test(text)) return null;
  const [whole, fraction = ''] = text.split('.');
  const us = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return Math.abs(us) <= instantUsMax ? { us: us + 0, isLocal: false } : null;
}

/** The form that `--time-format` names: a pattern, or the name of a UNIX form. A text says what is wrong with it. */
export function timeFormOf(format: string): TimeForm | string {
  const unix = unixForms.find(({ name }) => name === format);
  if (unix !== undefined) return unix;
  const read = compileTimePattern(format);
  return typeof read === 'string' ? read : { name: format, read };
}

const clock = '[[,] %H:%M[:%S[.%f]][[ ]%p]]';

/** Patterns of which at most one can match a text. */
const clearPatterns = formsOf([
  `%d.%m.%Y${clock}`,
  `%d.%m.%y${clock}`,
  `%Y/%m/%d${clock}`,
  `%Y.%m.%d${clock}`,
  `%Y-%m-%d${clock}`,
  `%d-%b-%Y${clock}`,
  `%d %b %Y${clock}`,
  '%Y-%m',
  '%Y/%m',
]);

/** Day first and month first look alike up to the 12th of a month. */
const doubtfulPatterns = [
  [`%d/%m/%Y${clock}`, `%m/%d/%Y${clock}`],
  [`%d/%m/%y${clock}`, `%m/%d/%y${clock}`],
  [`%d-%m-%Y${clock}`, `%m-%d-%Y${clock}`],
].map(formsOf);

/** Dates that are written as one number. Years outside 1900 to 2100 are taken for UNIX times. */
const compactPatterns = formsOf(['%Y%m%d', '%Y%m%d%H%M', '%Y%m%d%H%M%S']);
const compactLengths = [8, 12, 14];
const compactUs = { min: Date.UTC(1900, 0) * 1000, max: Date.UTC(2101, 0) * 1000 };

function formsOf(patterns: readonly string[]): TimeForm[] {
  return patterns.map((pattern) => {
    const form = timeFormOf(pattern);
    if (typeof form === 'string') throw new Error(`BUG: the time pattern ${pattern}: ${form}`);
    return form;
  });
}

/**
 * The form of a file's times by some of them; null when they have none of the forms, a text when they have two of them.
 * Numbers are UNIX seconds when all lie in the range of timestamps as such (years 1684-2255), else milliseconds, else
 * microseconds, else nanoseconds.
 */
export function findTimeForm(samples: readonly string[]): TimeForm | string | null {
  const texts = samples.map((sample) => sample.trim()).filter((sample) => sample !== '');
  if (texts.length === 0) return null;
  const fits = (form: TimeForm) => texts.every((text) => form.read(text) !== null);
  if (texts.every((text) => number.test(text))) return findNumberForm(texts, fits);
  if (fits(textForm)) return textForm;
  for (const [dayFirst, monthFirst] of doubtfulPatterns) {
    if (!fits(dayFirst)) {
      if (fits(monthFirst)) return monthFirst;
    } else if (!fits(monthFirst)) return dayFirst;
    else return doubt(texts[0], dayFirst, monthFirst);
  }
  return clearPatterns.find(fits) ?? null;
}

function doubt(text: string, dayFirst: TimeForm, monthFirst: TimeForm): string {
  const choices = [dayFirst, monthFirst].map(({ name }) => JSON.stringify(name.replace(clock, ' %H:%M')));
  return `${JSON.stringify(text)} may have the day first or the month first; name it with --time-format, for example ${choices.join(' or ')}`;
}

function findNumberForm(
  texts: readonly string[],
  fits: (form: TimeForm) => boolean,
): TimeForm | string | null {
  if (texts.every((text) => /^(1[6-9]|2[0-2])\d\d$/.test(text))) {
    return `${JSON.stringify(texts[0])} may be a year or UNIX seconds; name it with --time-format %Y or unix-s`;
  }
  const compact = compactPatterns[compactLengths.indexOf(texts[0].length)];
  return compact !== undefined && texts.every((text) => isRecent(compact.read(text)))
    ? compact
    : (unixForms.find(fits) ?? null);
}

function isRecent(time: RowTime | null): boolean {
  return time !== null && time.us >= compactUs.min && time.us < compactUs.max;
}
