/**
 * Times that several blocks share: a column is stored once, and blocks refer to parts of it.
 *
 *     column            0 u8 version (1) · 1 u32 CRC-32 of all other bytes · 5 varint ID · varint count · times (times.ts)
 *     times of a block  those of times.ts, or
 *                       u8 3 · varint number of columns · varint their IDs, each less the one before it · parts:
 *     part              varint 2 · length · integer step in the list of columns · varint offset, after the last part of
 *                       the same column if the step is 0
 *                       varint 2 · length + 1 · times of the block's own (times.ts)
 */
import { ByteReader, ByteWriter } from './bytes.ts';
import { StoredDamage } from './damage.ts';
import { beginSealed, finishSealed, headerBytes, headerProblem } from './sealed-bytes.ts';
import type { TimeColumn, TimesPart } from './time-parts.ts';
import { isRegular, type RegularTimes, readTimes, writeOut, writeTimes } from './times.ts';

/** Times of one column at most: a reader decodes all of them for a block that needs a few. */
export const columnTimesMax = 2048;

const version = 1;

/** The kind of times that are parts of columns; others are those of times.ts. */
const shared = 3;

/** Where the times of columns come from, by ID. Fails with a {@link StoredDamage} when a column is missing or damaged. */
export type TimesOf = (id: number) => Float64Array;

/** Parts that are longer than this on average are written as such, without comparing what the times alone would take. */
const longPart = 32;

/** Encodes a column. */
export function encodeColumn({ id, timesUs }: TimeColumn): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter();
  beginSealed(out);
  out.varint(id);
  out.varint(timesUs.length);
  writeTimes(out, timesUs);
  return finishSealed(out, version);
}

/** Decodes a column. Fails with a {@link StoredDamage} when a single bit differs, or when it is another column. */
export function decodeColumn(bytes: Uint8Array, id: number): Float64Array {
  const problem = headerProblem(bytes, version);
  if (problem !== null) throw damagedColumn(id, problem);
  try {
    return readColumn(new ByteReader(bytes.subarray(headerBytes)), id);
  } catch (error) {
    throw damagedColumn(id, error instanceof Error ? error.message : String(error));
  }
}

function readColumn(from: ByteReader, id: number): Float64Array {
  const stored = from.varint();
  if (stored !== id) throw new Error(`it is column ${stored}`);
  const count = from.varint();
  if (count < 1 || count > columnTimesMax) throw new Error(`its count is ${count}`);
  const timesUs = new Float64Array(count);
  const regular = readTimes(from, timesUs);
  if (regular !== null) writeOut(regular, timesUs);
  if (from.left > 0) throw new Error(`${from.left} bytes are left over`);
  return timesUs;
}

/** The error for a column that cannot be used. */
export function damagedColumn(id: number, what: string): StoredDamage {
  return new StoredDamage(`time column ${id} is damaged: ${what}`);
}

/** Writes the times of a block: as parts of columns where that takes fewer bytes. */
export function writeBlockTimes(
  out: ByteWriter,
  timesUs: Float64Array,
  parts: readonly TimesPart[] | null,
): void {
  if (parts?.some(({ column }) => column !== null) !== true || isRegular(timesUs)) {
    writeTimes(out, timesUs);
    return;
  }
  const referring = new ByteWriter();
  writeParts(referring, timesUs, parts);
  if (parts.length * longPart > timesUs.length) {
    const own = new ByteWriter();
    writeTimes(own, timesUs);
    out.bytes((own.length <= referring.length ? own : referring).finish());
  } else out.bytes(referring.finish());
}

function writeParts(out: ByteWriter, timesUs: Float64Array, parts: readonly TimesPart[]): void {
  const ids = [...new Set(parts.flatMap(({ column }) => column?.id ?? []))].sort((a, b) => a - b);
  out.u8(shared);
  out.varint(ids.length);
  for (const [i, id] of ids.entries()) out.varint(id - (ids[i - 1] ?? 0));
  const places = new Map(ids.map((id, place) => [id, place]));
  let [at, place, end] = [0, 0, 0];
  for (const { column, offset, length } of parts) {
    out.varint(2 * length + (column === null ? 1 : 0));
    if (column === null) writeTimes(out, timesUs.subarray(at, at + length));
    else {
      const step = places.get(column.id)! - place;
      out.integer(step);
      out.varint(step === 0 ? offset - end : offset);
      place += step;
      end = offset + length;
    }
    at += length;
  }
}

/** The IDs of the columns to which the times of a block refer, which come first; null when it has all times itself. */
export function readColumnIds(from: ByteReader): number[] | null {
  if (from.peek() !== shared) return null;
  from.u8();
  const count = from.varint();
  if (count > from.left) throw new Error(`it refers to ${count} time columns`);
  const ids: number[] = [];
  for (let i = 0; i < count; i++) ids.push((ids[i - 1] ?? 0) + from.varint());
  return ids;
}

/** Fills `out` with the times of a block, after {@link readColumnIds}; regular times are only described. */
export function readBlockTimes(
  from: ByteReader,
  out: Float64Array,
  columns: readonly Float64Array[] | null,
): RegularTimes | null {
  if (columns === null) return readTimes(from, out);
  readParts(from, out, columns);
  return null;
}

function readParts(from: ByteReader, out: Float64Array, columns: readonly Float64Array[]): void {
  let [at, place, end] = [0, 0, 0];
  while (at < out.length) {
    const coded = from.varint();
    const length = Math.floor(coded / 2);
    if (length < 1 || length > out.length - at) throw new Error('a part of its times has a wrong length');
    const part = out.subarray(at, at + length);
    if (coded % 2 === 1) readOwn(from, part);
    else {
      const step = from.integer();
      place += step;
      const offset = from.varint() + (step === 0 ? end : 0);
      end = offset + length;
      if (columns[place] === undefined || end > columns[place].length)
        throw new Error('a part of its times lies outside of its time column');
      part.set(columns[place].subarray(offset, end));
    }
    if (at > 0 && out[at] <= out[at - 1]) throw new Error('its times do not ascend');
    at += length;
  }
}

function readOwn(from: ByteReader, part: Float64Array): void {
  const regular = readTimes(from, part);
  if (regular !== null) writeOut(regular, part);
}
