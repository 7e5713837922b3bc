/** The header of everything that is stored compressed: `0 u8 version · 1 u32 CRC-32 of all other bytes`. */
import { crc32 } from 'node:zlib';
import type { ByteWriter } from './bytes.ts';

/** Bytes of the header. */
export const headerBytes = 5;

/** Begins bytes with room for the header. */
export function beginSealed(out: ByteWriter): void {
  out.bytes(new Uint8Array(headerBytes));
}

/** Returns the written bytes with their header, after {@link beginSealed}. */
export function finishSealed(out: ByteWriter, version: number): Uint8Array<ArrayBuffer> {
  const bytes = out.finish();
  bytes[0] = version;
  new DataView(bytes.buffer).setUint32(1, checksum(bytes), true);
  return bytes;
}

/** What is wrong with a header; null when it and all bytes are as they were written. A damaged row may have another type. */
export function headerProblem(bytes: unknown, version: number): string | null {
  if (!(bytes instanceof Uint8Array)) return 'its row differs';
  if (bytes.length < headerBytes) return 'it is cut';
  if (bytes[0] !== version) return `its version is ${bytes[0]}, known is ${version}`;
  return crcOf(bytes) === checksum(bytes) ? null : 'its checksum differs';
}

/** The checksum in the header. */
export function crcOf(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true);
}

function checksum(bytes: Uint8Array): number {
  return crc32(bytes.subarray(headerBytes), crc32(bytes.subarray(0, 1)));
}
