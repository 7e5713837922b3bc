/** Row times as CSV files write them → microseconds. */
import { instantUsMax, parseInstant } from '#model/instant';
import { checkZone, localsToInstants, zoneTable } from '#model/zone';

/** How the times of a file are written. */
export type TimeForm = 'text' | 'unix-s' | 'unix-ms' | 'unix-us';

/** Turns the reading of a clock on the wall, as µs of UTC, into the instant that it means; NaN when out of range. */
export type Localize = (localUs: number) => number;

/** The reading of a clock that shows UTC. */
export const utc: Localize = (localUs) => localUs;

/**
 * The reading of a clock in a time zone (Q3): of a reading that occurs twice the first is meant, one that does not exist is
 * the next that does. `invalid-params` when there is no such zone.
 */
export function localizeIn(zone: string): Localize {
  checkZone(zone);
  if (zone === 'UTC') return utc;
  return (localUs) => {
    if (Number.isNaN(localUs)) return localUs;
    const instant = Float64Array.of(localUs);
    localsToInstants(zoneTable(zone, localUs, localUs), instant);
    return instant[0];
  };
}

const number = /^-?\d+(\.\d+)?$/;
const local = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?)?$/i;
/** RFC 3339, with a space allowed for the `T`, before the offset too. */
const absolute = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d:\d\d)$/i;

/**
 * The form of a file's times by some of them; null when they have none of the forms. Numbers are UNIX seconds when all
 * lie in the range of timestamps as such (years 1684-2255), else milliseconds, else microseconds.
 */
export function findTimeForm(samples: readonly string[]): TimeForm | null {
  const texts = samples.map((sample) => sample.trim()).filter((sample) => sample !== '');
  if (texts.length === 0) return null;
  if (texts.every((text) => number.test(text))) {
    return (
      unixForms.find((form) => texts.every((text) => Number.isFinite(parseRowTime(text, form, utc)))) ?? null
    );
  }
  return texts.every((text) => Number.isFinite(parseRowTime(text, 'text', utc))) ? 'text' : null;
}

const unixForms: readonly TimeForm[] = ['unix-s', 'unix-ms', 'unix-us'];

/** One row time as µs; NaN when it is not of this form or out of range. Finer than a microsecond is cut off. */
export function parseRowTime(text: string, form: TimeForm, localize: Localize): number {
  const trimmed = text.trim();
  switch (form) {
    case 'text':
      return parseTextTime(trimmed, localize);
    case 'unix-s':
      return parseUnix(trimmed, 6);
    case 'unix-ms':
      return parseUnix(trimmed, 3);
    case 'unix-us':
      return parseUnix(trimmed, 0);
  }
}

function parseTextTime(text: string, localize: Localize): number {
  const whole = absolute.exec(text);
  if (whole !== null) return parseInstant(`${whole[1]}T${whole[2]}${whole[3]}`);
  const parts = local.exec(text);
  if (parts === null) return Number.NaN;
  const [, date, minutes = '00:00', seconds = ':00'] = parts;
  return localize(parseInstant(`${date}T${minutes}${seconds.replace(',', '.')}Z`));
}

/** A decimal number of units of 10^-`digits` seconds below a microsecond's place, exact to the microsecond. */
function parseUnix(text: string, digits: number): number {
  if (!number.test(text)) return Number.NaN;
  const [whole, fraction = ''] = text.split('.');
  const us = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return Math.abs(us) <= instantUsMax ? us : Number.NaN;
}
