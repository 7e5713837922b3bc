/** What a text format of exports is made of, and the bytes of its rows in pieces of bounded size. */
import type { ExportBlock } from '#model/export';
import { instantBytesMax, writeInstant } from '#model/instant-printer';
import { numberBytesMax, writeNumber } from '#model/number-printer';

/** A text format, for one export. */
export interface TextFormat {
  /** What comes first. */
  head(): string;
  /** The rows of a block, a few rows at a time, so that the event loop is held for about a millisecond between two. */
  rows(block: ExportBlock): Generator<Buffer, void, void>;
  /** What comes last: where the export goes on, when it is cut; null: it is complete. */
  tail(next: string | null): string;
}

/** Rows are collected up to this size; less than a millisecond of work. */
const pieceBytes = 64 * 1024;

const [minus, zero, point, comma] = Buffer.from('-0.,');

/** Memory for writers that are to come: most rows of an export are in many small blocks, each with a writer of its own. */
const spare: Buffer[] = [];
const spareMax = 4;
const spareBytesMax = 256 * 1024;

const nothing = Buffer.alloc(0);

/**
 * Writes rows into pieces, each in memory of its own. Numbers and times are written as bytes, which makes no strings to be
 * collected. Its owner calls {@link end} after the last row.
 */
export class RowWriter {
  #bytes: Buffer = nothing;
  #view = viewOf(this.#bytes);
  #at = 0;

  /** Writes bytes that are known before. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Writes a text in UTF-8. */
  text(text: string): void {
    this.#reserve(3 * text.length);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** Writes a time in UTC, µs. */
  instant(us: number): void {
    this.#reserve(instantBytesMax);
    this.#at = writeInstant(us, this.#view, this.#at);
  }

  /** Writes the shortest text that is read as the same finite number, -0 included. */
  number(value: number): void {
    this.#reserve(numberBytesMax);
    if (value === 0 && 1 / value < 0) {
      this.#bytes[this.#at++] = minus;
      this.#bytes[this.#at++] = zero;
    } else this.#at = writeNumber(value, this.#bytes, this.#at);
  }

  /** The same with a decimal comma. */
  commaNumber(value: number): void {
    this.#reserve(numberBytesMax);
    const start = this.#at;
    this.number(value);
    const dot = this.#bytes.subarray(start, this.#at).indexOf(point);
    if (dot >= 0) this.#bytes[start + dot] = comma;
  }

  /** To be called after a row: what has been collected, when it is enough, else null. */
  endRow(): Buffer | null {
    return this.#at < pieceBytes ? null : this.#take();
  }

  /** The rest of what has been collected; ends the writer. */
  end(): Buffer {
    const piece = this.#take();
    const { length } = this.#bytes;
    if (length > 0 && length <= spareBytesMax && spare.length < spareMax) spare.push(this.#bytes);
    this.#bytes = nothing;
    return piece;
  }

  /** A copy, which has no more memory than it needs, and leaves room for the next piece where this one was. */
  #take(): Buffer {
    const piece = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return piece;
  }

  /** Makes room for so many bytes: a piece and what a row usually takes, or more for a row that is long. */
  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const ready = this.#at === 0 ? spare.pop() : undefined;
    const isEnough = ready !== undefined && needed <= ready.length;
    const larger = isEnough ? ready : Buffer.allocUnsafeSlow(Math.max(pieceBytes + 4096, 2 * needed));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
