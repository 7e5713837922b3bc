/**
 * A column of times: a constant step costs nothing; else they are counted in the largest unit that divides all steps, and
 * written as distances from one another or from a straight line (a sensor that is read every minute, more or less).
 *
 *     u8 kind, then   regular  integer first · integer step
 *                    counted  integer first · integer unit · integers, the distances from the first in units
 *                    raw      planes of doubles
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { readDoubles, writeDoubles } from './doubles.ts';
import { integerRangeMax, readIntegers, writeIntegers } from './integers.ts';
import { Scratch } from './scratch.ts';

const regular = 0;
const counted = 1;
const raw = 2;

const countMemory = new Scratch();

/** Writes at least one time: strictly ascending, whole µs within ±2^53. */
export function writeTimes(out: ByteWriter, timesUs: Float64Array): void {
  const rangeUs = timesUs[timesUs.length - 1] - timesUs[0];
  if (rangeUs > integerRangeMax) {
    out.u8(raw);
    writeDoubles(out, timesUs);
    return;
  }
  const unit = commonUnit(timesUs);
  const isRegular = unit * (timesUs.length - 1) === rangeUs;
  out.u8(isRegular ? regular : counted);
  out.integer(timesUs[0]);
  out.integer(unit);
  if (!isRegular) writeCounts(out, timesUs, unit);
}

function writeCounts(out: ByteWriter, timesUs: Float64Array, unit: number): void {
  const { length, 0: firstUs } = timesUs;
  const counts = countMemory.take(length);
  for (let i = 0; i < length; i++) counts[i] = (timesUs[i] - firstUs) / unit;
  writeIntegers(out, counts, true);
}

/** Times at a constant step. */
export interface RegularTimes {
  firstUs: number;
  /** 0 when there is only one. */
  stepUs: number;
}

/** Fills `out`; regular times are only described, and `out` is left as it is. */
export function readTimes(from: ByteReader, out: Float64Array): RegularTimes | null {
  const kind = from.u8();
  if (kind > raw) throw new Error(`unknown kind of times ${kind}`);
  if (kind === raw) {
    readDoubles(from, out);
    return null;
  }
  const first = from.integer();
  const unit = from.integer();
  if (kind === regular) return { firstUs: first, stepUs: unit };
  readIntegers(from, out);
  const { length } = out;
  for (let i = 0; i < length; i++) out[i] = first + out[i] * unit;
  return null;
}

/** Fills `out` with regular times. */
export function writeOut({ firstUs, stepUs }: RegularTimes, out: Float64Array): void {
  const { length } = out;
  for (let i = 0; i < length; i++) out[i] = firstUs + i * stepUs;
}

/** Whether all steps are the same. */
export function isRegular(timesUs: Float64Array): boolean {
  const { length } = timesUs;
  const step = timesUs[1] - timesUs[0];
  for (let i = 2; i < length; i++) if (timesUs[i] - timesUs[i - 1] !== step) return false;
  return true;
}

/** The greatest common divisor of all steps; when every step is the same, that step. 0 for one time. */
function commonUnit(timesUs: Float64Array): number {
  const { length } = timesUs;
  let unit = length > 1 ? timesUs[1] - timesUs[0] : 0;
  for (let i = 2; i < length && unit > 1; i++) {
    const step = timesUs[i] - timesUs[i - 1];
    if (step !== unit) unit = divisor(step, unit);
  }
  return unit;
}

function divisor(a: number, b: number): number {
  let larger = a;
  let smaller = b;
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
