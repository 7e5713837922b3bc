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
  const { length } = values;
  for (let i = 0, bit = 0; i < length; i++, bit += width) {
    const value = values[i] & mask;
    const word = bit >>> 5;
    const offset = bit & 31;
    words[word] |= value << offset;
    if (offset + width > 32) words[word + 1] |= value >>> (32 - offset);
  }
  return new Uint8Array(words.buffer);
}

/** Fills `out` with what {@link pack} packed. `bytes` must have {@link packedBytes}. */
export function unpack(bytes: Uint8Array, width: number, out: Float64Array): void {
  const words = wordsOf(bytes);
  if (width === 0) out.fill(0);
  else if (width === 32) out.set(words);
  else {
    const mask = 2 ** width - 1;
    const { length } = out;
    for (let i = 0, bit = 0; i < length; i++, bit += width) out[i] = bitsAt(words, bit, width, mask);
  }
}

/** Adds `scale` times what {@link pack} packed, at fewer than 32 bits each. */
export function addUnpacked(bytes: Uint8Array, width: number, scale: number, out: Float64Array): void {
  const words = wordsOf(bytes);
  const mask = 2 ** width - 1;
  const { length } = out;
  for (let i = 0, bit = 0; i < length; i++, bit += width) {
    out[i] += bitsAt(words, bit, width, mask) * scale;
  }
}

function bitsAt(words: Uint32Array, bit: number, width: number, mask: number): number {
  const word = bit >>> 5;
  const offset = bit & 31;
  const low = words[word] >>> offset;
  return (offset + width > 32 ? low | (words[word + 1] << (32 - offset)) : low) & mask;
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, bytes.length / 4);
}
