/** Batches of points as records of a file: a header with the length, the number of points and a checksum, then the content. */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { countPoints, type PointColumn, type Points } from './points.ts';

/** Bytes of a record in front of its content: length, points, checksum. */
export const headerBytes = 16;

/** The first eight bytes of SHA-256: a record that was torn or changed is recognised. */
function checksum(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest().subarray(0, 8);
}

/** The record of a batch. Its content is compressed: keys and counts as JSON on one line, then times and values as doubles. */
export function encodeRecord(points: Points): Buffer {
  const head = JSON.stringify([...points].map(([key, { timesUs }]) => [key, timesUs.length]));
  const parts: Uint8Array[] = [Buffer.from(`${head}\n`)];
  for (const { timesUs, values } of points.values()) parts.push(bytesOf(timesUs), bytesOf(values));
  const content = deflateRawSync(Buffer.concat(parts), { level: 1 });
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(content.length, 0);
  header.writeUInt32LE(countPoints(points), 4);
  checksum(content).copy(header, 8);
  return Buffer.concat([header, content]);
}

function bytesOf(values: Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** A record in a file. */
export interface FoundRecord {
  /** Where the next one begins. */
  end: number;
  /** The number of its points. */
  points: number;
}

/** Looks at the record at an offset; null where no whole, undamaged one is. */
export function findRecord(file: Buffer, at: number): FoundRecord | null {
  if (at + headerBytes > file.length) return null;
  const end = at + headerBytes + file.readUInt32LE(at);
  if (end > file.length) return null;
  const sum = checksum(file.subarray(at + headerBytes, end));
  if (!sum.equals(file.subarray(at + 8, at + 16))) return null;
  return { end, points: file.readUInt32LE(at + 4) };
}

/** The points of the record at an offset, which {@link findRecord} has found. */
export function decodeRecord(file: Buffer, at: number, end: number): Points {
  const content = inflateRawSync(file.subarray(at + headerBytes, end));
  const line = content.indexOf(10);
  const head: [string, number][] = JSON.parse(content.toString('utf8', 0, line));
  let from = line + 1;
  const columns = head.map(([key, count]): [string, PointColumn] => {
    const timesUs = doublesOf(content, from, count);
    const values = doublesOf(content, from + count * 8, count);
    from += count * 16;
    return [key, { timesUs, values }];
  });
  return new Map(columns);
}

/** A copy: doubles in a file need not be aligned. */
function doublesOf(content: Buffer, from: number, count: number): Float64Array {
  return new Float64Array(Uint8Array.from(content.subarray(from, from + count * 8)).buffer);
}
