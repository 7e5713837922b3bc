/**
 * One row of the log: an accepted batch as two blobs, the head (log-head.ts) and the data.
 *
 *     times   kind 0, constant step: nothing
 *             kind 1, small steps: count-1 × u32, padded to 8
 *             kind 2: count × f64
 *     values  one column after the other, in the order of the signals, count × f64; NaN = none
 *
 * A row of the kind "damaged" (3) replaces one that cannot be read: its data are that row's seq (f64) and bytes. It has that
 * row's signals and times if they are known; no signals means that they are unknown.
 */
import type { Batch } from '../store.ts';
import {
  beginRow,
  type CodedRow,
  damaged,
  decodeWhole,
  encodeSignals,
  type HeadTimes,
  roundUp,
  timesDamaged,
} from './log-head.ts';

/** How the times of a row are stored. */
const timesForm = { constant: 0, steps: 1, raw: 2 } as const;

/** The contents of a row. */
export interface RowData {
  timesUs: Float64Array;
  /** All columns, concatenated in the order of the signals. */
  values: Float64Array;
}

/** Encodes a batch: columns in ascending order of signals, without empty ones. Null when all columns are empty. */
export function encodeRow(batch: Batch): CodedRow | null {
  const { timesUs } = batch;
  const count = timesUs.length;
  const { columns, signals } = columnOrder(batch);
  if (columns.length === 0) return null;
  const timesKind = timesKindOf(timesUs);
  const times = { timesKind, count, firstUs: timesUs[0], lastUs: timesUs[count - 1] };
  const timesBytes = timesBytesOf(timesKind, count);
  const row = beginRow(times, signals, timesBytes + columns.length * count * 8);
  writeTimes(row.buffer, row.headBytes, timesKind, timesUs);
  copyColumns(batch, columns, new Float64Array(row.buffer, row.headBytes + timesBytes));
  return row;
}

/** The columns of a row, ascending by their signals, and these in the head's code. */
interface ColumnOrder {
  columns: readonly number[];
  signals: Uint8Array;
}

/** By the lists of signals of batches without empty columns: clients send the same columns again and again. */
const knownOrders = new WeakMap<readonly number[], ColumnOrder>();

/** The columns that have a value. */
function columnOrder({ timesUs, signals, values }: Batch): ColumnOrder {
  const { length } = timesUs;
  const isEmpty = (_: number, column: number) => !hasValue(values, column * length, (column + 1) * length);
  if (signals.some(isEmpty)) {
    return orderOf(
      signals,
      [...signals.keys()].filter((column) => !isEmpty(0, column)),
    );
  }
  const order = knownOrders.get(signals) ?? orderOf(signals, [...signals.keys()]);
  knownOrders.set(signals, order);
  return order;
}

function orderOf(signals: readonly number[], columns: number[]): ColumnOrder {
  columns.sort((a, b) => signals[a] - signals[b]);
  return { columns, signals: encodeSignals(columns.map((column) => signals[column])) };
}

/** Copies the columns in the given order; adjacent columns in one call, which is all of them if they are in order already. */
function copyColumns({ timesUs, values }: Batch, columns: readonly number[], into: Float64Array): void {
  const rowCount = timesUs.length;
  for (let from = 0; from < columns.length; ) {
    let to = from + 1;
    while (to < columns.length && columns[to] === columns[from] + to - from) to++;
    const start = columns[from] * rowCount;
    into.set(values.subarray(start, start + (to - from) * rowCount), from * rowCount);
    from = to;
  }
}

/** The known parts of a row that cannot be read. */
export interface LostRow {
  seq: number;
  /** Null when its head cannot be read either. */
  head: Omit<HeadTimes, 'timesKind'> | null;
  /** The signals whose points in this row still count. */
  signals: readonly number[];
  /** Its bytes, as far as they can be read. */
  bytes: Uint8Array;
}

/** Encodes the row that replaces one that cannot be read. */
export function encodeLost({ seq, head, signals, bytes }: LostRow): CodedRow {
  const { count, firstUs, lastUs } = head ?? { count: 0, firstUs: 0, lastUs: 0 };
  const times = { timesKind: timesDamaged, count, firstUs, lastUs };
  const row = beginRow(times, encodeSignals(signals), 8 + bytes.length);
  new DataView(row.buffer).setFloat64(row.headBytes, seq, true);
  new Uint8Array(row.buffer).set(bytes, row.headBytes + 8);
  return row;
}

/** Decodes a row's data after verifying its checksum. Fails with a `StoredDamage`. */
export function decodeRow(head: Uint8Array, data: Uint8Array, seq: number, versionMin?: number): RowData {
  const parsed = decodeWhole(head, data, seq, versionMin);
  if (parsed.timesKind === timesDamaged) throw damaged(seqOfLost(data), 'it was set aside');
  const { count, timesKind } = parsed;
  const timesBytes = timesBytesOf(timesKind, count);
  if (data.length < timesBytes || (data.length - timesBytes) % (count * 8) !== 0) {
    throw damaged(seq, 'its length does not fit its head');
  }
  const aligned = data.byteOffset % 8 === 0 ? data : data.slice();
  const values = new Float64Array(
    aligned.buffer,
    aligned.byteOffset + timesBytes,
    (data.length - timesBytes) / 8,
  );
  return { timesUs: readTimes(aligned, parsed), values };
}

/** The original number of a row that was set aside; see {@link encodeLost}. */
export function seqOfLost(data: Uint8Array): number {
  return data.length < 8 ? 0 : new DataView(data.buffer, data.byteOffset).getFloat64(0, true);
}

function hasValue(values: Float64Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!Number.isNaN(values[at])) return true;
  return false;
}

function timesKindOf(timesUs: Float64Array): number {
  const { length } = timesUs;
  const step = length > 1 ? timesUs[1] - timesUs[0] : 0;
  let constant = timesUs[length - 1] - timesUs[0] <= Number.MAX_SAFE_INTEGER;
  let small = true;
  for (let i = 1; i < length; i++) {
    const delta = timesUs[i] - timesUs[i - 1];
    if (delta !== step) constant = false;
    if (delta > 0xffffffff) small = false;
  }
  if (constant) return timesForm.constant;
  return small ? timesForm.steps : timesForm.raw;
}

function timesBytesOf(kind: number, count: number): number {
  if (kind === timesForm.constant) return 0;
  return kind === timesForm.steps ? roundUp((count - 1) * 4) : count * 8;
}

function writeTimes(buffer: ArrayBuffer, offset: number, kind: number, timesUs: Float64Array): void {
  if (kind === timesForm.raw) new Float64Array(buffer, offset, timesUs.length).set(timesUs);
  if (kind !== timesForm.steps) return;
  const steps = new Uint32Array(buffer, offset, timesUs.length - 1);
  for (let i = 0; i < steps.length; i++) steps[i] = timesUs[i + 1] - timesUs[i];
}

function readTimes(data: Uint8Array, head: HeadTimes): Float64Array {
  const { count, firstUs, lastUs, timesKind } = head;
  const buffer = data.buffer as ArrayBuffer;
  if (timesKind === timesForm.raw) return new Float64Array(buffer, data.byteOffset, count);
  const timesUs = new Float64Array(count);
  timesUs[0] = firstUs;
  if (timesKind === timesForm.constant) {
    const step = count > 1 ? (lastUs - firstUs) / (count - 1) : 0;
    for (let i = 1; i < count; i++) timesUs[i] = firstUs + i * step;
    return timesUs;
  }
  const steps = new Uint32Array(buffer, data.byteOffset, count - 1);
  for (let i = 1; i < count; i++) timesUs[i] = timesUs[i - 1] + steps[i - 1];
  return timesUs;
}
