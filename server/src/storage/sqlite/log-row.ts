/**
 * One row of the log: an accepted batch as two blobs, the head (log-head.ts) and the data.
 *
 *     times   kind 0, constant step: nothing
 *             kind 1, small steps: count-1 × u32, padded to 8
 *             kind 2: count × f64
 *     values  one column after the other, in the order of the signals
 *             kind 0, plain: count × f64 each; NaN = none
 *             kind 1, packed: codec/packed-values.ts, which it is wherever that is shorter
 *
 * A row of the kind "damaged" (3) replaces one that cannot be read: its data are that row's seq (f64) and bytes. It has that
 * row's signals and times if they are known; no signals means that they are unknown.
 */
import { pieces, resultOf, type Steps } from '#model/steps';
import { areColumnsJoined, PackedValues, planPacking, writePacked } from '../codec/packed-values.ts';
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

/** How the values of a row are stored. */
const valuesForm = { plain: 0, packed: 1 } as const;

/** All columns, concatenated in the order of the signals. */
export interface RowValues {
  readonly length: number;
  /** The memory that they are in. */
  readonly buffer: ArrayBufferLike;
  /** Writes the values from one to before another into `out`, from `at` on; NaN = none. */
  read(from: number, to: number, out: Float64Array, at: number): void;
}

/** Columns up to which the times of a row are decoded whenever they are read: they would take more memory than the values. */
const fewColumns = 2;

/** The contents of a row, as they are stored where a column of them can be read alone. */
export class RowData {
  readonly values: RowValues;
  /** Bytes that it takes in memory. */
  readonly bytes: number;
  readonly #data: Uint8Array;
  readonly #head: HeadTimes;
  readonly #times: Float64Array | null;

  constructor(data: Uint8Array, values: RowValues, head: HeadTimes) {
    this.values = values;
    this.#data = data;
    this.#head = head;
    this.#times = values.length > fewColumns * head.count ? readTimes(data, head) : null;
    const valueBytes = values instanceof DoubleValues ? values.length * 8 : data.byteLength;
    this.bytes = valueBytes + (this.#times?.byteLength ?? data.byteLength) + overheadBytes;
  }

  get timesUs(): Float64Array {
    return this.#times ?? readTimes(this.#data, this.#head);
  }

  get isFree(): boolean {
    return this.#data.length === 0 && this.values.length > 0;
  }

  /** Gives its memory back; it cannot be read any more. */
  free(): void {
    for (const { buffer } of [this.#data, this.values, this.#times ?? noTimes])
      if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
  }
}

const noTimes = new Float64Array(0);

/** Memory of the objects of a row, in bytes. */
const overheadBytes = 1000;

/** Values that are not packed. */
class DoubleValues implements RowValues {
  readonly length: number;
  readonly #values: Float64Array;

  constructor(values: Float64Array) {
    this.length = values.length;
    this.#values = values;
  }

  get buffer(): ArrayBufferLike {
    return this.#values.buffer;
  }

  read(from: number, to: number, out: Float64Array, at: number): void {
    const values = this.#values;
    for (let i = from; i < to; i++) out[at + i - from] = values[i];
  }
}

/** Encodes a batch: columns in ascending order of signals, without empty ones. Null when all columns are empty. */
export function encodeRow(batch: Batch): CodedRow | null {
  return resultOf(encodingSteps(batch));
}

/** {@link encodeRow} in steps. */
export function* encodingSteps(batch: Batch): Steps<CodedRow | null> {
  const { timesUs } = batch;
  const count = timesUs.length;
  const { columns, signals } = columnOrder(batch);
  if (columns.length === 0) return null;
  const timesKind = yield* timesKindOf(timesUs);
  const timesBytes = timesBytesOf(timesKind, count);
  const values = inOrder(batch, columns);
  const packing = yield* planPacking(values, count);
  const valuesKind = packing === null ? valuesForm.plain : valuesForm.packed;
  const head = { timesKind, valuesKind, count, firstUs: timesUs[0], lastUs: timesUs[count - 1] };
  const row = beginRow(head, signals, timesBytes + (packing?.bytes ?? values.byteLength));
  yield* writeTimes(row.buffer, row.headBytes, timesKind, timesUs);
  const valuesAt = row.headBytes + timesBytes;
  if (packing === null) new Float64Array(row.buffer, valuesAt).set(values);
  else yield* writePacked(values, packing, row.buffer, valuesAt);
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

/** The columns in the given order: adjacent columns are copied in one call, and not at all if these are all of them. */
function inOrder({ timesUs, values }: Batch, columns: readonly number[]): Float64Array {
  const rowCount = timesUs.length;
  if (columns.every((column, place) => column === place))
    return values.subarray(0, columns.length * rowCount);
  const ordered = new Float64Array(columns.length * rowCount);
  for (let from = 0; from < columns.length; ) {
    let to = from + 1;
    while (to < columns.length && columns[to] === columns[from] + to - from) to++;
    const start = columns[from] * rowCount;
    ordered.set(values.subarray(start, start + (to - from) * rowCount), from * rowCount);
    from = to;
  }
  return ordered;
}

/** The known parts of a row that cannot be read. */
export interface LostRow {
  seq: number;
  /** Null when its head cannot be read either. */
  head: Pick<HeadTimes, 'count' | 'firstUs' | 'lastUs'> | null;
  /** The signals whose points in this row still count. */
  signals: readonly number[];
  /** Its bytes, as far as they can be read. */
  bytes: Uint8Array;
}

/** Encodes the row that replaces one that cannot be read. */
export function encodeLost({ seq, head, signals, bytes }: LostRow): CodedRow {
  const { count, firstUs, lastUs } = head ?? { count: 0, firstUs: 0, lastUs: 0 };
  const times = { timesKind: timesDamaged, valuesKind: valuesForm.plain, count, firstUs, lastUs };
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
  if (data.length < timesBytes) throw damaged(seq, 'its length does not fit its head');
  const aligned = data.byteOffset % 8 === 0 ? data : data.slice();
  const values = readValues(aligned.subarray(timesBytes), parsed, seq);
  if (values.length % count !== 0) throw damaged(seq, 'its length does not fit its head');
  return new RowData(aligned, values, parsed);
}

/** The values, in bytes that begin at a multiple of 8 of their buffer. */
function readValues(bytes: Uint8Array, { valuesKind, count }: HeadTimes, seq: number): RowValues {
  if (valuesKind === valuesForm.packed) return packedValues(bytes, count, seq);
  if (valuesKind !== valuesForm.plain) throw damaged(seq, 'it has an unknown kind of values');
  if (bytes.length % 8 !== 0) throw damaged(seq, 'its length does not fit its head');
  return new DoubleValues(new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8));
}

/** They stay packed where a column can be read alone. */
function packedValues(bytes: Uint8Array, count: number, seq: number): RowValues {
  try {
    const packed = new PackedValues(bytes);
    return areColumnsJoined(count) ? new DoubleValues(allOf(packed)) : packed;
  } catch (error) {
    throw damaged(seq, String(error));
  }
}

/** All values of a row. */
export function allOf(values: RowValues): Float64Array {
  const all = new Float64Array(values.length);
  values.read(0, all.length, all, 0);
  return all;
}

/** The original number of a row that was set aside; see {@link encodeLost}. */
export function seqOfLost(data: Uint8Array): number {
  return data.length < 8 ? 0 : new DataView(data.buffer, data.byteOffset).getFloat64(0, true);
}

function hasValue(values: Float64Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!Number.isNaN(values[at])) return true;
  return false;
}

/** What a time takes to be looked at, or written, ns. */
const timeWork = 2;

function* timesKindOf(timesUs: Float64Array): Steps<number> {
  const { length } = timesUs;
  const found = {
    isConstant: timesUs[length - 1] - timesUs[0] <= Number.MAX_SAFE_INTEGER,
    areStepsShort: true,
  };
  for (const [from, to] of pieces(length)) {
    lookAtSteps(timesUs, Math.max(1, from), to, found);
    if (to < length) yield (to - from) * timeWork;
  }
  if (found.isConstant) return timesForm.constant;
  return found.areStepsShort ? timesForm.steps : timesForm.raw;
}

function lookAtSteps(
  timesUs: Float64Array,
  from: number,
  to: number,
  found: { isConstant: boolean; areStepsShort: boolean },
): void {
  const step = timesUs[1] - timesUs[0];
  let { isConstant, areStepsShort } = found;
  for (let i = from; i < to; i++) {
    const delta = timesUs[i] - timesUs[i - 1];
    if (delta !== step) isConstant = false;
    if (delta > 0xffffffff) areStepsShort = false;
  }
  found.isConstant = isConstant;
  found.areStepsShort = areStepsShort;
}

function timesBytesOf(kind: number, count: number): number {
  if (kind === timesForm.constant) return 0;
  return kind === timesForm.steps ? roundUp((count - 1) * 4) : count * 8;
}

function* writeTimes(buffer: ArrayBuffer, offset: number, kind: number, timesUs: Float64Array): Steps<void> {
  if (kind === timesForm.raw) new Float64Array(buffer, offset, timesUs.length).set(timesUs);
  if (kind !== timesForm.steps) return;
  const steps = new Uint32Array(buffer, offset, timesUs.length - 1);
  for (const [from, to] of pieces(steps.length)) {
    writeDifferences(timesUs, from, to, steps);
    if (to < steps.length) yield (to - from) * timeWork;
  }
}

function writeDifferences(timesUs: Float64Array, from: number, to: number, steps: Uint32Array): void {
  for (let i = from; i < to; i++) steps[i] = timesUs[i + 1] - timesUs[i];
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
