/** Data frames as JSON text: the times as RFC 3339 (R3), NaN as null, numbers exactly as `JSON.stringify` writes them. */
import type { Frame } from '#model/frame';
import { instantBytesMax, writeInstant } from '#model/instant-printer';
import { comma, quoteMark } from './json-bytes.ts';

/** Rows that are serialised at once: about 32 KiB, a millisecond. */
const blockRows = 2048;

/** The text of a frame, `{"times":[…],"series":{…}}`, piece by piece. */
export function* frameText(frame: Frame): Generator<string, void, undefined> {
  yield '{"times":[';
  yield* blocks(frame.timesUs, timesText);
  yield '],"series":{';
  let separator = '';
  for (const [key, values] of frame.series) {
    yield `${separator}${JSON.stringify(key)}:[`;
    yield* blocks(values, valuesText);
    yield ']';
    separator = ',';
  }
  yield '}}';
}

function* blocks(
  column: Float64Array,
  print: (block: Float64Array) => string,
): Generator<string, void, undefined> {
  for (let start = 0; start < column.length; start += blockRows) {
    if (start > 0) yield ',';
    yield print(column.subarray(start, start + blockRows));
  }
}

/** A copy as a plain array costs little, and `JSON.stringify` is the fastest printer of numbers there is. */
function valuesText(values: Float64Array): string {
  return JSON.stringify(Array.from(values)).slice(1, -1);
}

const bytes = Buffer.allocUnsafeSlow(blockRows * (instantBytesMax + 3));
const view = new DataView(bytes.buffer);

function timesText(timesUs: Float64Array): string {
  let at = 0;
  for (let row = 0; row < timesUs.length; row++) {
    if (row > 0) bytes[at++] = comma;
    bytes[at++] = quoteMark;
    at = writeInstant(timesUs[row], view, at);
    bytes[at++] = quoteMark;
  }
  return bytes.toString('latin1', 0, at);
}
