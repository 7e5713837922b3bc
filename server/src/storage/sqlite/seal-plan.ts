/** Determines which blocks of a signal have to be rewritten with new points. */

import type { Points } from '#model/frame';
import { lowerBound } from '#model/lower-bound';
import { isFull } from './cut.ts';
import type { BlockEntry } from './directory.ts';

/** Blocks and new points that are written to blocks together. Groups do not overlap one another or any other block. */
export interface SealGroup {
  entries: BlockEntry[];
  /** New points of the group: `[from, to)`. */
  from: number;
  to: number;
}

/**
 * The groups for new points (ascending, at least one). `entries` are the blocks around them, ascending. A block is rewritten
 * when new points are within its time range. Points between blocks form a group of their own, or join the block before them if
 * that is rewritten anyway. Small adjacent blocks are merged while they are not much larger than the group, so that a signal
 * that grows slowly gets full blocks too, and each point is written a logarithmic number of times.
 */
export function planGroups(entries: readonly BlockEntry[], points: Points): SealGroup[] {
  const groups: Placed[] = [];
  const { timesUs } = points;
  let at = 0;
  for (let i = 0; i <= entries.length; i++) {
    const gapEnd = i < entries.length ? lowerBound(timesUs, entries[i].firstUs) : timesUs.length;
    if (gapEnd > at) {
      const left = groups.at(-1);
      if (left !== undefined && left.right === i - 1 && left.left <= left.right) left.to = gapEnd;
      else groups.push({ left: i, right: i - 1, from: at, to: gapEnd });
      at = gapEnd;
    }
    if (i === entries.length) break;
    const inside = lowerBound(timesUs, entries[i].lastUs + 1);
    if (inside > at) groups.push({ left: i, right: i, from: at, to: inside });
    at = inside;
  }
  return groups.map((_, index) => takeIn(groups, index, entries));
}

/** A group while it is planned: the entries `left..right`, none when `right < left`. */
interface Placed {
  left: number;
  right: number;
  from: number;
  to: number;
}

function takeIn(groups: readonly Placed[], index: number, entries: readonly BlockEntry[]): SealGroup {
  const group = groups[index];
  const leftEnd = index > 0 ? groups[index - 1].right : -1;
  const rightEnd = index + 1 < groups.length ? groups[index + 1].left : entries.length;
  let count = group.to - group.from;
  for (let i = group.left; i <= group.right; i++) count += entries[i].count;
  const isSmall = (entry: BlockEntry) => !isFull(entry.bytes, entry.count) && entry.count <= 2 * count;
  while (group.left - 1 > leftEnd && isSmall(entries[group.left - 1])) count += entries[--group.left].count;
  while (group.right + 1 < rightEnd && isSmall(entries[group.right + 1]))
    count += entries[++group.right].count;
  return { entries: entries.slice(group.left, group.right + 1), from: group.from, to: group.to };
}
