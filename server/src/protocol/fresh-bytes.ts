/** Bytes of answers that were made for one answer: nothing else uses them, so their memory is freed when they have been written. */

const fresh = new WeakSet<Buffer>();

/** Notes that nothing but the answer uses these bytes. */
export function freshBytes(bytes: Buffer): Buffer {
  fresh.add(bytes);
  return bytes;
}

/** Whether nothing else uses a piece of an answer. */
export function isFresh(bytes: Buffer): boolean {
  return fresh.has(bytes);
}
