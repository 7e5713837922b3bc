/** Sequential writing and reading of bytes, used by all encodings. Little-endian. */

/** Magnitudes below it are written as a varint, with the sign in the lowest bit. */
const integersShort = 2 ** 51;

/** Grows as it is written. */
export class ByteWriter {
  #bytes = new Uint8Array(64);
  #length = 0;

  /** Number of bytes written. */
  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    this.#reserve(1)[this.#length++] = value;
  }

  /** A non-negative integer up to 2^53, seven bits a byte, low ones first. */
  varint(value: number): void {
    let left = value;
    for (; left > 127; left = Math.floor(left / 128)) this.u8((left % 128) | 128);
    this.u8(left);
  }

  /** An integer within ±2^53, small magnitudes short. */
  integer(value: number): void {
    if (Math.abs(value) < integersShort) {
      this.varint(value < 0 ? -2 * value : 2 * value + 1);
    } else {
      this.varint(0);
      this.f64(value);
    }
  }

  f64(value: number): void {
    const bytes = this.#reserve(8);
    new DataView(bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  bytes(section: Uint8Array): void {
    this.#reserve(section.length).set(section, this.#length);
    this.#length += section.length;
  }

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): Uint8Array {
    if (this.#length + more > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}

/** Reads the output of {@link ByteWriter}; fails when reading beyond the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes that are not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#bytes[this.#advance(1)];
  }

  /** The next byte, which stays the next one; undefined at the end. */
  peek(): number | undefined {
    return this.#bytes[this.#at];
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 56; scale *= 128) {
      const byte = this.u8();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new Error('a number is too long');
  }

  integer(): number {
    const value = this.varint();
    if (value === 0) return this.f64();
    return value % 2 === 1 ? (value - 1) / 2 : -value / 2;
  }

  f64(): number {
    return this.#view.getFloat64(this.#advance(8), true);
  }

  /** The next bytes, without a copy. */
  bytes(length: number): Uint8Array {
    const at = this.#advance(length);
    return this.#bytes.subarray(at, at + length);
  }

  #advance(length: number): number {
    const at = this.#at;
    if (!(length >= 0 && at + length <= this.#bytes.length)) throw new Error('a section is cut');
    this.#at = at + length;
    return at;
  }
}
