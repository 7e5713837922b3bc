/**
 * A column of values, by what they look like: all the same · few changes · short decimals · anything.
 *
 *     u8 kind, then
 *     constant  f64
 *     runs      varint count of runs · lengths as integers · values of the runs as another column (of no runs)
 *     decimals  u8 exponent · varint exceptions: (varint gap, f64)* · integers
 *     doubles   planes
 *     narrow decimals   as decimals, then rounded to 32-bit floats
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { type Decimals, powerOf, toDecimals } from './decimals.ts';
import { areNarrow, readDoubles, writeDoubles } from './doubles.ts';
import { readExceptions, writeExceptions } from './exceptions.ts';
import { readIntegers, writeIntegers } from './integers.ts';

const constant = 0;
const runs = 1;
const decimals = 2;
const doubles = 3;
const narrowDecimals = 4;

/** Columns in which a value holds this long on average are written as runs. */
const runLengthMin = 8;

/** Writes at least one value, any doubles, bit by bit. */
export function writeValues(out: ByteWriter, values: Float64Array): void {
  const starts = runStarts(values);
  if (starts === null) writeColumn(out, values);
  else if (starts.length > 1) writeRuns(out, values, starts);
  else {
    out.u8(constant);
    out.f64(values[0]);
  }
}

/** Fills `out`. */
export function readValues(from: ByteReader, out: Float64Array): void {
  const kind = from.u8();
  if (kind === constant) out.fill(from.f64());
  else if (kind === runs) readRuns(from, out);
  else readColumn(from, kind, out);
}

/** Where each run of equal bits begins, or null when there are too many of them. */
function runStarts(values: Float64Array): Float64Array | null {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  const countMax = Math.max(1, Math.floor(values.length / runLengthMin));
  const starts = [0];
  const { length } = words;
  for (let i = 2; i < length; i += 2) {
    if (words[i] === words[i - 2] && words[i + 1] === words[i - 1]) continue;
    if (starts.length === countMax) return null;
    starts.push(i / 2);
  }
  return Float64Array.from(starts);
}

function writeRuns(out: ByteWriter, values: Float64Array, starts: Float64Array): void {
  const lengths = starts.map((start, index) => (starts[index + 1] ?? values.length) - start);
  out.u8(runs);
  out.varint(starts.length);
  writeIntegers(out, lengths);
  writeColumn(
    out,
    starts.map((start) => values[start]),
  );
}

function readRuns(from: ByteReader, out: Float64Array): void {
  const runCount = from.varint();
  if (runCount > out.length) throw new Error('there are more runs than values');
  const lengths = new Float64Array(runCount);
  const values = new Float64Array(runCount);
  readIntegers(from, lengths);
  readColumn(from, from.u8(), values);
  let at = 0;
  for (let i = 0; i < runCount; i++) {
    out.fill(values[i], at, at + lengths[i]);
    at += lengths[i];
  }
  if (at !== out.length) throw new Error('the runs do not add up');
}

function writeColumn(out: ByteWriter, values: Float64Array): void {
  const found = toDecimals(values, false);
  if (found !== null) {
    writeDecimals(out, decimals, values, found);
    return;
  }
  const narrow = areNarrow(values) ? toDecimals(values, true) : null;
  if (narrow !== null) writeDecimals(out, narrowDecimals, values, narrow);
  else {
    out.u8(doubles);
    writeDoubles(out, values);
  }
}

function writeDecimals(out: ByteWriter, kind: number, values: Float64Array, found: Decimals): void {
  const { exponent, exceptions, integers } = found;
  out.u8(kind);
  out.u8(exponent);
  const originals = exceptions.map((index): [number, number] => [index, values[index]]);
  writeExceptions(out, originals, (value) => out.f64(value));
  writeIntegers(out, integers);
}

function readColumn(from: ByteReader, kind: number, out: Float64Array): void {
  if (kind === doubles) {
    readDoubles(from, out);
    return;
  }
  if (kind !== decimals && kind !== narrowDecimals) throw new Error(`unknown kind of values ${kind}`);
  const power = powerOf(from.u8());
  const exceptions = readExceptions(from, out.length, () => from.f64());
  readIntegers(from, out, power);
  if (kind === narrowDecimals) for (let i = 0; i < out.length; i++) out[i] = Math.fround(out[i]);
  for (const [index, value] of exceptions) out[index] = value;
}
