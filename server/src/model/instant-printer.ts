/** Formatting of timestamps (R3): microseconds → RFC 3339 in UTC, a fraction only when it is not zero. */
import { civilFromDays } from './civil.ts';

const dayUs = 86_400_000_000;
const pairs = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
/** `HH:MM` for each minute of the day. */
const minutesOfDay = Array.from({ length: 1440 }, (_, n) => `${pairs[Math.floor(n / 60)]}:${pairs[n % 60]}:`);

let lastDayUs = 0;
let lastDate = '1970-01-01T';

/** Writes an integer of microseconds within ±2^53: `2024-01-31T12:00:00Z`, `1969-12-31T23:59:59.5Z`. Fast for consecutive times of the same day. */
export function printInstant(us: number): string {
  if (!(us >= lastDayUs && us - lastDayUs < dayUs)) enterDay(us);
  const inDay = us - lastDayUs;
  const second = (inDay / 1_000_000) | 0;
  const fraction = inDay - second * 1_000_000;
  const minute = (second / 60) | 0;
  const text = lastDate + minutesOfDay[minute] + pairs[second - minute * 60];
  return fraction === 0 ? `${text}Z` : `${text}.${printFraction(fraction)}Z`;
}

/** Maximum number of bytes that {@link writeInstant} writes. */
export const instantBytesMax = 27;

/** Up to four characters as a number that is written with the lowest byte first, as processors do. */
const code = (text: string) =>
  [...text].reduceRight((bytes, character) => (bytes << 8) | character.charCodeAt(0), 0);
/** The two bytes of each pair of digits, and three bytes and a fourth that is overwritten: pair and colon. */
const pairBytes = Int16Array.from(pairs, code);
const pairColonBytes = Int32Array.from(pairs, (pair) => code(`${pair}:\0`));

const minuteUs = 60_000_000;

/** Writes what {@link printInstant} gives as ASCII at `at`. Returns the position after it. Fast for times of the same minute. */
export function writeInstant(us: number, into: DataView, at: number): number {
  if (!(us >= lastMinuteUs[0] && us - lastMinuteUs[0] < minuteUs)) enterMinute(us);
  const inMinute = (us - lastMinuteUs[0]) | 0;
  const second = (inMinute / 1_000_000) | 0;
  into.setInt32(at, minuteWords[0], true);
  into.setInt32(at + 4, minuteWords[1], true);
  into.setInt32(at + 7, minuteWords[2], true);
  into.setInt32(at + 11, minuteWords[3], true);
  into.setInt32(at + 14, minuteWords[4], true);
  into.setInt16(at + 17, pairBytes[second], true);
  const fraction = inMinute - second * 1_000_000;
  const end = fraction === 0 ? at + 19 : writeFraction(fraction, into, at + 19);
  into.setInt8(end, 0x5a);
  return end + 1;
}

/** The last minute that was written. In arrays, since variables outside of a function cost as much as all the rest. */
const lastMinuteUs = Float64Array.of(Number.NaN);
/** `YYYY-MM-DDTHH:MM:` of it, in overlapping numbers of four bytes. */
const minuteWords = new Int32Array(5);

function enterMinute(us: number): void {
  if (!(us >= lastDayUs && us - lastDayUs < dayUs)) enterDay(us);
  const minute = Math.floor((us - lastDayUs) / minuteUs);
  const hour = (minute / 60) | 0;
  lastMinuteUs[0] = lastDayUs + minute * minuteUs;
  minuteWords[3] = pairColonBytes[hour];
  minuteWords[4] = pairColonBytes[minute - hour * 60];
}

enterDay(0);

function enterDay(us: number): void {
  const day = Math.floor(us / dayUs);
  const { year, month, day: dayOfMonth } = civilFromDays(day);
  lastDayUs = day * dayUs;
  lastMinuteUs[0] = Number.NaN;
  lastDate = `${String(year).padStart(4, '0')}-${pairs[month]}-${pairs[dayOfMonth]}T`;
  minuteWords[0] = code(lastDate.slice(0, 4));
  minuteWords[1] = code(lastDate.slice(4, 8));
  minuteWords[2] = code(lastDate.slice(7));
}

/** 1..999999 µs → its six digits without the zeros at the end. */
function printFraction(us: number): string {
  let digits = us;
  let width = 6;
  while (digits % 10 === 0) {
    digits /= 10;
    width--;
  }
  return String(digits).padStart(width, '0');
}

/** As {@link printFraction}, after a point. Returns the position after it. */
function writeFraction(us: number, into: DataView, at: number): number {
  const high = (us / 10_000) | 0;
  const middle = ((us / 100) | 0) - high * 100;
  const low = us - high * 10_000 - middle * 100;
  into.setInt8(at, 0x2e);
  into.setInt16(at + 1, pairBytes[high], true);
  into.setInt16(at + 3, pairBytes[middle], true);
  into.setInt16(at + 5, pairBytes[low], true);
  let end = at + 7;
  while (into.getInt8(end - 1) === 0x30) end--;
  return end;
}
