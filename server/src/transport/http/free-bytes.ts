/** Memory of bytes that have arrived and are not needed any more. */

/** Smaller memory is left to the garbage collector. */
const freedBytesMin = 8 * 1024;

/**
 * Frees the memory of bytes at once, where nothing else is in it; they are empty afterwards. The garbage collector counts such
 * memory, but does not know that it is young: after 64 MB that came from sockets it collects the whole heap.
 */
export function freeBytes(bytes: Buffer): void {
  const buffer = bytes.buffer as ArrayBuffer;
  // Short ones may be in memory that buffers share, which is as large as that of a read of a socket.
  const isOwn = bytes.byteOffset === 0 && bytes.length > Buffer.poolSize / 2;
  if (bytes.length < freedBytesMin || !(isOwn || bytes.length === buffer.byteLength)) return;
  buffer.transfer(0);
}
