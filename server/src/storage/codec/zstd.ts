/** Entropy coding of byte planes by zstd, where it pays. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Below this size compression does not pay, because of the overhead of the frame in bytes and time. */
const bytesMin = 512;

/** Decoding a compressed plane takes about as long as decoding the other parts of a block, so it has to save a sixteenth. */
const worthwhile = 15 / 16;

/** The bytes compressed, or null where that saves too little against `otherBytes`, what they take in another form. */
export function squeeze(bytes: Uint8Array, otherBytes: number): Uint8Array | null {
  if (bytes.length < bytesMin) return null;
  const squeezed = zstdCompressSync(bytes, options);
  return squeezed.length <= otherBytes * worthwhile ? squeezed : null;
}

/** What {@link squeeze} compressed; must have exactly `length` bytes. */
export function expand(squeezed: Uint8Array, length: number): Uint8Array {
  const bytes = zstdDecompressSync(squeezed, { maxOutputLength: length, chunkSize: Math.max(length, 64) });
  if (bytes.length !== length) throw new Error('a compressed section has the wrong length');
  return bytes;
}
