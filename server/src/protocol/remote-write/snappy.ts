/** Snappy's block format, with the output bounded before anything is written. */
import { createRequire } from 'node:module';

/** The package has no types. */
const { uncompress } = createRequire(import.meta.url)('snappyjs') as {
  uncompress(compressed: Uint8Array, bytesMax: number): Uint8Array;
};

/**
 * The size of a block after decompression, by its elements and not only by what it says: the library would go on copying. Null when
 * they differ, or when the block is not valid.
 */
export function uncompressedBytes(block: Uint8Array): number | null {
  let at = 0;
  let announced = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = block[at++];
    if (byte === undefined || shift > 28) return null;
    announced += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  let bytes = 0;
  while (at < block.length && bytes <= announced) {
    const tag = block[at++];
    const size = (tag >> 2) + 1;
    const kind = tag & 3;
    if (kind === 0) {
      const extra = size > 60 ? size - 60 : 0;
      let length = extra === 0 ? size : 1;
      for (let i = 0; i < extra; i++) length += (block[at++] ?? 0) * 2 ** (8 * i);
      at += length;
      bytes += length;
    } else {
      at += kind === 3 ? 4 : kind;
      bytes += kind === 1 ? ((tag >> 2) & 7) + 4 : size;
    }
  }
  return at === block.length && bytes === announced ? bytes : null;
}

/** Decompresses a block of this size ({@link uncompressedBytes}); null when it is not valid. */
export function decompress(block: Buffer, bytes: number): Buffer | null {
  try {
    const plain = uncompress(new Uint8Array(block.buffer, block.byteOffset, block.length), bytes);
    return Buffer.from(plain.buffer, plain.byteOffset, plain.length);
  } catch {
    return null;
  }
}
