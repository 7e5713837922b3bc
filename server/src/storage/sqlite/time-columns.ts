/** Reads the columns of times that blocks share. A column never changes, and its ID is never used again. */
import type { DatabaseSync } from 'node:sqlite';
import { LruCache } from '#model/lru-cache';
import { damagedColumn, decodeColumn, type TimesOf } from '../codec/block-times.ts';
import { isDamage } from './errors.ts';

/** Bytes of decoded columns that a thread keeps: the times of a million rows. */
export const defaultTimesBytesMax = 8 * 1024 * 1024;

/** Decoded columns by ID; the least recently used are dropped. */
export type TimesCache = LruCache<number, Float64Array>;

/** An empty cache. */
export function newTimesCache(bytesMax: number): TimesCache {
  return new LruCache(bytesMax, ({ byteLength }) => byteLength);
}

/** Reads columns over one connection; decoded ones are kept in `cache`, which all connections of a thread may share. */
export function columnReader(db: DatabaseSync, cache: TimesCache): TimesOf {
  const select = db.prepare('select data from series_times where id = ?');
  select.setReturnArrays(true);
  const read = (id: number): Uint8Array => {
    try {
      const found = select.get(id) as unknown as [Uint8Array] | undefined;
      if (found !== undefined) return found[0];
    } catch (error) {
      if (!isDamage(error)) throw error;
      throw damagedColumn(id, String(error));
    }
    throw damagedColumn(id, 'it is missing');
  };
  return (id) => cache.getOrMake(id, () => decodeColumn(read(id), id));
}
