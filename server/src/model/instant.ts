/** Parsing of timestamps (R3): RFC 3339 text or UNIX seconds → microseconds, without Date objects. */
import { daysFromCivil, daysInMonth } from './civil.ts';

/** The largest timestamp, µs; the smallest is its negative (R3). */
export const instantUsMax = 2 ** 53;

const zeroInstantUs = -62_135_596_800_000_000;
const yearZeroUs = -62_167_219_200_000_000;
const year10000Us = 253_402_300_800_000_000;
const form = 'must be an RFC 3339 timestamp such as 2024-01-31T12:00:00Z, or whole UNIX seconds';
const range = 'must be between 1684-07-28T00:12:25.259008Z and 2255-06-05T23:47:34.740992Z';

/**
 * Reads one timestamp: µs, or NaN when it is malformed or outside the range ({@link instantProblem} says which).
 *
 * Text is RFC 3339 with any offset, `t` and `z` in either case. A fraction finer than a microsecond is truncated: digits are
 * dropped, so that the result is earlier, before 1970 too. Second 60 is accepted at the end of a UTC day (a leap second)
 * and means the next second. Numbers are whole UNIX seconds.
 */
export function parseInstant(value: unknown): number {
  if (typeof value === 'string') return inRange(parseText(value));
  if (typeof value === 'number' && Number.isInteger(value)) return inRange(value * 1e6 + 0);
  return Number.NaN;
}

/** As {@link parseInstant}, of a part of UTF-8 bytes, without creating a string. */
export function parseInstantAt(bytes: Uint8Array, start: number, end: number): number {
  return inRange(parseBytes(bytes, start, end));
}

/**
 * Reads the bound of a window (Q1): null when it is missing, or a client's zero value `0001-01-01T00:00:00Z`, which lies
 * outside the range; else as {@link parseInstant}.
 */
export function parseBound(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && parseText(value) === zeroInstantUs) return null;
  return parseInstant(value);
}

/**
 * As {@link parseBound}, for the window of a query: what lies outside the range, but within the years 0 to 9999, is moved to
 * the end of the range, since clients write `9999-12-31` for "no end". Later integers are refused: they are milliseconds.
 */
export function parseQueryBound(value: unknown): number | null {
  const us = parseBound(value);
  if (us === null || !Number.isNaN(us)) return us;
  const farUs =
    typeof value === 'string' ? parseText(value) : Number.isInteger(value) ? Number(value) * 1e6 : us;
  if (!(farUs >= yearZeroUs && farUs < year10000Us)) return Number.NaN;
  return farUs < 0 ? -instantUsMax : instantUsMax;
}

/** Why {@link parseInstant} rejects a value, as a message for the caller. */
export function instantProblem(value: unknown): string {
  const us = typeof value === 'string' ? parseText(value) : value;
  const problem = typeof us === 'number' && Number.isInteger(us) ? range : form;
  return `${problem}, got ${JSON.stringify(value)?.slice(0, 64)}`;
}

function inRange(us: number): number {
  return us >= -instantUsMax && us <= instantUsMax ? us : Number.NaN;
}

/** The length of `YYYY-MM-DDTHH:MM:SS`, before an optional fraction and `Z` or an offset. */
const prefixLength = 19;
const dayS = 86_400;

// Consecutive timestamps mostly share their date: the day number of the last one is kept.
let lastDate = -1;
let lastDateS = 0;

/** As {@link parseBytes}. */
function parseText(text: string): number {
  const bytes = text.length <= scratch.length ? scratch : new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    bytes[at] = code < 128 ? code : 255;
  }
  return parseBytes(bytes, 0, text.length);
}

/** Large enough for all but very long fractions. */
const scratch = new Uint8Array(64);

/** RFC 3339 → µs of any year 0000-9999 (inexact beyond ±2^53), NaN when malformed. The hot path of ingest: arithmetic only. */
function parseBytes(bytes: Uint8Array, start: number, end: number): number {
  if (end - start <= prefixLength) return Number.NaN;
  const date = readDate(bytes, start);
  const timeS = readTime(bytes, start);
  if (date < 0 || timeS < 0 || (date !== lastDate && !enterDate(date))) return Number.NaN;
  const seconds = lastDateS + timeS;
  const length = end - start;
  const isLeap = bytes[start + 17] === 0x36;
  if ((bytes[end - 1] | 32) === 0x7a && !isLeap) {
    // The usual forms: whole seconds or milliseconds.
    if (length === prefixLength + 1) return seconds * 1e6;
    if (length === prefixLength + 5 && bytes[start + prefixLength] === 0x2e) {
      const tens = digits(bytes, start + 20);
      const last = bytes[start + 22] - 48;
      if (tens >= 0 && last >>> 0 <= 9) return seconds * 1e6 + (tens * 10 + last) * 1000;
    }
  }
  return readTail(bytes, start + prefixLength, end, seconds, isLeap);
}

/** `YYYY-MM-DDT` → year, month and day packed in one number; -1 when malformed. */
function readDate(bytes: Uint8Array, start: number): number {
  const century = digits(bytes, start);
  const year = digits(bytes, start + 2);
  const month = digits(bytes, start + 5);
  const day = digits(bytes, start + 8);
  const marks = (bytes[start + 4] ^ 0x2d) | (bytes[start + 7] ^ 0x2d) | ((bytes[start + 10] | 32) ^ 0x74);
  return marks === 0 && (century | year | month | day) >= 0
    ? ((century * 100 + year) << 14) | (month << 7) | day
    : -1;
}

/** `HH:MM:SS` at its place → seconds of the day, with second 60; -1 when malformed. */
function readTime(bytes: Uint8Array, start: number): number {
  const hour = digits(bytes, start + 11);
  const minute = digits(bytes, start + 14);
  const second = digits(bytes, start + 17);
  const marks = (bytes[start + 13] ^ 0x3a) | (bytes[start + 16] ^ 0x3a);
  if (marks !== 0 || (hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 60) return -1;
  return hour * 3600 + minute * 60 + second;
}

/** Two digits as a number; -1 when malformed. */
function digits(bytes: Uint8Array, at: number): number {
  const high = bytes[at] - 48;
  const low = bytes[at + 1] - 48;
  return high >>> 0 > 9 || low >>> 0 > 9 ? -1 : high * 10 + low;
}

/** Stores a packed date as the last date; false when it does not exist. */
function enterDate(date: number): boolean {
  const year = date >> 14;
  const month = (date >> 7) & 127;
  const day = date & 127;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return false;
  lastDate = date;
  lastDateS = daysFromCivil(year, month, day) * dayS;
  return true;
}

/** Reads what follows the seconds: `[.fraction](Z|±hh:mm)`. */
function readTail(bytes: Uint8Array, start: number, end: number, seconds: number, isLeap: boolean): number {
  let at = start;
  let fractionUs = 0;
  if (bytes[at] === 0x2e) {
    const stop = fractionEnd(bytes, at + 1, end);
    if (stop === at + 1) return Number.NaN;
    fractionUs = readFraction(bytes, at + 1, stop);
    at = stop;
  }
  const utcS = seconds - readOffset(bytes, at, end);
  if (isLeap && utcS % dayS !== 0) return Number.NaN;
  return joinUs(utcS, fractionUs);
}

function fractionEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && (bytes[at] - 48) >>> 0 <= 9) at++;
  return at;
}

/** The first six digits as microseconds. */
function readFraction(bytes: Uint8Array, start: number, end: number): number {
  let us = 0;
  for (let at = start; at < start + 6; at++) us = us * 10 + (at < end ? bytes[at] - 48 : 0);
  return us;
}

/** `Z` or `±hh:mm` up to `end` → seconds east of UTC; NaN when malformed. */
function readOffset(bytes: Uint8Array, at: number, end: number): number {
  const mark = bytes[at];
  if ((mark | 32) === 0x7a) return at + 1 === end ? 0 : Number.NaN;
  if ((mark !== 0x2b && mark !== 0x2d) || at + 6 !== end || bytes[at + 3] !== 0x3a) return Number.NaN;
  const hours = digits(bytes, at + 1);
  const minutes = digits(bytes, at + 4);
  if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return Number.NaN;
  const offsetS = hours * 3600 + minutes * 60;
  return mark === 0x2b ? offsetS : -offsetS;
}

/** Seconds and microseconds → µs. At an end of the range the sum could be rounded to the limit: it is moved well beyond it. */
function joinUs(seconds: number, fractionUs: number): number {
  const wholeUs = seconds * 1e6;
  const us = wholeUs + fractionUs;
  return us - wholeUs === fractionUs ? us : Math.sign(us) * 2 * instantUsMax;
}
