/**
 * Handles blocks that cannot be read during sealing: such a block is not changed, and points before and after it are sealed as
 * usual. Points within its time range cannot be moved to blocks, since blocks do not overlap. They are stranded: they are stored
 * in a new row of the log, so that their original rows can be deleted and reads of that range still detect the damaged block.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { Points } from '#model/frame';
import { lowerBound } from '#model/lower-bound';
import { LruCache } from '#model/lru-cache';
import { StoredDamage } from '../codec/damage.ts';
import { decodeAll } from './decode-pace.ts';
import type { BlockEntry } from './directory.ts';
import { Head } from './head.ts';
import { LogReader, rowBytes } from './log-reader.ts';
import type { StrandedPoints } from './messages.ts';
import type { ChangeBuilder, NewPoints } from './rewriting.ts';
import { mergeRuns } from './runs.ts';
import type { SealGroup } from './seal-plan.ts';
import type { SnapshotReader } from './snapshot.ts';

/** A group divided around its damaged blocks. */
export interface SplitGroup {
  /** The groups with new points before, between and after the damaged blocks, which can be rewritten. */
  groups: SealGroup[];
  /** New points within the time ranges of damaged blocks, in arrays of their own. */
  stranded: Points[];
}

/** Rewrites a group as {@link ChangeBuilder.rewrite} does. If it has damaged blocks, changes nothing and returns the divided group. */
export function rewriteOrSplit(
  made: ChangeBuilder,
  snapshot: SnapshotReader,
  signal: number,
  group: SealGroup,
  points: NewPoints,
  around: readonly BlockEntry[],
): SplitGroup | null {
  try {
    made.rewrite(snapshot, signal, group, points, around);
    return null;
  } catch (error) {
    if (!(error instanceof StoredDamage)) throw error;
    const damaged = findDamaged(snapshot, signal, group.entries);
    if (damaged.size === 0) throw error;
    for (const what of damaged.values()) made.noteDamage(what);
    return splitAround(group, points, (block) => damaged.has(block));
  }
}

/** The damaged ones of these blocks, each with a description of the damage. */
function findDamaged(
  { blocks }: SnapshotReader,
  signal: number,
  entries: readonly BlockEntry[],
): Map<number, string> {
  const found = new Map<number, string>();
  for (const entry of entries) {
    try {
      blocks.load(signal, entry);
    } catch (error) {
      if (!(error instanceof StoredDamage)) throw error;
      found.set(entry.block, error.message);
    }
  }
  return found;
}

/** Divides a group around its damaged blocks. The group's `from` and `to` are indexes into `points`. */
export function splitAround(
  { entries, from, to }: SealGroup,
  { timesUs, values }: Points,
  isDamaged: (block: number) => boolean,
): SplitGroup {
  const split: SplitGroup = { groups: [], stranded: [] };
  let part: SealGroup = { entries: [], from, to };
  const end = (at: number) => {
    if (at > part.from) split.groups.push({ ...part, to: at });
  };
  for (const entry of entries) {
    if (!isDamaged(entry.block)) {
      part.entries.push(entry);
      continue;
    }
    const [start, next] = [entry.firstUs, entry.lastUs + 1].map((us) =>
      within(lowerBound(timesUs, us), from, to),
    );
    end(start);
    if (next > start) {
      split.stranded.push({ timesUs: timesUs.slice(start, next), values: values.slice(start, next) });
    }
    part = { entries: [], from: next, to };
  }
  end(to);
  return split;
}

function within(index: number, from: number, to: number): number {
  return Math.min(Math.max(index, from), to);
}

/**
 * The stranded points, updated with newer values from rows appended since. Must be called in the transaction that stores them,
 * since their row will come after those rows.
 */
export function withNewest(db: DatabaseSync, { signal, points, throughSeq }: StrandedPoints): Points {
  const head = new Head();
  for (const { seq, head: bytes } of db
    .prepare('select seq, head from series_log where seq > ? order by seq')
    .iterate(throughSeq)) {
    head.add(Number(seq), bytes as Uint8Array);
  }
  const { timesUs } = points;
  const [startUs, endUs] = [timesUs[0], timesUs[timesUs.length - 1] + 1];
  const log = new LogReader(db, new LruCache(0, rowBytes), decodeAll);
  const parts = log.readable(head.parts(signal, startUs, endUs, throughSeq));
  return mergeRuns([points, log.read(parts, startUs, endUs)]);
}
