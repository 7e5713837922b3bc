/**
 * Non-negative integers as bits: a width that suits most of them, the others as exceptions. The lower bits of measurements
 * are noise and are packed as they are; the upper eight are worth an entropy coder, where it saves enough.
 *
 *     u8 width · u8 form · varint exceptions · exceptions: (varint gap, varint value)* · payload
 *     form 0: all `width` bits packed    form 1: lower bits packed, then a plane of upper bytes    form 2: the plane as zstd
 */
import { addUnpacked, pack, packedBytes, unpack } from './bits.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { type Exceptions, readExceptions, writeExceptions } from './exceptions.ts';
import { expand, squeeze } from './zstd.ts';

const packed = 0;
const planed = 1;
const squeezed = 2;

/** Bits of an integer below 2^53. */
export function bitLength(value: number): number {
  return value < 4294967296 ? 32 - Math.clz32(value) : 64 - Math.clz32(value / 4294967296);
}

/** Counts of integers by the bits that they need, all 0. */
export function newLengths(): Uint32Array {
  return new Uint32Array(54);
}

/** Bits that integers would take, by how many need how many bits. */
export function bitsOf(lengths: Uint32Array): number {
  return bestWidth(lengths).bits;
}

/** Writes integers below 2^53. Changes `small`. */
export function writeSmall(out: ByteWriter, small: Float64Array): void {
  const lengths = countLengths(small);
  const { width, widest } = bestWidth(lengths);
  const exceptions = widest > width ? takeExceptions(small, width) : [];
  const upper = upperPlane(small, width);
  const plane = squeeze(upper, packedBytes(small.length, Math.min(width, 8)));
  const form = plane !== null ? squeezed : width <= 32 ? packed : planed;
  out.u8(width);
  out.u8(form);
  writeExceptions(out, exceptions, (value) => out.varint(value));
  if (form === packed) {
    out.bytes(pack(new Uint32Array(small), width));
    return;
  }
  if (width > 8) writeLower(out, small, width - 8);
  if (plane !== null) out.varint(plane.length);
  out.bytes(plane ?? upper);
}

/** Fills `out` and returns null; or, if the integers are stored as plain bytes, returns those and leaves `out` unchanged. */
export function readSmall(from: ByteReader, out: Float64Array): Uint8Array | null {
  const width = from.u8();
  const form = from.u8();
  if (width > 53 || form > squeezed || (form === packed && width > 32))
    throw new Error('a width is impossible');
  const exceptions = readExceptions(from, out.length, () => from.varint());
  if (form === packed) unpack(from.bytes(packedBytes(out.length, width)), width, out);
  else {
    if (width > 8) readLower(from, width - 8, out);
    const plane = form === squeezed ? expand(from.bytes(from.varint()), out.length) : from.bytes(out.length);
    if (width <= 8 && exceptions.length === 0) return plane;
    if (width > 8) addPlane(plane, 2 ** (width - 8), out);
    else out.set(plane);
  }
  for (const [index, value] of exceptions) out[index] = value;
  return null;
}

function countLengths(small: Float64Array): Uint32Array {
  const { length } = small;
  const lengths = newLengths();
  for (let i = 0; i < length; i++) lengths[bitLength(small[i])]++;
  return lengths;
}

/** An exception costs about its bits, a byte or two for its place, and what rounding up takes. */
const exceptionBits = 18;

/** The cheapest width, what it takes in all, and the width of the widest. */
function bestWidth(lengths: Uint32Array): { width: number; bits: number; widest: number } {
  let count = 0;
  let widest = 0;
  for (let length = 0; length < lengths.length; length++) {
    if (lengths[length] === 0) continue;
    count += lengths[length];
    widest = length;
  }
  let width = widest;
  let bits = count * widest;
  let exceptions = 0;
  for (let narrower = widest - 1; narrower >= 0 && exceptions < bits; narrower--) {
    exceptions += lengths[narrower + 1] * (narrower + 1 + exceptionBits);
    if (count * narrower + exceptions >= bits) continue;
    bits = count * narrower + exceptions;
    width = narrower;
  }
  return { width, bits, widest };
}

function takeExceptions(small: Float64Array, width: number): Exceptions {
  const { length } = small;
  const limit = 2 ** width;
  const exceptions: Exceptions = [];
  for (let i = 0; i < length; i++) {
    if (small[i] < limit) continue;
    exceptions.push([i, small[i]]);
    small[i] = 0;
  }
  return exceptions;
}

function upperPlane(small: Float64Array, width: number): Uint8Array {
  const { length } = small;
  const plane = new Uint8Array(length);
  const scale = 2 ** Math.max(0, width - 8);
  if (scale === 1) for (let i = 0; i < length; i++) plane[i] = small[i];
  else for (let i = 0; i < length; i++) plane[i] = Math.floor(small[i] / scale);
  return plane;
}

/** Bits of the first of two layers in which more than 32 lower bits are written. */
const layerBits = 26;

function writeLower(out: ByteWriter, small: Float64Array, width: number): void {
  if (width > 32) {
    out.bytes(pack(layer(small, 1, layerBits), layerBits));
    out.bytes(pack(layer(small, 2 ** layerBits, width - layerBits), width - layerBits));
  } else out.bytes(pack(layer(small, 1, width), width));
}

/** The `width` bits of each value above `scale`, a power of two. */
function layer(small: Float64Array, scale: number, width: number): Uint32Array {
  const { length } = small;
  const bits = new Uint32Array(length);
  const limit = 2 ** width;
  for (let i = 0; i < length; i++) {
    const scaled = Math.floor(small[i] / scale);
    bits[i] = scaled - Math.floor(scaled / limit) * limit;
  }
  return bits;
}

function readLower(from: ByteReader, width: number, out: Float64Array): void {
  const { length } = out;
  const firstWidth = width > 32 ? layerBits : width;
  unpack(from.bytes(packedBytes(length, firstWidth)), firstWidth, out);
  if (width === firstWidth) return;
  const secondWidth = width - layerBits;
  addUnpacked(from.bytes(packedBytes(length, secondWidth)), secondWidth, 2 ** layerBits, out);
}

function addPlane(plane: Uint8Array, scale: number, out: Float64Array): void {
  const { length } = out;
  for (let i = 0; i < length; i++) out[i] += plane[i] * scale;
}
