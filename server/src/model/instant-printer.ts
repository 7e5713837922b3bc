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

const code = (text: string) =>
  [...text].reduce((bytes, character) => (bytes << 8) | character.charCodeAt(0), 0);
/** The two bytes of each pair of digits, and three bytes and a fourth that is overwritten: pair and colon. */
const pairBytes = Int16Array.from(pairs, code);
const pairColonBytes = Int32Array.from(pairs, (pair) => code(`${pair}:\0`));

/** Writes what {@link printInstant} gives as ASCII at `at`. Returns the position after it. */
export function writeInstant(us: number, into: DataView, at: number): number {
  if (!(us >= lastDayUs && us - lastDayUs < dayUs)) enterDay(us);
  const inDay = us - lastDayUs;
  const second = (inDay / 1_000_000) | 0;
  const minute = (second / 60) | 0;
  const hour = (minute / 60) | 0;
  into.setInt32(at, lastYear);
  into.setInt32(at + 4, lastMonth);
  into.setInt32(at + 7, lastDayOfMonth);
  into.setInt32(at + 11, pairColonBytes[hour]);
  into.setInt32(at + 14, pairColonBytes[minute - hour * 60]);
  into.setInt16(at + 17, pairBytes[second - minute * 60]);
  const fraction = inDay - second * 1_000_000;
  const end = fraction === 0 ? at + 19 : writeFraction(fraction, into, at + 19);
  into.setInt8(end, 0x5a);
  return end + 1;
}

/** The date of {@link lastDayUs}, `YYYY-MM-DDT`, in three overlapping numbers of four bytes. */
let lastYear = 0;
let lastMonth = 0;
let lastDayOfMonth = 0;
enterDay(0);

function enterDay(us: number): void {
  const day = Math.floor(us / dayUs);
  const { year, month, day: dayOfMonth } = civilFromDays(day);
  lastDayUs = day * dayUs;
  lastDate = `${String(year).padStart(4, '0')}-${pairs[month]}-${pairs[dayOfMonth]}T`;
  lastYear = code(lastDate.slice(0, 4));
  lastMonth = code(lastDate.slice(4, 8));
  lastDayOfMonth = code(lastDate.slice(7));
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
  into.setInt16(at + 1, pairBytes[high]);
  into.setInt16(at + 3, pairBytes[middle]);
  into.setInt16(at + 5, pairBytes[low]);
  let end = at + 7;
  while (into.getInt8(end - 1) === 0x30) end--;
  return end;
}
