/** Data frames as JSON text: the times as RFC 3339 (R3), NaN as null, numbers exactly as `JSON.stringify` writes them. */
import type { Frame } from '#model/frame';
import { instantBytesMax, writeInstant } from '#model/instant-printer';
import { numberBytesMax, writeShortNumber } from '#model/number-printer';
import { bracketEnd, comma, quoteMark } from './bytes.ts';
import { freshBytes } from './fresh-bytes.ts';

/** Bytes that are written before they are passed on: less than a millisecond of work. */
const pieceBytes = 128 * 1024;

/** Rows that are written without looking whether the piece is full. */
const blockRows = 256;

/** What a block may take beyond a full piece: a time with its quotation marks and comma is the longest of cells. */
const blockBytesMax = blockRows * (Math.max(instantBytesMax, numberBytesMax) + 3) + 1;

/** Bytes of which text is passed on as text, which may be joined with what surrounds it. */
const textBytesMax = 8 * 1024;

/** Where pieces are written: all of it is passed on before another frame has its turn. */
const bytes = Buffer.allocUnsafeSlow(pieceBytes + blockBytesMax);
const view = new DataView(bytes.buffer);

/** The text of a frame, `{"times":[…],"series":{…}}`, piece by piece; long pieces are bytes. */
export function* frameText(frame: Frame): Generator<string | Buffer, void, undefined> {
  yield* column('{"times":[', frame.timesUs, writeTimes);
  let separator = ',"series":{';
  for (const [key, values] of frame.series) {
    yield* column(`${separator}${JSON.stringify(key)}:[`, values, writeValues);
    separator = ',';
  }
  yield frame.series.size === 0 ? ',"series":{}}' : '}}';
}

type WriteBlock = (values: Float64Array, from: number, to: number, at: number) => number;

/** Begins with a text, and ends with the bracket after the last cell. */
function* column(
  begin: string,
  values: Float64Array,
  write: WriteBlock,
): Generator<string | Buffer, void, undefined> {
  yield begin;
  let at = 0;
  for (let row = 0; row < values.length; row += blockRows) {
    at = write(values, row, Math.min(values.length, row + blockRows), at);
    if (at < pieceBytes) continue;
    yield freshBytes(Buffer.from(bytes.subarray(0, at)));
    at = 0;
  }
  bytes[at] = bracketEnd;
  if (at < textBytesMax) yield bytes.toString('latin1', 0, at + 1);
  else yield freshBytes(Buffer.from(bytes.subarray(0, at + 1)));
}

function writeTimes(timesUs: Float64Array, from: number, to: number, start: number): number {
  let at = start;
  for (let row = from; row < to; row++) {
    if (row > 0) bytes[at++] = comma;
    bytes[at++] = quoteMark;
    at = writeInstant(timesUs[row], view, at);
    bytes[at++] = quoteMark;
  }
  return at;
}

function writeValues(values: Float64Array, from: number, to: number, start: number): number {
  let at = start;
  for (let row = from; row < to; row++) {
    if (row > 0) bytes[at++] = comma;
    const end = writeShortNumber(values[row], bytes, at);
    if (end === at) return writeLong(values, row, to, at);
    at = end;
  }
  return at;
}

/** All at once: for numbers with many digits the runtime takes less than half of what it takes for one after the other. */
function writeLong(values: Float64Array, from: number, to: number, start: number): number {
  const some: number[] = [];
  for (let row = from; row < to; row++) some.push(values[row]);
  return start + bytes.write(JSON.stringify(some).slice(1, -1), start, 'latin1');
}
