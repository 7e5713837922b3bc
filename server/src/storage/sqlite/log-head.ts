/**
 * The head of a row of the log: the signals and the time range of a batch, in few bytes, so that the index can be built without
 * reading the data. All numbers are little-endian.
 *
 *      0 u8  version (2)
 *      1 u8  kind of times (log-row.ts)
 *      2 u8  kind of values (log-row.ts)
 *      3 u8  0
 *      4 u32 count of times
 *      8 f64 first time, µs
 *     16 f64 last time, µs
 *     24 u32 CRC-32 of the head (this field and the next one 0) and the data
 *     28 u32 CRC-32 of the head (both fields 0)
 *     32 …   signals, ascending: runs of (gap, length) as varints, then 0 up to a multiple of 8 bytes
 *
 * Version 1, of files of format 1, has no second checksum: its signals begin at 28.
 */
import { crc32 } from 'node:zlib';
import { bug } from '#model/error';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { StoredDamage } from '../codec/damage.ts';

const version = 2;
const oldestVersion = 1;
const fixedBytes = 32;
const oldestFixedBytes = 28;
const crcOffset = 24;
const headCrcOffset = 28;

/** The kind of times of a row that replaces one that cannot be read. */
export const timesDamaged = 3;

/** What a head says about the times of its row, and how its data are stored. */
export interface HeadTimes {
  timesKind: number;
  valuesKind: number;
  count: number;
  firstUs: number;
  lastUs: number;
}

/** The decoded head of a row. */
export interface RowHead extends HeadTimes {
  /** Identifies the set of signals: equal text means an equal set. */
  signalsKey: string;
  /** Whether this row replaces one that cannot be read. */
  isDamaged: boolean;
}

/** An encoded row: head and data are adjacent in one buffer, so that both can be transferred together. */
export interface CodedRow {
  buffer: ArrayBuffer;
  headBytes: number;
}

/** Creates a row with its head; the data, of `dataBytes`, and the checksums are still missing. `signals`: see {@link encodeSignals}. */
export function beginRow(times: HeadTimes, signals: Uint8Array, dataBytes: number): CodedRow {
  const headBytes = roundUp(fixedBytes + signals.length);
  const buffer = new ArrayBuffer(headBytes + dataBytes);
  const view = new DataView(buffer);
  view.setUint8(0, version);
  view.setUint8(1, times.timesKind);
  view.setUint8(2, times.valuesKind);
  view.setUint32(4, times.count, true);
  view.setFloat64(8, times.firstUs, true);
  view.setFloat64(16, times.lastUs, true);
  new Uint8Array(buffer).set(signals, fixedBytes);
  return { buffer, headBytes };
}

/** Writes the checksums into a row. Separate from encoding it, so that the event loop need not compute them. */
export function stampRow({ buffer, headBytes }: CodedRow): void {
  const view = new DataView(buffer);
  view.setUint32(crcOffset, 0, true);
  view.setUint32(headCrcOffset, 0, true);
  const headCrc = crc32(new Uint8Array(buffer, 0, headBytes));
  view.setUint32(crcOffset, crc32(new Uint8Array(buffer, headBytes), headCrc), true);
  view.setUint32(headCrcOffset, headCrc, true);
}

/** Tells a row from others that may have had its number in another file: its checksum. */
export function markOf(head: Uint8Array): number {
  return !isBytes(head) || head.length < fixedBytes
    ? 0
    : new DataView(head.buffer, head.byteOffset).getUint32(crcOffset, true);
}

/**
 * Decodes a head. Fails with a {@link StoredDamage} when its version is unknown or below `versionMin`, or when it is truncated
 * or damaged.
 */
export function decodeHead(head: Uint8Array, seq: number, versionMin = version): RowHead {
  const { view, signalsAt } = checkedHead(head, seq, versionMin);
  const times = timesOf(view);
  const signals = Buffer.from(head.buffer, head.byteOffset + signalsAt, head.length - signalsAt);
  return { ...times, isDamaged: times.timesKind === timesDamaged, signalsKey: signals.toString('latin1') };
}

/** Decodes the head of a row as {@link decodeHead} does, and verifies the checksum of head and data. */
export function decodeWhole(
  bytes: Uint8Array,
  data: Uint8Array,
  seq: number,
  versionMin = version,
): HeadTimes {
  const { view, crc } = checkedHead(bytes, seq, versionMin);
  if (!isBytes(data)) throw damaged(seq, 'its data are missing');
  const head = timesOf(view);
  const isSound = head.timesKind === timesDamaged || crc32(data, crc) === view.getUint32(crcOffset, true);
  if (!isSound) throw damaged(seq, 'its checksum differs');
  return head;
}

/** Damage in the file can make a column of a row NULL or a number, whatever the table's types say. */
function isBytes(column: unknown): column is Uint8Array {
  return column instanceof Uint8Array;
}

function checkedHead(head: Uint8Array, seq: number, versionMin: number) {
  if (!isBytes(head)) throw damaged(seq, 'its head is missing');
  const signalsAt = head[0] === oldestVersion ? oldestFixedBytes : fixedBytes;
  if (head.length < signalsAt) throw damaged(seq, 'its head is cut');
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const found = view.getUint8(0);
  if (found < versionMin || found > version) throw damaged(seq, `its version is ${found}`);
  const crc = crc32(withoutChecksums(head));
  if (found === version && crc !== view.getUint32(headCrcOffset, true)) {
    throw damaged(seq, 'the checksum of its head differs');
  }
  return { view, signalsAt, crc };
}

function timesOf(view: DataView): HeadTimes {
  return {
    timesKind: view.getUint8(1),
    valuesKind: view.getUint8(2),
    count: view.getUint32(4, true),
    firstUs: view.getFloat64(8, true),
    lastUs: view.getFloat64(16, true),
  };
}

function withoutChecksums(head: Uint8Array): Uint8Array {
  return head.slice().fill(0, crcOffset, head[0] === oldestVersion ? headCrcOffset : fixedBytes);
}

/** Converts an undamaged row of version 1 to this version; its checksums are still missing. */
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

/** The error for a damaged row. */
export function damaged(seq: number, what: string): StoredDamage {
  return new StoredDamage(
    `tidemark.db is damaged: row ${seq} of series_log cannot be read, ${what}; restore a backup`,
  );
}

/** Rounds up to a multiple of 8. */
export function roundUp(bytes: number): number {
  return (bytes + 7) & ~7;
}

/** Encodes ascending signals, runs of consecutive numbers as (gap, length): those that were created together take a few bytes. */
export function encodeSignals(signals: readonly number[]): Uint8Array {
  const out = new ByteWriter();
  let next = 0;
  for (let i = 0; i < signals.length; ) {
    const start = signals[i];
    if (!Number.isInteger(start) || start < Math.max(next, 1) || start > 0xffffffff) bug(`signal ${start}`);
    let end = i + 1;
    while (end < signals.length && signals[end] === start + end - i) end++;
    out.varint(start - next);
    out.varint(end - i);
    next = start + end - i;
    i = end;
  }
  return out.finish();
}

/** The signals of a {@link RowHead.signalsKey}, ascending. */
export function decodeSignals(signalsKey: string): Uint32Array {
  const from = new ByteReader(Buffer.from(signalsKey, 'latin1'));
  const signals: number[] = [];
  for (let next = 0; from.left > 0; ) {
    const gap = from.varint();
    if (gap === 0) break;
    next += gap;
    for (let left = from.varint(); left > 0; left--) signals.push(next++);
  }
  return Uint32Array.from(signals);
}
