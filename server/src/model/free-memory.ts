/** Memory of arrays that are not needed any more. */

/** Smaller memory is left to the garbage collector. */
const freedBytesMin = 8 * 1024;

/**
 * Frees the memory of an array at once, where nothing else can be in it; the array is empty afterwards. The garbage collector counts
 * such memory, but does not always know that it is young: after 64 MB it collects the whole heap.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array | Float64Array): void {
  // The runtime puts several short reads of TLS into one buffer, also behind a long one.
  if (byteLength < freedBytesMin || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
