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

/** A table with its members by slot; what the first slot refers to is written last. */
export function table(members: readonly Member[]): Target {
  const sizes = members.map((member) =>
    member === null ? 0 : typeof member === 'function' ? 4 : member.bytes,
  );
  const { offsets, bytes } = layOut(sizes);
  const vtableBytes = 4 + 2 * members.length;
  return (out) => {
    const vtable = out.take(2, vtableBytes);
    const start = out.take(8, bytes);
    for (const [i, value] of [vtableBytes, bytes, ...offsets].entries()) out.set(vtable + 2 * i, 2, value);
    out.set(start, 4, start - vtable);
    for (let slot = members.length - 1; slot >= 0; slot--) {
      const member = members[slot];
      if (typeof member === 'function') out.refer(start + offsets[slot], member);
      else if (member !== null) out.set(start + offsets[slot], member.bytes, member.value);
    }
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
    const bytes = Buffer.byteLength(value);
    const start = out.take(4, 4 + bytes + 1);
    out.set(start, 4, bytes);
    out.putText(start + 4, value);
    return start;
  };
}

/**
 * Many tables that differ only in the text of their first slot: what `table` makes with an empty text is written once, and copied
 * for each text.
 */
export function tablesWithText(table: (text: Target) => Target): (value: string) => Target {
  const sample = new FlatWriter();
  const emptyText = 5;
  const position = table(text(''))(sample);
  const block = sample.bytes.subarray(0, sample.bytes.length - emptyText);
  return (value) => (out) => {
    const start = out.take(8, block.length);
    out.put(start, block);
    text(value)(out);
    return start + position;
  };
}

/** Collects bytes. */
class FlatWriter {
  #bytes = Buffer.alloc(1024);
  #view = viewOf(this.#bytes);
  #length = 0;

  /** All bytes. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Appends so many zeros at a multiple of `align`; returns where. */
  take(align: number, bytes: number): number {
    const start = Math.ceil(this.#length / align) * align;
    this.#length = start + bytes;
    if (this.#length > this.#bytes.length) this.#grow();
    return start;
  }

  #grow(): void {
    const longer = Buffer.alloc(2 * this.#length);
    this.#bytes.copy(longer);
    this.#bytes = longer;
    this.#view = viewOf(longer);
  }

  set(at: number, bytes: 1 | 2 | 4 | 8, value: number): void {
    if (bytes === 1) this.#view.setUint8(at, value);
    else if (bytes === 2) this.#view.setUint16(at, value, true);
    else this.#view.setUint32(at, value % 2 ** 32, true);
    if (bytes === 8) this.#view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
  }

  put(at: number, bytes: Buffer): void {
    bytes.copy(this.#bytes, at);
  }

  putText(at: number, text: string): void {
    this.#bytes.write(text, at);
  }

  /** Writes a target, and a reference to it at this place. */
  refer(at: number, target: Target): void {
    this.set(at, 4, target(this) - at);
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The bytes of a buffer with this root table; a multiple of 8. */
export function flatBuffer(root: Target): Buffer {
  const out = new FlatWriter();
  out.refer(out.take(8, 4), root);
  out.take(8, 0);
  return out.bytes;
}
