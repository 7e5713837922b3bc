/**
 * Values that are stored for a short time, in fewer bytes, at little cost: pieces of decimals with a few digits as unsigned integers
 * of one width, each the distance from the smallest one of its piece. Pieces that are not decimals are stored as doubles.
 *
 *     packed  u32 count · u32 length of a piece, the last one may be shorter · pieces, each padded to 8 bytes
 *     piece   f64 smallest integer · u8 width in bytes: 0, 1, 2, 4, 8 · u8 exponent · u8 whether there are gaps · 5 × 0
 *             then integers of this width, value = (smallest + integer) / 10^exponent, the largest one is a gap (NaN);
 *             or, with width 8, doubles
 */
import type { Steps } from '#model/steps';
import { powerOf, rounder } from './decimals.ts';

/** Bytes before the pieces, and before the integers of a piece. */
const startBytes = 8;
const pieceStartBytes = 16;

/** Values of a piece, about: fewer cost more for its beginning, more are further apart. */
const pieceMin = 32;
const pieceAim = 128;
const pieceMax = 512;

/** Digits after the point at most: more are rare, and each has to be tried. */
const exponentMax = 6;

/** Integers are exact, and so is their distance, up to this magnitude. */
const magnitudeMax = 2 ** 50;

type Integers = Uint8Array | Uint16Array | Uint32Array;

/**
 * Values that are planned, or written, between two places where this may pause, and what each takes, ns. Code that is not compiled
 * yet takes twenty times as long, so that more would hold up an event loop.
 */
const pauseValues = 4096;
const valueWork = { plan: 6, write: 3 };

/** How a piece is packed. */
interface Piece {
  from: number;
  to: number;
  /** Bytes of an integer; 8: of a double. */
  width: number;
  exponent: number;
  smallest: number;
  hasGaps: boolean;
}

/** How values are packed. */
export interface Packing {
  pieceLength: number;
  pieces: readonly Piece[];
  /** Bytes of all. */
  bytes: number;
}

/** The packing of columns of `rows` values each, one after the other; null when plain doubles take no more bytes. */
export function* planPacking(values: Float64Array, rows: number): Steps<Packing | null> {
  const { length } = values;
  const pieceLength = pieceLengthOf(rows);
  const pieces: Piece[] = [];
  let bytes = startBytes;
  let unpaused = 0;
  for (let from = 0; from < length; from += pieceLength) {
    if (unpaused >= pauseValues) {
      yield unpaused * valueWork.plan;
      unpaused = 0;
    }
    unpaused += pieceLength;
    const piece = planPiece(values, from, Math.min(from + pieceLength, length));
    pieces.push(piece);
    bytes += pieceBytes(piece.to - from, piece.width);
  }
  return bytes < length * 8 ? { pieceLength, pieces, bytes } : null;
}

/** Whether pieces have several columns each, so that little of a piece is of one column. */
export function areColumnsJoined(rows: number): boolean {
  return rows < pieceMin;
}

/** Whole columns where these are neither short nor long, so that a piece has values of one kind. */
function pieceLengthOf(rows: number): number {
  if (rows > pieceMax) return pieceAim * 2;
  return areColumnsJoined(rows) ? rows * Math.floor(pieceAim / rows) : rows;
}

function pieceBytes(count: number, width: number): number {
  return pieceStartBytes + Math.ceil((count * width) / 8) * 8;
}

/** The integers of the values that were scanned last. */
const scanned = { smallest: 0, largest: 0, hasGaps: false };

/** Finds the smallest exponent that suits all values of a piece. */
function planPiece(values: Float64Array, from: number, to: number): Piece {
  let exponent = 0;
  for (let at = scan(values, from, to, 1); at < to; at = scan(values, from, to, powerOf(exponent))) {
    exponent = exponentFrom(exponent + 1, values[at]);
    if (exponent > exponentMax) return { from, to, width: 8, exponent: 0, smallest: 0, hasGaps: false };
  }
  const { smallest, largest, hasGaps } = scanned;
  const isEmpty = largest < smallest;
  const width = widthFor((isEmpty ? 0 : largest - smallest) + (hasGaps ? 1 : 0));
  return { from, to, width, exponent, smallest: isEmpty ? 0 : smallest, hasGaps };
}

/** Where the first value is that is not an integer divided by a power of ten; `to` when all are. */
function scan(values: Float64Array, from: number, to: number, power: number): number {
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  let hasGaps = false;
  for (let i = from; i < to; i++) {
    const value = values[i];
    const integer = value * power + rounder - rounder;
    if (!isExact(value, integer, power)) {
      if (!Number.isNaN(value)) return i;
      hasGaps = true;
    } else {
      if (integer < smallest) smallest = integer;
      if (integer > largest) largest = integer;
    }
  }
  scanned.smallest = smallest;
  scanned.largest = largest;
  scanned.hasGaps = hasGaps;
  return to;
}

/** The smallest exponent, from one on, that suits a value; above {@link exponentMax} if none does. */
function exponentFrom(exponent: number, value: number): number {
  let found = exponent;
  for (; found <= exponentMax; found++) {
    const power = powerOf(found);
    if (isExact(value, value * power + rounder - rounder, power)) break;
  }
  return found;
}

/** -0 has no integer. */
function isExact(value: number, integer: number, power: number): boolean {
  return (
    integer / power === value && Math.abs(integer) <= magnitudeMax && (integer !== 0 || !Object.is(value, -0))
  );
}

/** Bytes for integers up to one. */
function widthFor(largest: number): number {
  if (largest === 0) return 0;
  if (largest <= 0xff) return 1;
  if (largest <= 0xffff) return 2;
  return largest <= 0xffffffff ? 4 : 8;
}

/** The whole of a buffer, which has a multiple of 8 bytes, as integers of each width; made when they are needed. */
class Views {
  readonly #buffer: ArrayBufferLike;
  #doubles: Float64Array | null = null;
  #bytes: Uint8Array | null = null;
  #shorts: Uint16Array | null = null;
  #words: Uint32Array | null = null;

  constructor(buffer: ArrayBufferLike) {
    this.#buffer = buffer;
  }

  get doubles(): Float64Array {
    this.#doubles ??= new Float64Array(this.#buffer);
    return this.#doubles;
  }

  /** Integers of 1, 2 or 4 bytes. */
  integers(width: number): Integers {
    if (width === 1) {
      this.#bytes ??= new Uint8Array(this.#buffer);
      return this.#bytes;
    }
    if (width === 2) {
      this.#shorts ??= new Uint16Array(this.#buffer);
      return this.#shorts;
    }
    this.#words ??= new Uint32Array(this.#buffer);
    return this.#words;
  }
}

/** Writes values as planned into a zeroed buffer of a multiple of 8 bytes, from an offset on, a multiple of 8 too. */
export function* writePacked(
  values: Float64Array,
  packing: Packing,
  buffer: ArrayBuffer,
  offset: number,
): Steps<void> {
  const view = new DataView(buffer);
  const views = new Views(buffer);
  view.setUint32(offset, values.length, true);
  view.setUint32(offset + 4, packing.pieceLength, true);
  let at = offset + startBytes;
  let unpaused = 0;
  for (const piece of packing.pieces) {
    if (unpaused >= pauseValues) {
      yield unpaused * valueWork.write;
      unpaused = 0;
    }
    unpaused += packing.pieceLength;
    view.setFloat64(at, piece.smallest, true);
    view.setUint8(at + 8, piece.width);
    view.setUint8(at + 9, piece.exponent);
    view.setUint8(at + 10, piece.hasGaps ? 1 : 0);
    writePiece(values, piece, views, at + pieceStartBytes);
    at += pieceBytes(piece.to - piece.from, piece.width);
  }
}

function writePiece(values: Float64Array, piece: Piece, views: Views, at: number): void {
  const { from, to, width, exponent, smallest, hasGaps } = piece;
  if (width === 8) views.doubles.set(values.subarray(from, to), at / 8);
  if (width === 0 || width === 8) return;
  const out = views.integers(width);
  const power = powerOf(exponent);
  const shift = at / width - from;
  if (!hasGaps)
    for (let i = from; i < to; i++) out[shift + i] = values[i] * power + rounder - rounder - smallest;
  else {
    const gap = gapOf(width);
    for (let i = from; i < to; i++) {
      const value = values[i];
      out[shift + i] = Number.isNaN(value) ? gap : value * power + rounder - rounder - smallest;
    }
  }
}

function gapOf(width: number): number {
  return 2 ** (8 * width) - 1;
}

/** Packed values, of which any part can be read. */
export class PackedValues {
  readonly length: number;
  readonly #view: DataView;
  readonly #views: Views;
  readonly #pieceLength: number;
  /** Where each piece begins, from the beginning of the bytes on. */
  readonly #starts: Uint32Array;

  /** Bytes that begin at a multiple of 8 of their buffer. Throws where they cannot be packed values. */
  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#views = new Views(bytes.buffer);
    this.length = this.#view.getUint32(0, true);
    this.#pieceLength = this.#view.getUint32(4, true);
    if (this.#pieceLength === 0) throw new Error('pieces of packed values have no length');
    this.#starts = this.#startsIn(bytes.length);
  }

  /** The memory that they are in. */
  get buffer(): ArrayBufferLike {
    return this.#view.buffer;
  }

  /** Writes the values from one to before another into `out`, from `at` on. */
  read(from: number, to: number, out: Float64Array, at: number): void {
    const pieceLength = this.#pieceLength;
    const shift = at - from;
    for (let piece = Math.floor(from / pieceLength); piece * pieceLength < to; piece++) {
      const first = piece * pieceLength;
      const start = Math.max(from, first);
      const end = Math.min(to, first + pieceLength);
      this.#readPiece(this.#starts[piece], start - first, end - first, out, start + shift);
    }
  }

  #startsIn(bytes: number): Uint32Array {
    const starts = new Uint32Array(Math.ceil(this.length / this.#pieceLength));
    let at = startBytes;
    for (let piece = 0; piece < starts.length; piece++) {
      starts[piece] = at;
      const count = Math.min(this.#pieceLength, this.length - piece * this.#pieceLength);
      at += pieceBytes(count, this.#view.getUint8(at + 8));
    }
    if (at !== bytes) throw new Error('packed values are cut');
    return starts;
  }

  /** Reads a part of the piece that begins at `start`. */
  #readPiece(start: number, from: number, to: number, out: Float64Array, at: number): void {
    const view = this.#view;
    const smallest = view.getFloat64(start, true);
    const width = view.getUint8(start + 8);
    const power = powerOf(view.getUint8(start + 9));
    const place = (view.byteOffset + start + pieceStartBytes) / Math.max(width, 1) + from;
    const end = at + to - from;
    if (width === 0) out.fill(smallest / power, at, end);
    else if (width === 8) copy(this.#views.doubles, place, out, at, end);
    else {
      const integers = this.#views.integers(width);
      unpack(integers, place, { smallest, power }, out, at, end);
      if (view.getUint8(start + 10) === 1) markGaps(integers, place, gapOf(width), out, at, end);
    }
  }
}

function copy(values: Float64Array, place: number, out: Float64Array, at: number, end: number): void {
  const shift = place - at;
  for (let i = at; i < end; i++) out[i] = values[shift + i];
}

/** Dividing takes longer than all else, so it is left out where it would change nothing. */
function unpack(
  integers: Integers,
  place: number,
  { smallest, power }: { smallest: number; power: number },
  out: Float64Array,
  at: number,
  end: number,
): void {
  const shift = place - at;
  if (power === 1) for (let i = at; i < end; i++) out[i] = smallest + integers[shift + i];
  else for (let i = at; i < end; i++) out[i] = (smallest + integers[shift + i]) / power;
}

function markGaps(
  integers: Integers,
  place: number,
  gap: number,
  out: Float64Array,
  at: number,
  end: number,
): void {
  const shift = place - at;
  for (let i = at; i < end; i++) if (integers[shift + i] === gap) out[i] = Number.NaN;
}
