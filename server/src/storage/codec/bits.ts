/** Integers of a fixed number of bits, behind one another, in 32-bit words. */

/** Bytes that `count` integers of `width` bits take. */
export function packedBytes(count: number, width: number): number {
  return Math.ceil((count * width) / 32) * 4;
}

/** Packs the low `width` (0-32) bits of each value. */
export function pack(values: Uint32Array, width: number): Uint8Array {
  const words = new Uint32Array(packedBytes(values.length, width) / 4);
  if (width === 32) words.set(values);
  if (width === 0 || width === 32) return new Uint8Array(words.buffer);
  const mask = 2 ** width - 1;
  for (let i = 0, bit = 0; i < values.length; i++, bit += width) {
    const value = values[i] & mask;
    const word = bit >>> 5;
    const offset = bit & 31;
    words[word] |= value << offset;
    if (offset + width > 32) words[word + 1] |= value >>> (32 - offset);
  }
  return new Uint8Array(words.buffer);
}

/** What {@link pack} packed. `bytes` must have {@link packedBytes}. */
export function unpack(bytes: Uint8Array, count: number, width: number): Uint32Array {
  const values = new Uint32Array(count);
  if (width === 0) return values;
  const words = wordsOf(bytes);
  if (width === 32) {
    values.set(words);
    return values;
  }
  const mask = 2 ** width - 1;
  for (let i = 0, bit = 0; i < count; i++, bit += width) {
    const word = bit >>> 5;
    const offset = bit & 31;
    let value = words[word] >>> offset;
    if (offset + width > 32) value |= words[word + 1] << (32 - offset);
    values[i] = value & mask;
  }
  return values;
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, bytes.length / 4);
}
