/** Memory of bytes that have arrived and are not needed any more. */

/** Smaller memory is left to the garbage collector. */
const freedBytesMin = 8 * 1024;

/**
 * Frees the memory of bytes at once, where nothing else can be in it; they are empty afterwards. The garbage collector counts such
 * memory, but does not know that it is young: after 64 MB that came from sockets it collects the whole heap.
 */
export function freeBytes(bytes: Buffer): void {
  const buffer = bytes.buffer as ArrayBuffer;
  // The runtime puts several short reads of TLS into one buffer, also behind a long one.
  if (bytes.length >= freedBytesMin && bytes.length === buffer.byteLength) buffer.transfer(0);
}
