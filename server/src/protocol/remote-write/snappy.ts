/** Snappy's block format, with the output bounded before anything is written. */
import { createRequire } from 'node:module';
import type { Steps } from '#model/steps';

/** The package has no types. */
const { uncompress } = createRequire(import.meta.url)('snappyjs') as {
  uncompress(compressed: Uint8Array, bytesMax: number): Uint8Array;
};

/** What the header of a block says of its size after decompression, bytes; null when no block of this length can have it. */
export function announcedBytes(block: Uint8Array): number | null {
  const { bytes } = readHeader(block) ?? {};
  return bytes === undefined || block.length > compressedBytesMax(bytes) ? null : bytes;
}

/** Compressors write no more for so many bytes: literals as long as possible. */
function compressedBytesMax(bytes: number): number {
  return 32 + bytes + Math.floor(bytes / 6);
}

function readHeader(block: Uint8Array): { bytes: number; length: number } | null {
  let bytes = 0;
  for (let at = 0; at < 5; at++) {
    const byte = block[at];
    if (byte === undefined) return null;
    bytes += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { bytes, length: at + 1 };
  }
  return null;
}

/** Elements of a block between two yields, and their work: about 4 ns each. */
const elementsPerStep = 50_000;
const stepWork = 2e5;

/** Whether the elements of a block make up the size in its header, in steps: the library would go on copying beyond it. */
export function* isComplete(block: Uint8Array): Steps<boolean> {
  const header = readHeader(block);
  if (header === null) return false;
  let at = header.length;
  let bytes = 0;
  for (let element = 1; at < block.length && bytes <= header.bytes; element++) {
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
    if (element % elementsPerStep === 0) yield stepWork;
  }
  return at === block.length && bytes === header.bytes;
}

/** Decompresses a block of this size ({@link announcedBytes}), which is complete ({@link isComplete}); null when it is not valid. */
export function decompress(block: Buffer, bytes: number): Buffer | null {
  try {
    const plain = uncompress(new Uint8Array(block.buffer, block.byteOffset, block.length), bytes);
    return Buffer.from(plain.buffer, plain.byteOffset, plain.length);
  } catch {
    return null;
  }
}
