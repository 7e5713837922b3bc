/** Reads blocks, and remembers decoded ones. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { decodeBlock } from '../codec/block.ts';
import type { ByteCache } from './byte-cache.ts';
import type { BlockEntry } from './directory.ts';

/** Bytes that decoded points take. */
export function pointsBytes({ timesUs, values }: Points): number {
  return timesUs.byteLength + values.byteLength;
}

/** Reads blocks through one connection; decoded ones are shared by all connections of a thread. */
export class BlockReader {
  readonly #select: StatementSync;
  readonly #cache: ByteCache<Points>;

  constructor(db: DatabaseSync, cache: ByteCache<Points>) {
    this.#select = db.prepare('select data from series_block where id = ?');
    this.#select.setReturnArrays(true);
    this.#cache = cache;
  }

  /** The points of a block. Fails with an error that names it when it is damaged. */
  load(signal: number, entry: BlockEntry): Points {
    const known = this.#cache.get(entry.block);
    if (known !== undefined) return known;
    const name = `${entry.block} of signal ${signal} in tidemark.db`;
    const found = this.#select.get(entry.block);
    if (found === undefined) throw new Error(`block ${name} is missing; restore a backup`);
    const points = decodeBlock((found as unknown as [Uint8Array])[0], name);
    if (points.timesUs.length !== entry.count || points.timesUs[0] !== entry.firstUs) {
      throw new Error(`block ${name} is not the one that the directory describes; restore a backup`);
    }
    this.#cache.add(entry.block, points);
    return points;
  }
}
