/** Values at single places of a column that its encoding does not fit: varint count, (varint gap, value)*. */
import type { ByteReader, ByteWriter } from './bytes.ts';

/** Index and value, ascending by index. */
export type Exceptions = [index: number, value: number][];

/** Writes exceptions; `put` writes a value. */
export function writeExceptions(
  out: ByteWriter,
  exceptions: Readonly<Exceptions>,
  put: (value: number) => void,
): void {
  out.varint(exceptions.length);
  let next = 0;
  for (const [index, value] of exceptions) {
    out.varint(index - next);
    put(value);
    next = index + 1;
  }
}

/** Reads exceptions of a column of `count` values; `take` reads a value. */
export function readExceptions(from: ByteReader, count: number, take: () => number): Exceptions {
  const exceptions: Exceptions = [];
  let next = 0;
  for (let left = from.varint(); left > 0; left--) {
    const index = next + from.varint();
    if (index >= count) throw new Error('an exception lies outside');
    exceptions.push([index, take()]);
    next = index + 1;
  }
  return exceptions;
}
