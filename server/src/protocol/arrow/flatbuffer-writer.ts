/** Writes tables of FlatBuffers, the form of Arrow's metadata: what refers to something comes before it. */

/** A member of a table: a number of 1, 2, 4 or 8 bytes, or a reference; null where it is left out. */
type Member = { bytes: 1 | 2 | 8; value: number } | Target | null;

/** What is referred to: writes itself, and returns the position that references contain. */
export type Target = (out: FlatWriter) => number;

/** An unsigned byte, or a boolean. */
export function uint8(value: number): Member {
  return { bytes: 1, value };
}

/** A signed integer in 16 bits. */
export function int16(value: number): Member {
  return { bytes: 2, value };
}

/** An integer from 0 to 2^53 in 64 bits. */
export function int64(value: number): Member {
  return { bytes: 8, value };
}

/** A table with its members by slot. */
export function table(members: readonly Member[]): Target {
  return (out) => {
    const sizes = members.map((member) =>
      member === null ? 0 : typeof member === 'function' ? 4 : member.bytes,
    );
    const { offsets, bytes } = layOut(sizes);
    const vtableBytes = 4 + 2 * members.length;
    const vtable = out.take(2, vtableBytes);
    const start = out.take(8, bytes);
    for (const [i, value] of [vtableBytes, bytes, ...offsets].entries()) out.set(vtable + 2 * i, 2, value);
    out.set(start, 4, start - vtable);
    members.forEach((member, slot) => {
      const at = start + offsets[slot];
      if (typeof member === 'function') out.refer(at, member);
      else if (member !== null) out.set(at, member.bytes, member.value);
    });
    return start;
  };
}

/** The offsets of members in a table, 0 for those left out, and its size. The first 4 bytes lead to the vtable. */
function layOut(sizes: readonly number[]): { offsets: number[]; bytes: number } {
  let bytes = 4;
  const offsets = sizes.map((size) => {
    if (size === 0) return 0;
    const offset = Math.ceil(bytes / size) * size;
    bytes = offset + size;
    return offset;
  });
  return { offsets, bytes };
}

/** A vector of references. */
export function vector(targets: readonly Target[]): Target {
  return (out) => {
    const start = out.take(4, 4 + 4 * targets.length);
    out.set(start, 4, targets.length);
    for (const [i, target] of targets.entries()) out.refer(start + 4 + 4 * i, target);
    return start;
  };
}

/** A vector of structs of two 64-bit integers each. */
export function pairs(values: Float64Array): Target {
  return (out) => {
    const start = out.take(8, 8 + 8 * values.length) + 4;
    out.set(start, 4, values.length / 2);
    for (let i = 0; i < values.length; i++) out.set(start + 4 + 8 * i, 8, values[i]);
    return start;
  };
}

/** A text in UTF-8. */
export function text(value: string): Target {
  return (out) => {
    const bytes = Buffer.from(value);
    const start = out.take(4, 4 + bytes.length + 1);
    out.set(start, 4, bytes.length);
    out.put(start + 4, bytes);
    return start;
  };
}

/** Collects bytes. */
class FlatWriter {
  #bytes = Buffer.alloc(1024);
  #length = 0;

  /** Appends so many zeros at a multiple of `align`; returns where. */
  take(align: number, bytes: number): number {
    const start = Math.ceil(this.#length / align) * align;
    this.#length = start + bytes;
    if (this.#length > this.#bytes.length) {
      const longer = Buffer.alloc(2 * this.#length);
      this.#bytes.copy(longer);
      this.#bytes = longer;
    }
    return start;
  }

  set(at: number, bytes: 1 | 2 | 4 | 8, value: number): void {
    this.#bytes.writeUIntLE(value % 2 ** 32, at, Math.min(bytes, 4));
    if (bytes === 8) this.#bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
  }

  put(at: number, bytes: Buffer): void {
    bytes.copy(this.#bytes, at);
  }

  /** Writes a target, and a reference to it at this place. */
  refer(at: number, target: Target): void {
    this.set(at, 4, target(this) - at);
  }

  /** All bytes, padded to a multiple of 8. */
  finish(): Buffer {
    this.take(8, 0);
    return this.#bytes.subarray(0, this.#length);
  }
}

/** The bytes of a buffer with this root table; a multiple of 8. */
export function flatBuffer(root: Target): Buffer {
  const out = new FlatWriter();
  out.refer(out.take(8, 4), root);
  return out.finish();
}
