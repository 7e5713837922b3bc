/** Times in the notation of `strptime`: patterns such as `%d.%m.%Y %H:%M`, compiled once and matched without regular expressions. */
import { daysFromCivil, daysInMonth } from '#model/civil';
import { instantUsMax } from '#model/instant';

/** A time as a file has it: µs of UTC, or, without an offset, what a clock at the place showed, as if it were UTC. */
export interface RowTime {
  us: number;
  isLocal: boolean;
}

/** Reads a time; null when the text does not match the pattern, or lies outside the range of timestamps. */
export type TimePattern = (text: string) => RowTime | null;

/** What has been read so far; `at` is the position in the text. */
interface Reading {
  text: string;
  at: number;
  fields: Fields;
}

interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  us: number;
  isPm: boolean | null;
  offsetMinutes: number | null;
}

/** Reads one part of a pattern; false when the text does not go on like that. */
type Step = (reading: Reading) => boolean;

/**
 * Compiles a pattern. Directives: `%Y %y %m %d %H %I %M %S %f %p %b %B %z %%`; a space matches any white space,
 * brackets enclose what may be missing. A text says what is wrong with the pattern.
 */
export function compileTimePattern(pattern: string): TimePattern | string {
  const steps = compileSteps(pattern, 0, 0);
  if (typeof steps === 'string') return steps;
  if (!/%[Yy]/.test(pattern)) return 'it has no year (%Y or %y)';
  return (text) => {
    const reading: Reading = { text, at: 0, fields: emptyFields() };
    const matches = steps.steps.every((step) => step(reading)) && reading.at === text.length;
    return matches ? toTime(reading.fields) : null;
  };
}

function emptyFields(): Fields {
  return { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, us: 0, isPm: null, offsetMinutes: null };
}

const depthMax = 8;

/** The steps from `start` to the end of the pattern or of its group, and where that is. */
function compileSteps(
  pattern: string,
  start: number,
  depth: number,
): { steps: Step[]; end: number } | string {
  if (depth > depthMax) return 'its brackets are nested too deeply';
  const steps: Step[] = [];
  for (let at = start; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === ']') return depth > 0 ? { steps, end: at } : 'it has a "]" without "["';
    if (character === '[') {
      const group = compileSteps(pattern, at + 1, depth + 1);
      if (typeof group === 'string') return group;
      steps.push(optional(group.steps));
      at = group.end;
    } else if (character === '%') {
      const step = directives[pattern[++at]];
      if (step === undefined)
        return `it has the unknown directive ${JSON.stringify(`%${pattern[at] ?? ''}`)}`;
      steps.push(step);
    } else steps.push(/\s/.test(character) ? whiteSpace : literal(character));
  }
  return depth === 0 ? { steps, end: pattern.length } : 'it has a "[" without "]"';
}

function optional(steps: readonly Step[]): Step {
  return (reading) => {
    const before = { at: reading.at, fields: { ...reading.fields } };
    if (!steps.every((step) => step(reading))) Object.assign(reading, before);
    return true;
  };
}

const whiteSpace: Step = (reading) => {
  const start = reading.at;
  while (/\s/.test(reading.text[reading.at] ?? '')) reading.at++;
  return reading.at > start;
};

function literal(character: string): Step {
  return (reading) => reading.text[reading.at++] === character;
}

/** Reads `min` to `max` digits into a field. */
function digits(
  field: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second',
  min: number,
  max: number,
): Step {
  return (reading) => {
    const text = takeDigits(reading, max);
    reading.fields[field] = Number(text);
    return text.length >= min;
  };
}

function takeDigits(reading: Reading, max: number): string {
  const start = reading.at;
  while (reading.at - start < max && /\d/.test(reading.text[reading.at] ?? '')) reading.at++;
  return reading.text.slice(start, reading.at);
}

/** 69 to 99 are of the 20th century, as POSIX says. */
const shortYear: Step = (reading) => {
  const text = takeDigits(reading, 2);
  reading.fields.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000);
  return text.length === 2;
};

/** Finer than a microsecond is cut off. */
const fraction: Step = (reading) => {
  const text = takeDigits(reading, 18);
  reading.fields.us = Number(text.slice(0, 6).padEnd(6, '0'));
  return text.length > 0;
};

const halfOfDay: Step = (reading) => {
  const word = reading.text.slice(reading.at, reading.at + 2).toLowerCase();
  reading.at += 2;
  reading.fields.isPm = word === 'pm';
  return word === 'am' || word === 'pm';
};

const months = 'january february march april may june july august september october november december'.split(
  ' ',
);

/** A month's English name, whole or its first three letters. */
const monthName: Step = (reading) => {
  const rest = reading.text.slice(reading.at, reading.at + 9).toLowerCase();
  const index = months.findIndex((name) => rest.startsWith(name.slice(0, 3)));
  if (index < 0) return false;
  reading.fields.month = index + 1;
  reading.at += rest.startsWith(months[index]) ? months[index].length : 3;
  return true;
};

/** `Z`, `+01`, `+0100` or `+01:00`. */
const offset: Step = (reading) => {
  const match = /^(?:z|([+-])(\d\d)(?::?(\d\d))?)/i.exec(reading.text.slice(reading.at, reading.at + 6));
  if (match === null) return false;
  const [whole, sign, hours = '0', minutes = '0'] = match;
  reading.at += whole.length;
  reading.fields.offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return Number(hours) <= 23 && Number(minutes) <= 59;
};

const directives: Readonly<Record<string, Step | undefined>> = {
  Y: digits('year', 4, 4),
  y: shortYear,
  m: digits('month', 1, 2),
  d: digits('day', 1, 2),
  H: digits('hour', 1, 2),
  I: digits('hour', 1, 2),
  M: digits('minute', 1, 2),
  S: digits('second', 1, 2),
  f: fraction,
  p: halfOfDay,
  b: monthName,
  B: monthName,
  z: offset,
  '%': literal('%'),
};

function toTime(fields: Fields): RowTime | null {
  const { year, month, day, minute, second, us, isPm, offsetMinutes } = fields;
  const hour = isPm === null ? fields.hour : hourOfDay(fields.hour, isPm);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!isDate || hour < 0 || hour > 23 || minute > 59 || second > 59) return null;
  const minutes = (daysFromCivil(year, month, day) * 24 + hour) * 60 + minute - (offsetMinutes ?? 0);
  const timeUs = (minutes * 60 + second) * 1e6 + us;
  return Math.abs(timeUs) <= instantUsMax ? { us: timeUs, isLocal: offsetMinutes === null } : null;
}

/** 12 AM is midnight, 12 PM is noon; -1 when the hour is not one of 1 to 12. */
function hourOfDay(hour: number, isPm: boolean): number {
  if (hour < 1 || hour > 12) return -1;
  return (hour % 12) + (isPm ? 12 : 0);
}
