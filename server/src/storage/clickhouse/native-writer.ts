/** Writes points in ClickHouse's Native format: blocks of the columns signal, time, value and version. */

/** Rows of one block at most: about a millisecond of encoding for each 10,000. */
export const blockRowsMax = 65_536;

/** The columns that {@link BlockWriter} writes, for a statement. */
export const pointColumns = 'signal, time, value, version';

/** The number of no signal, under which rows that are no points are stored. */
export const markerSignal = 2 ** 63;

const wordSize = 2 ** 32;

/** Rows from which on copying whole columns is worth its preparation. */
const copiedMin = 16;

/** Four columns of 8 bytes. */
const rowBytes = 32;

/** Memory that is kept: for the blocks of an insert of 262,144 rows, 8 MiB. */
const blocksKept = 4;

/**
 * Memory for the large blocks of one insert after the other. New memory for each would begin a collection of all garbage every
 * tenth of a second under load, since the runtime counts what arrays take.
 */
export class BlockMemory {
  #free: ArrayBuffer[] = [];
  #taken: ArrayBuffer[] = [];

  /** Begins an insert. What one has taken that did not {@link end} may still be on its way to a server, and is not used again. */
  begin(): void {
    this.#taken = [];
  }

  /** Memory for {@link blockRowsMax} rows. */
  take(): ArrayBuffer {
    const memory = this.#free.pop() ?? new ArrayBuffer(rowBytes * blockRowsMax);
    this.#taken.push(memory);
    return memory;
  }

  /** The server has all that the insert has sent. */
  end(): void {
    this.#free = [...this.#free, ...this.#taken].slice(0, blocksKept);
    this.#taken = [];
  }
}

/** Collects rows for one block. */
export class BlockWriter {
  readonly #signals: Uint32Array;
  readonly #times: Int32Array;
  readonly #values: Float64Array;
  readonly #versions: Uint32Array;
  /** The same memory as signals and versions. */
  readonly #wholeSignals: BigUint64Array;
  readonly #wholeVersions: BigUint64Array;
  #count = 0;

  /** For blocks of up to this many rows; `memory` has space for them. */
  constructor(rowsMax: number, memory = new ArrayBuffer(rowBytes * rowsMax)) {
    const from = (column: number) => 8 * column * rowsMax;
    this.#signals = new Uint32Array(memory, from(0), 2 * rowsMax);
    this.#times = new Int32Array(memory, from(1), 2 * rowsMax);
    this.#values = new Float64Array(memory, from(2), rowsMax);
    this.#versions = new Uint32Array(memory, from(3), 2 * rowsMax);
    this.#wholeSignals = new BigUint64Array(memory, from(0), rowsMax);
    this.#wholeVersions = new BigUint64Array(memory, from(3), rowsMax);
  }

  /** How many rows still fit. */
  get space(): number {
    return this.#values.length - this.#count;
  }

  /**
   * Adds those of the values of one signal from `first` on that are not NaN, as many as there are times; `timeWords` holds these
   * as {@link timeWordsOf} makes them. There must be space for all.
   */
  add(signal: number, timeWords: Int32Array, values: Float64Array, first: number, version: Version): void {
    const own =
      timeWords.length < 2 * copiedMin ? null : values.subarray(first, first + timeWords.length / 2);
    if (own !== null && !hasNaN(own)) this.#addAll(signal, timeWords, own, version);
    else this.#addEach(signal, timeWords, values, first, version);
  }

  /** Copies the columns. */
  #addAll(signal: number, timeWords: Int32Array, values: Float64Array, { high, low }: Version): void {
    const [from, to] = [this.#count, this.#count + values.length];
    this.#wholeSignals.fill(BigInt(signal), from, to);
    this.#times.set(timeWords, 2 * from);
    this.#values.set(values, from);
    this.#wholeVersions.fill(BigInt(high) * BigInt(wordSize) + BigInt(low), from, to);
    this.#count = to;
  }

  #addEach(
    signal: number,
    timeWords: Int32Array,
    values: Float64Array,
    first: number,
    version: Version,
  ): void {
    const [signalHigh, signalLow] = [Math.floor(signal / wordSize), signal >>> 0];
    const [signals, times, kept, versions] = [this.#signals, this.#times, this.#values, this.#versions];
    let count = this.#count;
    for (let row = 0; 2 * row < timeWords.length; row++) {
      const value = values[first + row];
      if (Number.isNaN(value)) continue;
      const at = 2 * count;
      signals[at] = signalLow;
      signals[at + 1] = signalHigh;
      times[at] = timeWords[2 * row];
      times[at + 1] = timeWords[2 * row + 1];
      versions[at] = version.low;
      versions[at + 1] = version.high;
      kept[count++] = value;
    }
    this.#count = count;
  }

  /** The block, empty where no row was added. Ends the writer: the bytes are its own memory. */
  finish(): Uint8Array[] {
    const count = this.#count;
    if (count === 0) return [];
    return [
      Buffer.from([4, ...varint(count), ...columnHead('signal', 'UInt64')]),
      bytesOf(this.#signals, 8 * count),
      Buffer.from(columnHead('time', 'Int64')),
      bytesOf(this.#times, 8 * count),
      Buffer.from(columnHead('value', 'Float64')),
      bytesOf(this.#values, 8 * count),
      Buffer.from(columnHead('version', 'UInt64')),
      bytesOf(this.#versions, 8 * count),
    ];
  }
}

/** A version as two words of 32 bits. */
export interface Version {
  low: number;
  high: number;
}

/** Groups of places that share one number of the sequence. */
export const placesOfGroup = 2 ** 20;

/** The version of a place in the group with this number: `number · 2^20 + place`. */
export function versionOf(number: number, place: number): Version {
  const low = (number % 4096) * placesOfGroup + place;
  return { low, high: Math.floor(number / 4096) };
}

/** Times as Int64, two words each, the lower one first. */
export function timeWordsOf(timesUs: Float64Array): Int32Array {
  const words = new Int32Array(2 * timesUs.length);
  for (let i = 0; i < timesUs.length; i++) {
    const high = Math.floor(timesUs[i] / wordSize);
    words[2 * i] = timesUs[i] - high * wordSize;
    words[2 * i + 1] = high;
  }
  return words;
}

/** A loop: a callback for each value takes ten times as long. */
function hasNaN(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) return true;
  return false;
}

function columnHead(name: string, type: string): number[] {
  return [name, type].flatMap((text) => [...varint(text.length), ...Buffer.from(text, 'latin1')]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return bytes;
}

function bytesOf({ buffer, byteOffset }: ArrayBufferView, length: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}
