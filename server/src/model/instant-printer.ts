/** Formatting of timestamps (R3): microseconds → RFC 3339 in UTC, a fraction only when it is not zero. */
import { civilFromDays } from './civil.ts';

const dayUs = 86_400_000_000;
const pairs = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
/** `HH:MM` for each minute of the day. */
const minutesOfDay = Array.from({ length: 1440 }, (_, n) => `${pairs[Math.floor(n / 60)]}:${pairs[n % 60]}:`);

let lastDay = 0;
let lastDate = '1970-01-01T';

/** Writes an integer of microseconds within ±2^53: `2024-01-31T12:00:00Z`, `1969-12-31T23:59:59.5Z`. Fast for consecutive times of the same day. */
export function printInstant(us: number): string {
  const day = Math.floor(us / dayUs);
  if (day !== lastDay) enterDay(day);
  const inDay = us - day * dayUs;
  const second = Math.floor(inDay / 1_000_000);
  const fraction = inDay - second * 1_000_000;
  const minute = (second / 60) | 0;
  const text = lastDate + minutesOfDay[minute] + pairs[second - minute * 60];
  return fraction === 0 ? `${text}Z` : `${text}.${printFraction(fraction)}Z`;
}

/** Writes many timestamps; fast when they ascend, as in a frame. */
export function printInstants(timesUs: Float64Array): string[] {
  const texts = new Array<string>(timesUs.length);
  for (let i = 0; i < timesUs.length; i++) texts[i] = printInstant(timesUs[i]);
  return texts;
}

/** Maximum number of bytes that {@link writeInstant} writes. */
export const instantBytesMax = 27;

/** Writes what {@link printInstant} gives as ASCII into `bytes` at `at`. Returns the position after it. */
export function writeInstant(us: number, bytes: Uint8Array, at: number): number {
  const day = Math.floor(us / dayUs);
  if (day !== lastDay) enterDay(day);
  const inDay = us - day * dayUs;
  const second = Math.floor(inDay / 1_000_000);
  const fraction = inDay - second * 1_000_000;
  for (let i = 0; i < 11; i++) bytes[at + i] = lastDateBytes[i];
  writeTime(second, bytes, at + 11);
  let end = at + 19;
  if (fraction !== 0) end = writeFraction(fraction, bytes, end);
  bytes[end] = 0x5a;
  return end + 1;
}

const lastDateBytes = new Uint8Array(11);
enterDay(0);

function enterDay(day: number): void {
  const { year, month, day: dayOfMonth } = civilFromDays(day);
  lastDay = day;
  lastDate = `${String(year).padStart(4, '0')}-${pairs[month]}-${pairs[dayOfMonth]}T`;
  for (let i = 0; i < 11; i++) lastDateBytes[i] = lastDate.charCodeAt(i);
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

function writeTime(second: number, bytes: Uint8Array, at: number): void {
  const hour = (second / 3600) | 0;
  const minute = ((second / 60) | 0) - hour * 60;
  writePair(hour, bytes, at);
  bytes[at + 2] = 0x3a;
  writePair(minute, bytes, at + 3);
  bytes[at + 5] = 0x3a;
  writePair(second - hour * 3600 - minute * 60, bytes, at + 6);
}

function writePair(value: number, bytes: Uint8Array, at: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = 48 + tens;
  bytes[at + 1] = 48 + value - tens * 10;
}

function writeFraction(us: number, bytes: Uint8Array, at: number): number {
  bytes[at] = 0x2e;
  let rest = us;
  let end = at + 1;
  for (let unit = 100_000; rest > 0; unit /= 10) {
    const digit = (rest / unit) | 0;
    bytes[end++] = 48 + digit;
    rest -= digit * unit;
  }
  return end;
}
