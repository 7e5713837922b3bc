/** Reads tables of FlatBuffers, the form of Arrow's metadata. Every offset and length is checked against the bytes. */
import { streamFault } from './fault.ts';

/** Structs of one size, in a vector. */
export interface StructVector {
  /** Offset of the first in the bytes of the table. */
  start: number;
  count: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A table. Its members are read by their slots, the numbers that the schema language gives them in order. */
export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;
  readonly #vtable: number;
  readonly #vtableBytes: number;

  private constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
    require(view, at, 4);
    this.#vtable = at - view.getInt32(at, true);
    require(view, this.#vtable, 4);
    this.#vtableBytes = view.getUint16(this.#vtable, true);
    require(view, this.#vtable, this.#vtableBytes);
  }

  /** The root table. */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    require(view, 0, 4);
    return new FlatTable(view, view.getUint32(0, true));
  }

  /** An unsigned byte, also of a boolean or the type of a union; 0 by default. */
  uint8(slot: number): number {
    const at = this.#member(slot, 1);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  int16(slot: number): number {
    const at = this.#member(slot, 2);
    return at === 0 ? 0 : this.#view.getInt16(at, true);
  }

  int32(slot: number): number {
    const at = this.#member(slot, 4);
    return at === 0 ? 0 : this.#view.getInt32(at, true);
  }

  /** A size or an offset: an int64 from 0 to 2^53. */
  size(slot: number): number {
    const at = this.#member(slot, 8);
    return at === 0 ? 0 : readSize(this.#view, at);
  }

  /** A text; null if it is absent. */
  text(slot: number): string | null {
    const at = this.#target(slot);
    if (at === 0) return null;
    const bytes = this.#view.getUint32(at, true);
    require(this.#view, at + 4, bytes);
    try {
      return decoder.decode(new Uint8Array(this.#view.buffer, this.#view.byteOffset + at + 4, bytes));
    } catch {
      throw streamFault('a name in its metadata is not UTF-8');
    }
  }

  /** A table; null if it is absent. */
  table(slot: number): FlatTable | null {
    const at = this.#target(slot);
    return at === 0 ? null : new FlatTable(this.#view, at);
  }

  /** The number of entries of a vector; 0 if it is absent. */
  count(slot: number): number {
    const at = this.#target(slot);
    return at === 0 ? 0 : this.#view.getUint32(at, true);
  }

  /** The tables of a vector. */
  *tables(slot: number): Generator<FlatTable, void, undefined> {
    const { start, count } = this.structs(slot, 4);
    for (let at = start; at < start + 4 * count; at += 4) {
      yield new FlatTable(this.#view, at + this.#view.getUint32(at, true));
    }
  }

  /** The vector of structs of this size, all of which are inside of the bytes. */
  structs(slot: number, bytes: number): StructVector {
    const start = this.#target(slot) + 4;
    const count = this.count(slot);
    require(this.#view, start, count * bytes);
    return { start, count };
  }

  /** Where what a member refers to begins; 0 if it is absent. */
  #target(slot: number): number {
    const at = this.#member(slot, 4);
    if (at === 0) return 0;
    const target = at + this.#view.getUint32(at, true);
    require(this.#view, target, 4);
    return target;
  }

  /** Where a member of so many bytes begins; 0 if it is absent. */
  #member(slot: number, bytes: number): number {
    const entry = 4 + 2 * slot;
    if (entry + 2 > this.#vtableBytes) return 0;
    const offset = this.#view.getUint16(this.#vtable + entry, true);
    if (offset === 0) return 0;
    require(this.#view, this.#at + offset, bytes);
    return this.#at + offset;
  }
}

/** An int64 from 0 to 2^53 at a place. */
export function readSize(view: DataView, at: number): number {
  const size = view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  if (size >= 0 && size <= Number.MAX_SAFE_INTEGER) return size;
  throw streamFault('a size in its metadata is negative or beyond all bounds');
}

function require(view: DataView, at: number, bytes: number): void {
  if (at < 0 || at + bytes > view.byteLength) throw streamFault('an offset in its metadata points outside');
}
