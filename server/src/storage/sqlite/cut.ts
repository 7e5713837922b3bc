/** Cuts a signal's points into blocks that fill pages of the file. */
import { isDeepStrictEqual } from 'node:util';
import { bug } from '#model/error';
import type { Points } from '#model/frame';
import type { Summary } from '#model/tally';
import { blockPointsMax, decodeBlock, encodeBlock } from '../codec/block.ts';
import { partsWithin, type TimesPart } from '../codec/time-parts.ts';
import { blockScratch } from './block-reader.ts';

/** A block to be stored. */
export interface NewBlock {
  summary: Summary;
  data: Uint8Array<ArrayBuffer>;
}

/**
 * Bytes of a block that fills four pages: 4,056 on a leaf page of the table of blocks, 4,092 on each overflow page. A longer block
 * fills four more, and so on.
 */
const firstBytes = 4056 + 3 * 4092;
const furtherBytes = 4 * 4092;

/** A block takes further pages until it has this many points, so that reads do not have to open too many blocks. */
const pointsMin = 4096;

/** A block that fills this part of its pages counts as full. */
const fullEnough = 0.96;

/** The part of its pages that a block is planned to fill, since the density of points varies. */
const aim = 0.996;

/** Maximum number of attempts at encoding a block that fits. */
const triesMax = 3;

/** Whether a block has its final size; smaller ones are merged as their signal grows. */
export function isFull(bytes: number, count: number): boolean {
  return bytes >= bytesFor(bytes / count) * fullEnough || count >= blockPointsMax * fullEnough;
}

/** The target size in bytes of a block of points of this density. */
function bytesFor(bytesPerPoint: number): number {
  const further = Math.ceil((pointsMin * bytesPerPoint - firstBytes) / furtherBytes);
  return firstBytes + Math.max(0, further) * furtherBytes;
}

/**
 * Cuts points into blocks. `bytesPerPoint` is an initial estimate, which is corrected from block to block. `parts`: where the
 * times are in shared columns, if they are. Each block is read back: fails when one is not what it was made of.
 */
export function cutBlocks(
  points: Points,
  bytesPerPoint: number,
  parts: readonly TimesPart[] | null = null,
): NewBlock[] {
  const blocks: NewBlock[] = [];
  let density = bytesPerPoint;
  for (let from = 0; from < points.timesUs.length; ) {
    const { data, count } = encodeFitting(points, from, density, parts);
    const part = slice(points, from, from + count);
    blocks.push(readBack(data, part, parts));
    density = data.length / count;
    from += count;
  }
  return blocks;
}

/** Memory for the block that is read back, made at first use. */
let scratch: Points | null = null;

/**
 * A block with its summary. Fails when it does not hold these points: they are still in the log, and would be nowhere else once
 * the block is stored.
 */
export function readBack(
  data: NewBlock['data'],
  points: Points,
  parts: readonly TimesPart[] | null,
): NewBlock {
  const timesOf = (id: number) =>
    parts?.find(({ column }) => column?.id === id)?.column?.timesUs ??
    bug(`time column ${id} is not at hand`);
  scratch ??= blockScratch();
  const read = decodeBlock(data, 'that was just made', scratch, timesOf);
  const summary = summarise(read);
  const { timesUs, values } = points;
  const isSame =
    isDeepStrictEqual(bytesOf(read.timesUs), bytesOf(timesUs)) &&
    isDeepStrictEqual(bytesOf(read.values), bytesOf(values)) &&
    Object.is(summary.first, values[0]) &&
    Object.is(summary.last, values[values.length - 1]);
  if (!isSame) bug(`a block of ${values.length} points from ${timesUs[0]} µs differs from them`);
  return { summary, data };
}

function bytesOf({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

interface Encoded {
  data: NewBlock['data'];
  count: number;
}

/** Encodes the first points as a block: the fullest one that fits, found in a few attempts. */
function encodeFitting(
  points: Points,
  from: number,
  guess: number,
  parts: readonly TimesPart[] | null,
): Encoded {
  const left = Math.min(points.timesUs.length - from, blockPointsMax);
  let density = guess;
  let best: Encoded | null = null;
  let last: Encoded | null = null;
  for (let tries = 0; tries < triesMax; tries++) {
    const count = Math.max(1, Math.min(left, Math.floor((bytesFor(density) * aim) / density)));
    const shared = parts === null ? null : partsWithin(parts, from, from + count);
    const data = encodeBlock(slice(points, from, from + count), shared);
    last = { data, count };
    density = data.length / count;
    const available = bytesFor(density);
    if (data.length > available) continue;
    if (best === null || count > best.count) best = last;
    if (count === left || data.length >= available * fullEnough) break;
  }
  return best ?? last ?? bug('a block of no points');
}

function slice({ timesUs, values }: Points, from: number, to: number): Points {
  return { timesUs: timesUs.subarray(from, to), values: values.subarray(from, to) };
}

/** The statistics of a block that are stored in the directory. */
export function summarise({ timesUs, values }: Points): Summary {
  const { length } = values;
  let sum = 0;
  let sumLow = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < length; i++) {
    const value = values[i];
    const total = sum + value;
    const part = total - sum;
    sumLow += sum - (total - part) + (value - part);
    sum = total;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return {
    count: length,
    sum,
    sumLow,
    min,
    max,
    firstUs: timesUs[0],
    first: values[0],
    lastUs: timesUs[length - 1],
    last: values[length - 1],
    m2: squaredDistances(values, (sum + sumLow) / length),
  };
}

/** Sum of the squared distances from the mean, corrected for the rounding of the mean. */
function squaredDistances(values: Float64Array, mean: number): number {
  let squares = 0;
  let sum = 0;
  const { length } = values;
  for (let i = 0; i < length; i++) {
    const distance = values[i] - mean;
    squares += distance * distance;
    sum += distance;
  }
  return squares - (sum * sum) / length;
}
