/**
 * Reads the data frame of a request straight out of its text into columns, where that is sure to mean what JSON.parse
 * and a walk over its arrays would: plain keys, numbers and nulls, times, all arrays of one length. Everything else is
 * left to that way, which also words the errors; this one only ever says "not for me". It takes half the time.
 */
import { Columns } from '#model/frame';
import { parseInstant, parseInstantAt } from '#model/instant';
import { KeyMemory } from './key-memory.ts';
import { NumberScanner, skipSpace } from './number-scanner.ts';

/** A frame and the place of its literal, braces included. */
export interface FrameLiteral {
  start: number;
  end: number;
  columns: Columns;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const bracket = 0x5b;
const bracketEnd = 0x5d;
const brace = 0x7b;
const braceEnd = 0x7d;

const keys = new KeyMemory();
const numbers = new NumberScanner();
let times = new Float64Array(1024);

/** The frame of the first member `"data"` that holds one: `{"times": […], "series": {…}}` in this order. Null: not for me. */
export function findFrame(bytes: Buffer): FrameLiteral | null {
  const name = bytes.indexOf('"data"');
  if (name < 0) return null;
  const start = openMember(bytes, name + 6, brace);
  if (start < 0) return null;
  const timesAt = openNamed(bytes, start + 1, '"times"', bracket);
  if (timesAt < 0) return null;
  const timesEnd = scanTimes(bytes, timesAt + 1);
  if (timesEnd < 0) return null;
  const between = skipSpace(bytes, timesEnd);
  if (bytes[between] !== comma) return null;
  const seriesAt = openNamed(bytes, between + 1, '"series"', brace);
  return seriesAt < 0 ? null : scanSeries(bytes, start, seriesAt + 1);
}

/** The place of `open` after a colon; -1 when something else follows. */
function openMember(bytes: Buffer, from: number, open: number): number {
  const at = skipSpace(bytes, from);
  if (bytes[at] !== colon) return -1;
  const value = skipSpace(bytes, at + 1);
  return bytes[value] === open ? value : -1;
}

function openNamed(bytes: Buffer, from: number, name: string, open: number): number {
  const at = skipSpace(bytes, from);
  return startsWith(bytes, at, name) ? openMember(bytes, at + name.length, open) : -1;
}

function startsWith(bytes: Buffer, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name.charCodeAt(i)) return false;
  return true;
}

/** How many times {@link scanTimes} found, and from quote to quote how long the last one was. */
let timeCount = 0;
let timeLength = 21;

/** Reads times up to the end of their array into `times`; the place behind it, -1 where one is none. */
function scanTimes(bytes: Buffer, from: number): number {
  timeCount = 0;
  let at = skipSpace(bytes, from);
  if (bytes[at] === bracketEnd) return -1; // No rows: rare, and soon read the other way.
  for (;;) {
    const end = scanTime(bytes, at);
    if (end < 0) return -1;
    at = skipSpace(bytes, end);
    const code = bytes[at];
    if (code === bracketEnd) return at + 1;
    if (code !== comma) return -1;
    at = skipSpace(bytes, at + 1);
  }
}

/** Reads one time into `times`; the place behind it, -1 when it is none. */
function scanTime(bytes: Buffer, at: number): number {
  if (timeCount === times.length) times = grown(times, times.length * 2);
  if (bytes[at] === quote) return scanQuotedTime(bytes, at);
  const end = numbers.scan(bytes, at);
  return end >= 0 && addTime(parseInstant(numbers.value)) ? end : -1;
}

/** Mostly it is as long as the one before. A quote or backslash within makes it no time, as does all that RFC 3339 lacks. */
function scanQuotedTime(bytes: Buffer, at: number): number {
  const guess = at + timeLength;
  if (bytes[guess] === quote && addTime(parseInstantAt(bytes, at + 1, guess))) return guess + 1;
  const end = bytes.indexOf(quote, at + 1);
  timeLength = end - at;
  return addTime(parseInstantAt(bytes, at + 1, end)) ? end + 1 : -1;
}

function addTime(timeUs: number): boolean {
  times[timeCount++] = timeUs;
  if (!Number.isNaN(timeUs)) return true;
  timeCount--;
  return false;
}

function scanSeries(bytes: Buffer, start: number, from: number): FrameLiteral | null {
  const timesUs = times.slice(0, timeCount);
  const rowCount = timeCount;
  const reading = keys.begin();
  let values = new Float64Array(0);
  let pointCount = 0;
  let at = skipSpace(bytes, from);
  for (let column = 0; bytes[at] === quote; column++) {
    const keyEnd = reading.next(bytes, at);
    if (keyEnd < 0) return null;
    at = openMember(bytes, keyEnd, bracket);
    if (at < 0) return null;
    const offset = column * rowCount;
    if (offset + rowCount > values.length) {
      // No more than the rest of the text can hold: a value and what parts it from the next take two characters.
      const columnsMax = column + 1 + Math.floor((bytes.length - at) / (2 * rowCount));
      const columns = Math.min(Math.max(reading.expected, column * 2, 1), columnsMax);
      values = grown(values, columns * rowCount);
    }
    at = numbers.scanColumn(bytes, at + 1, values, offset, offset + rowCount);
    if (at < 0) return null;
    pointCount += numbers.pointCount;
    at = skipSpace(bytes, at);
    if (bytes[at] !== comma) break;
    at = skipSpace(bytes, at + 1);
    if (bytes[at] !== quote) return null;
  }
  if (bytes[at] !== braceEnd) return null;
  const end = skipSpace(bytes, at + 1);
  if (bytes[end] !== braceEnd) return null;
  const found = reading.finish();
  if (found === null) return null;
  const columns = new Columns(timesUs, found, values.subarray(0, found.length * rowCount), pointCount);
  return { start, end: end + 1, columns };
}

function grown(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(length);
  longer.set(array);
  return longer;
}
