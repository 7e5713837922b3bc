/**
 * One row of the log: an accepted batch as two blobs. The head is small and has the signals and the time range of the batch,
 * so that the index can be built without reading the data. All numbers are little-endian.
 *
 *     head  0 u8  version (2)          data  times   constant step: nothing
 *           1 u8  kind of times                      small steps: count-1 × u32, padded to 8
 *           2 u16 0                                  else: count × f64
 *           4 u32 count of times             values  one column after the other, count × f64; NaN = none
 *           8 f64 first time, µs
 *          16 f64 last time, µs
 *          24 u32 CRC-32 of the head (this field and the next one 0) and the data
 *          28 u32 CRC-32 of the head (both fields 0)
 *          32 …   signals, ascending: runs of (gap, length) as varints
 *
 * Version 1, of files of format 1, has no second checksum: its signals begin at 28.
 *
 * A row of the kind "damaged" replaces one that cannot be read: its data are that row's seq (f64) and bytes. It has that row's
 * signals and times if they are known; no signals means that they are unknown.
 */
import { crc32 } from 'node:zlib';
import { bug } from '#model/error';
import { StoredDamage } from '../codec/damage.ts';
import type { Batch } from '../store.ts';

const version = 2;
const oldestVersion = 1;
const fixedBytes = 32;
const oldestFixedBytes = 28;
const crcOffset = 24;
const headCrcOffset = 28;
const timesConstant = 0;
const timesSteps = 1;
const timesRaw = 2;
const timesDamaged = 3;

/** An encoded batch: head and data are adjacent in one buffer, so that both can be transferred together. */
export interface CodedRow {
  buffer: ArrayBuffer;
  headBytes: number;
}

/** The decoded head of a row. */
export interface RowHead {
  count: number;
  firstUs: number;
  lastUs: number;
  /** Identifies the set of signals: equal text means an equal set. */
  signalsKey: string;
  timesKind: number;
  /** Whether this row replaces one that cannot be read. */
  isDamaged: boolean;
}

/** The contents of a row. */
export interface RowData {
  timesUs: Float64Array;
  /** All columns, concatenated in the order of the signals. */
  values: Float64Array;
}

/** Encodes a batch: columns in ascending order of signals, without empty ones. Null when all columns are empty. */
export function encodeRow(batch: Batch): CodedRow | null {
  const { timesUs } = batch;
  const columns = columnOrder(batch);
  if (columns.length === 0) return null;
  const signals = encodeSignals(columns.map((column) => batch.signals[column]));
  const headBytes = roundUp(fixedBytes + signals.length);
  const kind = timesKindOf(timesUs);
  const timesBytes = timesBytesOf(kind, timesUs.length);
  const buffer = new ArrayBuffer(headBytes + timesBytes + columns.length * timesUs.length * 8);
  const [firstUs, lastUs] = [timesUs[0], timesUs[timesUs.length - 1]];
  writeHead(buffer, { kind, count: timesUs.length, firstUs, lastUs }, signals);
  writeTimes(buffer, headBytes, kind, timesUs);
  const values = new Float64Array(buffer, headBytes + timesBytes);
  copyColumns(batch, columns, values);
  return { buffer, headBytes };
}

/** The columns that have a value, ascending by their signals. */
function columnOrder({ timesUs, signals, values }: Batch): number[] {
  const rowCount = timesUs.length;
  const columns: number[] = [];
  let ascending = true;
  for (let column = 0; column < signals.length; column++) {
    if (!hasValue(values, column * rowCount, (column + 1) * rowCount)) continue;
    if (columns.length > 0 && signals[column] < signals[columns[columns.length - 1]]) ascending = false;
    columns.push(column);
  }
  return ascending ? columns : columns.sort((a, b) => signals[a] - signals[b]);
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

/** Writes the checksums into an encoded row. Separate from {@link encodeRow}, so that the event loop need not compute them. */
export function stampRow({ buffer, headBytes }: CodedRow): void {
  const view = new DataView(buffer);
  view.setUint32(crcOffset, 0, true);
  view.setUint32(headCrcOffset, 0, true);
  const headCrc = crc32(new Uint8Array(buffer, 0, headBytes));
  const crc = crc32(new Uint8Array(buffer, headBytes), headCrc);
  view.setUint32(crcOffset, crc, true);
  view.setUint32(headCrcOffset, headCrc, true);
}

/** The known parts of a row that cannot be read. */
export interface LostRow {
  seq: number;
  /** Null when its head cannot be read either. */
  head: Pick<RowHead, 'count' | 'firstUs' | 'lastUs'> | null;
  /** The signals whose points in this row still count. */
  signals: readonly number[];
  /** Its bytes, as far as they can be read. */
  bytes: Uint8Array;
}

/** Encodes the row that replaces one that cannot be read. */
export function encodeLost({ seq, head, signals, bytes }: LostRow): CodedRow {
  const coded = encodeSignals(signals);
  const headBytes = roundUp(fixedBytes + coded.length);
  const buffer = new ArrayBuffer(headBytes + 8 + bytes.length);
  const { count, firstUs, lastUs } = head ?? { count: 0, firstUs: 0, lastUs: 0 };
  writeHead(buffer, { kind: timesDamaged, count, firstUs, lastUs }, coded);
  new DataView(buffer).setFloat64(headBytes, seq, true);
  new Uint8Array(buffer).set(bytes, headBytes + 8);
  return { buffer, headBytes };
}

/**
 * Decodes a head. Fails with a {@link StoredDamage} when its version is unknown or below `versionMin`, or when it is truncated
 * or damaged.
 */
export function decodeHead(head: Uint8Array, seq: number, versionMin = version): RowHead {
  const signalsAt = head[0] === oldestVersion ? oldestFixedBytes : fixedBytes;
  if (head.length < signalsAt) throw damaged(seq, 'its head is cut');
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const found = view.getUint8(0);
  if (found < versionMin || found > version) throw damaged(seq, `its version is ${found}`);
  if (found === version && crc32(blank(head)) !== view.getUint32(headCrcOffset, true)) {
    throw damaged(seq, 'the checksum of its head differs');
  }
  const timesKind = view.getUint8(1);
  return {
    timesKind,
    isDamaged: timesKind === timesDamaged,
    count: view.getUint32(4, true),
    firstUs: view.getFloat64(8, true),
    lastUs: view.getFloat64(16, true),
    signalsKey: Buffer.from(head.buffer, head.byteOffset + signalsAt, head.length - signalsAt).toString(
      'latin1',
    ),
  };
}

/** A head without its checksums; a copy. */
function blank(head: Uint8Array): Uint8Array {
  const clean = head.slice();
  clean.fill(0, crcOffset, head[0] === oldestVersion ? headCrcOffset : headCrcOffset + 4);
  return clean;
}

/** Converts an undamaged row of version 1 to this version. */
export function upgradeRow(head: Uint8Array, data: Uint8Array): CodedRow {
  const headBytes = roundUp(fixedBytes + head.length - oldestFixedBytes);
  const buffer = new ArrayBuffer(headBytes + data.length);
  const bytes = new Uint8Array(buffer);
  bytes.set(head.subarray(0, crcOffset));
  bytes.set(head.subarray(oldestFixedBytes), fixedBytes);
  bytes.set(data, headBytes);
  bytes[0] = version;
  return { buffer, headBytes };
}

/** The signals behind a {@link RowHead.signalsKey}, ascending. */
export function decodeSignals(signalsKey: string): Uint32Array {
  const bytes = Buffer.from(signalsKey, 'latin1');
  const signals: number[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    let scale = 1;
    while (at < bytes.length) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
    }
    return value;
  };
  let next = 0;
  while (at < bytes.length && bytes[at] !== 0) {
    next += varint();
    for (let left = varint(); left > 0; left--) signals.push(next++);
  }
  return Uint32Array.from(signals);
}

/** Decodes a row's data after verifying its checksum. Fails with a {@link StoredDamage}. */
export function decodeRow(head: Uint8Array, data: Uint8Array, seq: number, versionMin = version): RowData {
  const parsed = decodeHead(head, seq, versionMin);
  if (parsed.isDamaged) throw damaged(seqOfLost(data), 'it was set aside');
  const stored = new DataView(head.buffer, head.byteOffset).getUint32(crcOffset, true);
  if (crc32(data, crc32(blank(head))) !== stored) throw damaged(seq, 'its checksum differs');
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

/** The error for a damaged row. */
export function damaged(seq: number, what: string): StoredDamage {
  return new StoredDamage(
    `tidemark.db is damaged: row ${seq} of series_log cannot be read, ${what}; restore a backup`,
  );
}

/** The original number of a row that was set aside; see {@link encodeLost}. */
export function seqOfLost(data: Uint8Array): number {
  return data.length < 8 ? 0 : new DataView(data.buffer, data.byteOffset).getFloat64(0, true);
}

function hasValue(values: Float64Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!Number.isNaN(values[at])) return true;
  return false;
}

function roundUp(bytes: number): number {
  return (bytes + 7) & ~7;
}

/** Encodes runs of consecutive numbers as varints (gap, length): signals that were created together take a few bytes. */
function encodeSignals(signals: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  const varint = (value: number) => {
    let left = value;
    for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
    bytes.push(left);
  };
  let next = 0;
  for (let i = 0; i < signals.length; ) {
    const start = signals[i];
    if (!Number.isInteger(start) || start < Math.max(next, 1) || start > 0xffffffff) bug(`signal ${start}`);
    let end = i + 1;
    while (end < signals.length && signals[end] === start + end - i) end++;
    varint(start - next);
    varint(end - i);
    next = start + end - i;
    i = end;
  }
  return Uint8Array.from(bytes);
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
  if (constant) return timesConstant;
  return small ? timesSteps : timesRaw;
}

function timesBytesOf(kind: number, count: number): number {
  if (kind === timesConstant) return 0;
  return kind === timesSteps ? roundUp((count - 1) * 4) : count * 8;
}

interface HeadFields {
  kind: number;
  count: number;
  firstUs: number;
  lastUs: number;
}

function writeHead(buffer: ArrayBuffer, fields: HeadFields, signals: Uint8Array): void {
  const view = new DataView(buffer);
  view.setUint8(0, version);
  view.setUint8(1, fields.kind);
  view.setUint32(4, fields.count, true);
  view.setFloat64(8, fields.firstUs, true);
  view.setFloat64(16, fields.lastUs, true);
  new Uint8Array(buffer).set(signals, fixedBytes);
}

function writeTimes(buffer: ArrayBuffer, offset: number, kind: number, timesUs: Float64Array): void {
  if (kind === timesRaw) new Float64Array(buffer, offset, timesUs.length).set(timesUs);
  if (kind !== timesSteps) return;
  const steps = new Uint32Array(buffer, offset, timesUs.length - 1);
  for (let i = 0; i < steps.length; i++) steps[i] = timesUs[i + 1] - timesUs[i];
}

function readTimes(data: Uint8Array, head: RowHead): Float64Array {
  const { count, firstUs, lastUs, timesKind } = head;
  const buffer = data.buffer as ArrayBuffer;
  if (timesKind === timesRaw) return new Float64Array(buffer, data.byteOffset, count);
  const timesUs = new Float64Array(count);
  timesUs[0] = firstUs;
  if (timesKind === timesConstant) {
    const step = count > 1 ? (lastUs - firstUs) / (count - 1) : 0;
    for (let i = 1; i < count; i++) timesUs[i] = firstUs + i * step;
    return timesUs;
  }
  const steps = new Uint32Array(buffer, data.byteOffset, count - 1);
  for (let i = 1; i < count; i++) timesUs[i] = timesUs[i - 1] + steps[i - 1];
  return timesUs;
}
