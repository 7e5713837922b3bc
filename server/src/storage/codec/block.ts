/**
 * A block: the points of one signal in a time range, as bytes that identify their encodings.
 *
 *     version 1 and checksum (sealed-bytes.ts) · varint count · times (block-times.ts) · values (values.ts)
 */
import type { Points } from '#model/frame';
import {
  damagedColumn,
  readBlockTimes,
  readColumnIds,
  type TimesOf,
  writeBlockTimes,
} from './block-times.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { StoredDamage } from './damage.ts';
import { beginSealed, finishSealed, headerBytes, headerProblem } from './sealed-bytes.ts';
import type { TimesPart } from './time-parts.ts';
import { type RegularTimes, writeOut } from './times.ts';
import { readValues, writeValues } from './values.ts';

const version = 1;

/** Points of one block at most: bounds what a decoder will allocate. */
export const blockPointsMax = 65_536;

/**
 * Writes 1 to {@link blockPointsMax} points: times strictly ascending, values any doubles. `parts`: where the times are in
 * shared columns, if they are.
 */
export function encodeBlock(
  { timesUs, values }: Points,
  parts: readonly TimesPart[] | null = null,
): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter();
  beginSealed(out);
  out.varint(timesUs.length);
  writeBlockTimes(out, timesUs, parts);
  writeValues(out, values);
  return finishSealed(out, version);
}

/** The points of a block. */
export interface DecodedBlock extends Points {
  /** The times, where they are regular: {@link Points.timesUs} is not filled then. */
  regular: RegularTimes | null;
  /** The IDs of the shared columns that have some of the times. */
  columns: readonly number[];
}

/**
 * Reads a block. Fails with a {@link StoredDamage} that names it (`name`) when a single bit is not as it was written. The points are in new
 * arrays, or at the front of `into`, which must then be of {@link blockPointsMax}.
 */
export function decodeBlock(
  bytes: Uint8Array,
  name: string,
  into: Points | null = null,
  timesOf: TimesOf = noColumns,
): Points {
  const { regular, timesUs, values } = decodeColumns(bytes, name, into, timesOf);
  if (regular !== null) writeOut(regular, timesUs);
  return { timesUs, values };
}

/** As {@link decodeBlock}, without writing regular times out, which takes a tenth of the time. */
export function decodeColumns(
  bytes: Uint8Array,
  name: string,
  into: Points | null,
  timesOf: TimesOf,
): DecodedBlock {
  const problem = headerProblem(bytes, version);
  if (problem !== null) throw damaged(name, problem);
  const from = new ByteReader(bytes.subarray(headerBytes));
  const { count, ids } = naming(name, () => readStart(from));
  const columns = ids?.map((id) => naming(name, () => timesOf(id), StoredDamage)) ?? null;
  return naming(name, () => {
    const timesUs = into?.timesUs.subarray(0, count) ?? new Float64Array(count);
    const values = into?.values.subarray(0, count) ?? new Float64Array(count);
    const regular = readBlockTimes(from, timesUs, columns);
    readValues(from, values);
    if (from.left > 0) throw new Error(`${from.left} bytes are left over`);
    return { regular, columns: ids ?? [], timesUs, values };
  });
}

function readStart(from: ByteReader): { count: number; ids: number[] | null } {
  const count = from.varint();
  if (count < 1 || count > blockPointsMax) throw new Error(`its count is ${count}`);
  return { count, ids: readColumnIds(from) };
}

/** Runs a part of the decoding; its errors of a kind become ones that name the block. */
function naming<T>(name: string, decode: () => T, kind: new (...args: never[]) => Error = Error): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof kind ? damaged(name, error.message) : error;
  }
}

/** The IDs of the time columns to which a block refers; null when the block is damaged. */
export function columnsIn(bytes: Uint8Array): readonly number[] | null {
  if (headerProblem(bytes, version) !== null) return null;
  return readStart(new ByteReader(bytes.subarray(headerBytes))).ids ?? [];
}

function noColumns(id: number): never {
  throw damagedColumn(id, 'it is not at hand');
}

function damaged(name: string, what: string): StoredDamage {
  return new StoredDamage(`block ${name} is damaged: ${what}`);
}
