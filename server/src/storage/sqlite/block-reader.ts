/** Reads blocks, and remembers decoded ones. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { printInstant } from '#model/instant-printer';
import type { LruCache } from '#model/lru-cache';
import { blockPointsMax, type DecodedBlock, decodeColumns } from '../codec/block.ts';
import type { TimesOf } from '../codec/block-times.ts';
import { StoredDamage } from '../codec/damage.ts';
import { crcOf } from '../codec/sealed-bytes.ts';
import { writeOut } from '../codec/times.ts';
import type { Decode } from './decode-pace.ts';
import type { BlockEntry } from './directory.ts';
import { isDamage } from './errors.ts';
import { columnReader, type TimesCache } from './time-columns.ts';

/** The share of the cache that one request may fill with decoded blocks. */
const keptShare = 0.5;

/** The caches of decoded blocks and time columns of one thread, and a buffer for a block that is not cached. */
export interface BlockMemory {
  /** By signal and first time, so that a block that grows replaces its earlier versions. */
  cache: LruCache<string, CachedBlock>;
  scratch: Points;
  times: TimesCache;
  decode: Decode;
}

/** The points of a block, and the IDs of the shared columns that have some of their times. */
export type BlockPoints = Omit<DecodedBlock, 'regular'>;

/** A decoded block. */
interface CachedBlock {
  block: number;
  points: DecodedBlock;
}

/** Bytes that a decoded block takes. */
export function cachedBytes({ points: { timesUs, values } }: CachedBlock): number {
  return timesUs.byteLength + values.byteLength;
}

/** A buffer for the largest block. */
export function blockScratch(): Points {
  return { timesUs: new Float64Array(blockPointsMax), values: new Float64Array(blockPointsMax) };
}

/** Reads blocks through one connection; decoded ones are shared by all connections of a thread. */
export class BlockReader {
  readonly #select: StatementSync;
  readonly #memory: BlockMemory;
  /** The times of a shared column. */
  readonly timesOf: TimesOf;
  #keptBytes = 0;

  constructor(db: DatabaseSync, memory: BlockMemory) {
    this.#select = db.prepare('select data from series_block where id = ?');
    this.#select.setReturnArrays(true);
    this.#memory = memory;
    this.timesOf = columnReader(db, memory.times);
  }

  /** Begins another request. */
  begin(): void {
    this.#keptBytes = 0;
  }

  /** The points of a block, its times written out. The caller may keep them but must not change them. Fails with a {@link StoredDamage}. */
  load(signal: number, entry: BlockEntry): DecodedBlock {
    const { cache } = this.#memory;
    const known = this.#known(signal, entry);
    if (known !== undefined) return known;
    const points = this.#decode(entry, () => written(this.#readBlock(signal, entry, null)));
    const kept = { block: entry.block, points };
    this.#keptBytes += cachedBytes(kept);
    cache.set(keyOf(signal, entry), kept);
    return points;
  }

  /** As {@link load}, but valid only until the next call; used by large requests, which read each block once. */
  borrow(signal: number, entry: BlockEntry): Points {
    return written(this.borrowColumns(signal, entry));
  }

  /** As {@link borrow}, but regular times are not expanded. */
  borrowColumns(signal: number, entry: BlockEntry): DecodedBlock {
    const { cache, scratch } = this.#memory;
    const isKept = this.#keptBytes < cache.sizeMax * keptShare;
    const known = isKept ? this.load(signal, entry) : this.#known(signal, entry);
    if (known !== undefined) return known;
    return this.#decode(entry, () => this.#readBlock(signal, entry, scratch));
  }

  #known(signal: number, entry: BlockEntry): DecodedBlock | undefined {
    const found = this.#memory.cache.get(keyOf(signal, entry));
    return found?.block === entry.block ? found.points : undefined;
  }

  #decode<T>({ count }: BlockEntry, decode: () => T): T {
    return this.#memory.decode('block', count, decode);
  }

  #readBlock(signal: number, entry: BlockEntry, into: Points | null): DecodedBlock {
    const name = `${entry.block} of signal ${signal} in tidemark.db`;
    try {
      const bytes = this.#bytesOf(entry.block, name);
      const decoded = decodeColumns(bytes, name, into, this.timesOf);
      const difference = differenceFrom(entry, bytes, decoded);
      if (difference === null) return decoded;
      throw new StoredDamage(`block ${name} is damaged: ${difference}`);
    } catch (error) {
      if (error instanceof StoredDamage) throw withRange(error, signal, entry);
      throw error;
    }
  }

  #bytesOf(block: number, name: string): Uint8Array {
    try {
      const found = this.#select.get(block) as unknown as [Uint8Array] | undefined;
      if (found !== undefined) return found[0];
    } catch (error) {
      if (!isDamage(error)) throw error;
      throw new StoredDamage(`block ${name} is damaged: ${error}`);
    }
    throw new StoredDamage(`block ${name} is damaged: it is missing`);
  }
}

function keyOf(signal: number, { firstUs }: BlockEntry): string {
  return `${signal}:${firstUs}`;
}

/** How a block differs from its entry, else null; checked since a block of another signal may have the same times. */
function differenceFrom(
  entry: BlockEntry,
  bytes: Uint8Array,
  { regular, timesUs, values }: DecodedBlock,
): string | null {
  const found: Partial<BlockEntry> = {
    bytes: bytes.length,
    crc: entry.crc === null ? null : crcOf(bytes),
    count: values.length,
    firstUs: regular?.firstUs ?? timesUs[0],
    lastUs: regular === null ? timesUs[timesUs.length - 1] : entry.lastUs,
    first: values[0],
    last: values[values.length - 1],
  };
  for (const [name, value] of Object.entries(found)) {
    const described = entry[name as keyof BlockEntry];
    if (value !== described) return `${name} is ${value}, not ${described} as in the directory`;
  }
  return null;
}

function withRange(
  { message }: StoredDamage,
  signal: number,
  { count, firstUs, lastUs }: BlockEntry,
): StoredDamage {
  const range = `${count} points from ${printInstant(firstUs)} to ${printInstant(lastUs)}`;
  return new StoredDamage(
    `${message}; it holds ${range}; restore a backup, or delete that time range`,
    signal,
  );
}

function written(block: DecodedBlock): DecodedBlock {
  const { regular, columns, timesUs, values } = block;
  if (regular === null) return block;
  writeOut(regular, timesUs);
  return { regular: null, columns, timesUs, values };
}
