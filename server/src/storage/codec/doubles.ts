/**
 * Doubles without a short decimal form: their bytes, transposed into planes (all first bytes, all second bytes …), so that the
 * planes of sign, exponent and leading digits can be compressed. Values that are really 32-bit floats take four planes.
 *
 *     u8 flags (1: each xor the one before · 2: 32-bit floats) · planes: varint length (0: as it is), bytes
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { expand, squeeze } from './zstd.ts';

const xored = 1;
const narrow = 2;

/** Writes any doubles, bit by bit. */
export function writeDoubles(out: ByteWriter, values: Float64Array): void {
  const isNarrow = areNarrow(values);
  const bytes = bytesOf(isNarrow ? new Float32Array(values) : values.slice());
  const width = isNarrow ? 4 : 8;
  const plain = planesOf(bytes, width);
  const changed = planesOf(xorPrevious(bytes, width), width);
  const isXored = entropyBits(changed) < entropyBits(plain);
  out.u8((isXored ? xored : 0) | (isNarrow ? narrow : 0));
  for (const plane of isXored ? changed : plain) writePlane(out, plane);
}

/** Fills `out`. */
export function readDoubles(from: ByteReader, out: Float64Array): void {
  const flags = from.u8();
  if (flags > (xored | narrow)) throw new Error(`flags ${flags} are unknown`);
  const isNarrow = (flags & narrow) !== 0;
  const floats = isNarrow ? new Float32Array(out.length) : out;
  const bytes = bytesOf(floats);
  const width = floats.BYTES_PER_ELEMENT;
  for (let at = 0; at < width; at++) {
    const plane = readPlane(from, out.length);
    const { length } = plane;
    for (let i = 0; i < length; i++) bytes[i * width + at] = plane[i];
  }
  if (flags & xored) undoXor(bytes, width);
  if (isNarrow) out.set(floats);
}

/** Whether all values are 32-bit floats. */
export function areNarrow(values: Float64Array): boolean {
  const { length } = values;
  for (let i = 0; i < length; i++) if (Math.fround(values[i]) !== values[i]) return false;
  return true;
}

function bytesOf(values: Float64Array | Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function planesOf(bytes: Uint8Array, width: number): Uint8Array[] {
  const count = bytes.length / width;
  return Array.from({ length: width }, (_, at) => {
    const plane = new Uint8Array(count);
    for (let i = 0; i < count; i++) plane[i] = bytes[i * width + at];
    return plane;
  });
}

function xorPrevious(bytes: Uint8Array, width: number): Uint8Array {
  const out = bytes.slice();
  const { length } = bytes;
  for (let i = width; i < length; i++) out[i] = bytes[i] ^ bytes[i - width];
  return out;
}

function undoXor(bytes: Uint8Array, width: number): void {
  const { length } = bytes;
  for (let i = width; i < length; i++) bytes[i] ^= bytes[i - width];
}

/** Bits that a coder would need which looks at each byte alone. */
function entropyBits(planes: readonly Uint8Array[]): number {
  let bits = 0;
  for (const plane of planes) {
    const counts = new Uint32Array(256);
    const { length } = plane;
    for (let i = 0; i < length; i++) counts[plane[i]]++;
    for (const count of counts) if (count > 0) bits += count * Math.log2(length / count);
  }
  return bits;
}

function writePlane(out: ByteWriter, plane: Uint8Array): void {
  const squeezed = squeeze(plane, plane.length);
  out.varint(squeezed?.length ?? 0);
  out.bytes(squeezed ?? plane);
}

function readPlane(from: ByteReader, count: number): Uint8Array {
  const length = from.varint();
  return length === 0 ? from.bytes(count) : expand(from.bytes(length), count);
}
