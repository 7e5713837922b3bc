/** Snappy's block format, with the output bounded before anything is written, and in steps. */
import type { Steps } from '#model/steps';

/** What the header of a block says of its size after decompression, bytes; null when no block of this length can have it. */
export function announcedBytes(block: Uint8Array): number | null {
  const { bytes } = readHeader(block) ?? {};
  return bytes === undefined || block.length > compressedBytesMax(bytes) ? null : bytes;
}

/** Compressors write no more for so many bytes: literals as long as possible. */
function compressedBytesMax(bytes: number): number {
  return 32 + bytes + Math.floor(bytes / 6);
}

function readHeader(block: Uint8Array): { bytes: number; length: number } | null {
  let bytes = 0;
  for (let at = 0; at < 5; at++) {
    const byte = block[at];
    if (byte === undefined) return null;
    bytes += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { bytes, length: at + 1 };
  }
  return null;
}

/** What copying takes, about, nanoseconds: an element, a byte of a copy, a byte of a long literal. */
const elementWork = 15;
const copiedByteWork = 1;
const literalByteWork = 1;

/** Work between two yields. */
const stepWork = 2e5;

/** A literal is copied in pieces of so many bytes: memory that is new to the process takes longer than to copy. */
const pieceBytes = 128 * 1024;

/** Decompresses a block of this size ({@link announcedBytes}); null when it is not valid, or has another size. */
export function* decompressed(block: Buffer, bytes: number): Steps<Buffer | null> {
  const decompression = new Decompression(block, bytes);
  while (decompression.hasMore) {
    decompression.work = 0;
    while (decompression.hasMore && decompression.work < stepWork) if (!decompression.copyMore()) return null;
    yield decompression.work;
  }
  return decompression.plain;
}

/** A block that is being decompressed. */
class Decompression {
  /** What has been done since this was set to 0, nanoseconds. */
  work = 0;
  readonly #block: Buffer;
  readonly #plain: Buffer;
  #at: number;
  #end = 0;
  /** Bytes of a literal that are still to be copied. */
  #literalLeft = 0;

  constructor(block: Buffer, bytes: number) {
    this.#block = block;
    this.#plain = Buffer.allocUnsafeSlow(bytes);
    this.#at = readHeader(block)?.length ?? block.length;
  }

  get hasMore(): boolean {
    return this.#at < this.#block.length;
  }

  /** The result; null when the elements did not make up the size. */
  get plain(): Buffer | null {
    return this.#end === this.#plain.length ? this.#plain : null;
  }

  /** Copies the next element, or the next piece of a literal; false when it is not valid. */
  copyMore(): boolean {
    if (this.#literalLeft > 0) return this.#copyPiece();
    const tag = this.#block[this.#at++];
    this.work += elementWork;
    return (tag & 3) === 0 ? this.#copyLiteral((tag >> 2) + 1) : this.#copyBack(tag);
  }

  #copyLiteral(size: number): boolean {
    const length = size > 60 ? this.#readNumber(size - 60) + 1 : size;
    if (this.#at + length > this.#block.length || this.#end + length > this.#plain.length) return false;
    this.#literalLeft = length;
    return this.#copyPiece();
  }

  #copyPiece(): true {
    const length = Math.min(this.#literalLeft, pieceBytes);
    const from = this.#at;
    this.#at += length;
    this.#block.copy(this.#plain, this.#end, from, this.#at);
    this.#end += length;
    this.#literalLeft -= length;
    this.work += length * literalByteWork;
    return true;
  }

  #copyBack(tag: number): boolean {
    const kind = tag & 3;
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const distance =
      kind === 1 ? ((tag >> 5) << 8) + this.#readNumber(1) : this.#readNumber(kind === 2 ? 2 : 4);
    const isValid = distance > 0 && distance <= this.#end && this.#end + length <= this.#plain.length;
    if (!isValid || this.#at > this.#block.length) return false;
    this.#copyBytes(distance, length);
    this.work += length * copiedByteWork;
    return true;
  }

  /** Byte by byte: what is copied may be the beginning of the copy itself. */
  #copyBytes(distance: number, length: number): void {
    const plain = this.#plain;
    const end = this.#end + length;
    for (let to = this.#end; to < end; to++) plain[to] = plain[to - distance];
    this.#end = end;
  }

  /** A number of so many bytes, the lowest first. */
  #readNumber(size: number): number {
    let value = 0;
    for (let i = 0; i < size; i++) value += (this.#block[this.#at++] ?? 0) * 2 ** (8 * i);
    return value;
  }
}
