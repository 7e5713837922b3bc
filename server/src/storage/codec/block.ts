/**
 * A block: the points of one signal in a time range, as bytes that identify their encodings.
 *
 *     0 u8  version (1)
 *     1 u32 CRC-32 of all other bytes
 *     5 varint count · times (times.ts) · values (values.ts)
 */
import { crc32 } from 'node:zlib';
import type { Points } from '#model/frame';
import { ByteReader, ByteWriter } from './bytes.ts';
import { StoredDamage } from './damage.ts';
import { type RegularTimes, readTimes, writeOut, writeTimes } from './times.ts';
import { readValues, writeValues } from './values.ts';

const version = 1;
const headerBytes = 5;

/** Points of one block at most: bounds what a decoder will allocate. */
export const blockPointsMax = 65_536;

/** Writes 1 to {@link blockPointsMax} points: times strictly ascending, values any doubles. */
export function encodeBlock({ timesUs, values }: Points): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter();
  out.bytes(new Uint8Array(headerBytes));
  out.varint(timesUs.length);
  writeTimes(out, timesUs);
  writeValues(out, values);
  const bytes = out.finish();
  bytes[0] = version;
  new DataView(bytes.buffer).setUint32(1, checksum(bytes), true);
  return bytes;
}

/** The points of a block. */
export interface DecodedBlock extends Points {
  /** The times, where they are regular: {@link Points.timesUs} is not filled then. */
  regular: RegularTimes | null;
}

/**
 * Reads a block. Fails with a {@link StoredDamage} that names it (`name`) when a single bit is not as it was written. The points are in new
 * arrays, or at the front of `into`, which must then be of {@link blockPointsMax}.
 */
export function decodeBlock(bytes: Uint8Array, name: string, into: Points | null = null): Points {
  const { regular, timesUs, values } = decodeColumns(bytes, name, into);
  if (regular !== null) writeOut(regular, timesUs);
  return { timesUs, values };
}

/** As {@link decodeBlock}, without writing regular times out, which takes a tenth of the time. */
export function decodeColumns(bytes: Uint8Array, name: string, into: Points | null): DecodedBlock {
  if (bytes.length < headerBytes) throw damaged(name, 'it is cut');
  if (bytes[0] !== version) throw damaged(name, `its version is ${bytes[0]}, known is ${version}`);
  if (crcOf(bytes) !== checksum(bytes)) throw damaged(name, 'its checksum differs');
  try {
    return decode(new ByteReader(bytes.subarray(headerBytes)), into);
  } catch (error) {
    throw damaged(name, error instanceof Error ? error.message : String(error));
  }
}

/** The checksum in a block's header. */
export function crcOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true);
}

function decode(from: ByteReader, into: Points | null): DecodedBlock {
  const count = from.varint();
  if (count < 1 || count > blockPointsMax) throw new Error(`its count is ${count}`);
  const timesUs = into?.timesUs.subarray(0, count) ?? new Float64Array(count);
  const values = into?.values.subarray(0, count) ?? new Float64Array(count);
  const regular = readTimes(from, timesUs);
  readValues(from, values);
  if (from.left > 0) throw new Error(`${from.left} bytes are left over`);
  return { regular, timesUs, values };
}

function checksum(bytes: Uint8Array): number {
  return crc32(bytes.subarray(headerBytes), crc32(bytes.subarray(0, 1)));
}

function damaged(name: string, what: string): StoredDamage {
  return new StoredDamage(`block ${name} is damaged: ${what}`);
}
