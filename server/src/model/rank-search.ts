/**
 * Finds values by their rank among any number of values, exactly and in bounded memory (radix selection). A pass over all
 * values counts them by 16 bits of their sort key; the next pass looks only at the values that share the bits of a wanted rank,
 * until so few are left that they can be sorted. Most data takes two passes; four are the most.
 */

import { bug } from './error.ts';

const binCount = 65_536;
/** A sort key has 64 bits: four digits of 16. */
const digitCount = 4;

/** The values whose sort keys begin with the same digits. */
interface Cell {
  prefix: number;
  /** Of all values, how many are smaller than those of the cell. */
  before: number;
  /** Values in the cell where they are few enough to be kept, else 0. */
  keptMax: number;
  /** The values, or how many of them have each next digit; made when the first one comes, as many searches may wait. */
  kept: Float64Array | null;
  keptCount: number;
  counts: Uint32Array | null;
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/** Searches the values of some ranks. Every pass is given all values, in any order. */
export class RankSearch {
  readonly #keptMax: number;
  readonly #found = new Map<number, number>();
  #wanted: readonly number[] = [];
  #cells: Cell[] = [cellOf(0, 0, 0)];
  /** Digits that the prefixes of the cells have. */
  #digits = 0;
  #count = 0;

  /** At most `keptMax` values are kept for a rank; a pass takes 256 KB for each rank besides. */
  constructor(keptMax: number) {
    this.#keptMax = keptMax;
  }

  /** Values in all; known after the first pass. */
  get count(): number {
    return this.#count;
  }

  /** Takes the values at `[from, to)`. */
  add(values: Float64Array, from: number, to: number): void {
    const words = new Uint32Array(values.buffer, values.byteOffset + 8 * from, 2 * (to - from));
    if (this.#digits === 0) {
      this.#count += to - from;
      this.#cells[0].counts ??= new Uint32Array(binCount);
      countFirstDigits(words, this.#cells[0].counts);
      return;
    }
    const cells = this.#cells;
    for (let at = 0; at < words.length; at += 2) {
      const mask = words[at + 1] >>> 31 === 1 ? 0xffff_ffff : 0;
      const high = (words[at + 1] ^ (mask | 0x8000_0000)) >>> 0;
      const low = (words[at] ^ mask) >>> 0;
      const prefix = prefixOf(high, low, this.#digits);
      for (let i = 0; i < cells.length; i++) {
        if (cells[i].prefix === prefix) this.#take(cells[i], values[from + (at >> 1)], high, low);
      }
    }
  }

  #take(cell: Cell, value: number, high: number, low: number): void {
    if (cell.keptMax === 0) {
      cell.counts ??= new Uint32Array(binCount);
      cell.counts[digitOf(high, low, this.#digits)]++;
    } else {
      cell.kept ??= new Float64Array(cell.keptMax);
      cell.kept[cell.keptCount++] = value;
    }
  }

  /** Ends the first pass: says which ranks are wanted, counted from 0 and below {@link count}. Whether all are found. */
  search(ranks: readonly number[]): boolean {
    this.#wanted = ranks;
    return this.endPass();
  }

  /** Ends a further pass. Whether all ranks are found. */
  endPass(): boolean {
    const next = new Map<number, Cell>();
    for (const rank of this.#wanted) {
      if (this.#found.has(rank)) continue;
      const cell = this.#cells.findLast(({ before }) => before <= rank) as Cell;
      if (cell.kept !== null) this.#found.set(rank, cell.kept.sort()[rank - cell.before]);
      else this.#narrow(cell, rank, next);
    }
    this.#cells = [...next.values()].sort((a, b) => a.before - b.before);
    this.#digits++;
    return this.#cells.length === 0;
  }

  /** The value of a wanted rank. */
  at(rank: number): number {
    return this.#found.get(rank) ?? Number.NaN;
  }

  /** Finds the next digit of a rank; the last one gives its value. */
  #narrow(cell: Cell, rank: number, next: Map<number, Cell>): void {
    const counts = cell.counts ?? bug('values of a wanted rank were not given again');
    let { before } = cell;
    let digit = 0;
    while (before + counts[digit] <= rank) before += counts[digit++];
    if (this.#digits === digitCount - 1) {
      this.#found.set(rank, doubleOf(cell.prefix, digit));
      return;
    }
    const prefix = cell.prefix * binCount + digit;
    if (next.has(prefix)) return;
    next.set(prefix, cellOf(prefix, before, counts[digit] <= this.#keptMax ? counts[digit] : 0));
  }
}

/** The sort keys of doubles have their order: the bits of negative ones are inverted, of others only the sign. */
function countFirstDigits(words: Uint32Array, counts: Uint32Array): void {
  for (let at = 1; at < words.length; at += 2) {
    const word = words[at];
    counts[(word >>> 31 === 1 ? ~word : word | 0x8000_0000) >>> 16]++;
  }
}

function cellOf(prefix: number, before: number, keptMax: number): Cell {
  return { prefix, before, keptMax, kept: null, keptCount: 0, counts: null };
}

/** The first digits of a sort key, at most three. */
function prefixOf(high: number, low: number, digits: number): number {
  if (digits === 0) return 0;
  if (digits === 1) return high >>> 16;
  return digits === 2 ? high : high * binCount + (low >>> 16);
}

/** The digit after so many. */
function digitOf(high: number, low: number, digits: number): number {
  const word = digits < 2 ? high : low;
  return digits % 2 === 0 ? word >>> 16 : word & 0xffff;
}

/** The double of a sort key: its first three digits and the last one. */
function doubleOf(prefix: number, digit: number): number {
  const high = Math.floor(prefix / binCount);
  const low = ((prefix % binCount) * binCount + digit) >>> 0;
  const mask = high >>> 31 === 1 ? 0 : 0xffff_ffff;
  words[1] = (high ^ (mask | 0x8000_0000)) >>> 0;
  words[0] = (low ^ mask) >>> 0;
  return double[0];
}
