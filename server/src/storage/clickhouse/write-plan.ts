/** Divides the batches of a group into inserts that ClickHouse takes: bounded in rows and in partitions. */
import { lowerBound } from '#model/lower-bound';
import type { Batch } from '../store.ts';
import {
  type BlockMemory,
  BlockWriter,
  blockRowsMax,
  timeWordsOf,
  type Version,
  versionOf,
} from './native-writer.ts';
import { partitionOf, partitionUs } from './partition.ts';

/** Partitions of one insert at most: ClickHouse refuses more than 100. */
const partitionsMax = 100;

/** A batch and its place in its group. */
export interface PlacedBatch {
  batch: Batch;
  place: number;
}

/** Some rows of a batch, all in one partition. */
interface Slice extends PlacedBatch {
  fromRow: number;
  toRow: number;
  partition: number;
}

/** The slices that one insert of each shard takes. */
export type Cut = readonly Slice[];

/** Cuts a group into inserts, mostly one. */
export function cutGroup(batches: readonly PlacedBatch[], rowsMax: number): Cut[] {
  const slices = batches.flatMap((placed) => slicesOf(placed, rowsMax));
  slices.sort((a, b) => a.partition - b.partition);
  const cuts: Slice[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  let partitions = new Set<number>();
  for (const slice of slices) {
    const count = (slice.toRow - slice.fromRow) * slice.batch.signals.length;
    const isFull = partitions.size === partitionsMax && !partitions.has(slice.partition);
    if (isFull || rows + count > rowsMax) {
      cuts.push([]);
      partitions = new Set();
      rows = 0;
    }
    cuts[cuts.length - 1].push(slice);
    partitions.add(slice.partition);
    rows += count;
  }
  return cuts;
}

function slicesOf({ batch, place }: PlacedBatch, rowsMax: number): Slice[] {
  const { timesUs, signals } = batch;
  const stepMax = Math.max(1, Math.floor(rowsMax / signals.length));
  const slices: Slice[] = [];
  for (let fromRow = 0; fromRow < timesUs.length; ) {
    const partition = partitionOf(timesUs[fromRow]);
    const endUs = (partition >= 0 ? partition + 1 : partition) * partitionUs;
    // Towards zero: a partition below zero ends with its own number's time, which still belongs to it.
    const end = lowerBound(timesUs, partition < 0 ? endUs + 1 : endUs, fromRow);
    const toRow = Math.min(end, fromRow + stepMax);
    slices.push({ batch, place, fromRow, toRow, partition });
    fromRow = toRow;
  }
  return slices;
}

/** Rows of one column, which have one version: as many as there are times. */
interface Segment {
  signal: number;
  firstUs: number;
  timeWords: Int32Array;
  /** They begin at `from`. */
  values: Float64Array;
  from: number;
  version: Version;
}

/** Rows of a segment on average from which on putting segments in order costs less than the server's sorting of rows. */
const sortedRowsMin = 16;

/** Rows of an insert from which on its blocks are in memory that is used again. */
const lentRowsMin = 8192;

/** Which signals are of an insert, and the number of its group. */
export interface Own {
  isOwn(signal: number): boolean;
  number: number;
}

/** The bytes of one insert into one shard: blocks, made when they are needed. */
export function* encodeCut(cut: Cut, own: Own, memory: BlockMemory): Generator<Uint8Array> {
  const rowsMax = Math.min(rowsOf(cut), blockRowsMax);
  const newWriter = () => new BlockWriter(rowsMax, rowsMax < lentRowsMin ? undefined : memory.take());
  const isSorted = isLong(cut);
  const parts = isSorted ? [cut] : cut.map((slice) => [slice]);
  let writer = newWriter();
  for (const part of parts) {
    const segments = part.flatMap((slice) => segmentsOf(slice, own));
    if (isSorted) segments.sort((a, b) => a.signal - b.signal || a.firstUs - b.firstUs);
    for (const { signal, timeWords, values, from, version } of segments) {
      if (writer.space < timeWords.length / 2) {
        yield* writer.finish();
        writer = newWriter();
      }
      writer.add(signal, timeWords, values, from, version);
    }
  }
  yield* writer.finish();
}

function segmentsOf({ batch, place, fromRow, toRow }: Slice, { isOwn, number }: Own): Segment[] {
  const { timesUs, signals, values } = batch;
  const version = versionOf(number, place);
  const segments: Segment[] = [];
  for (let row = fromRow; row < toRow; row += blockRowsMax) {
    let timeWords: Int32Array | null = null;
    for (let column = 0; column < signals.length; column++) {
      const signal = signals[column];
      if (!isOwn(signal)) continue;
      timeWords ??= timeWordsOf(timesUs.subarray(row, Math.min(toRow, row + blockRowsMax)));
      const from = column * timesUs.length + row;
      segments.push({ signal, firstUs: timesUs[row], timeWords, values, from, version });
    }
  }
  return segments;
}

function isLong(cut: Cut): boolean {
  const columns = cut.reduce((sum, { batch }) => sum + batch.signals.length, 0);
  return rowsOf(cut) >= sortedRowsMin * columns;
}

function rowsOf(cut: Cut): number {
  return cut.reduce((sum, { batch, fromRow, toRow }) => sum + (toRow - fromRow) * batch.signals.length, 0);
}
