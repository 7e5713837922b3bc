/** A run of times as parts of columns that several blocks share, and times of its own between them. */
import { lowerBound } from '#model/lower-bound';

/** Times that are stored once, and that blocks refer to. */
export interface TimeColumn {
  id: number;
  /** Strictly ascending. */
  timesUs: Float64Array;
}

/** `length` successive times of a run: those from `offset` of a column, or the run's own when `column` is null. */
export interface TimesPart {
  column: TimeColumn | null;
  offset: number;
  length: number;
}

/** A search gives up after this many times that are in no column, if they are more than half of all. */
const missesMax = 256;

/**
 * Finds a run's times in columns, which are tried in their order. Null when few of the times are in any of them. Takes a pass
 * over the times, and a search of the columns for each part.
 */
export function findParts(timesUs: Float64Array, columns: readonly TimeColumn[]): TimesPart[] | null {
  const parts: TimesPart[] = [];
  let column: TimeColumn | null = null;
  let ownFrom = 0;
  let missCount = 0;
  for (let at = 0; at < timesUs.length; ) {
    const found = findTime(timesUs[at], column, columns);
    if (found === null) {
      missCount++;
      if (missCount > missesMax && missCount * 2 > at) return null;
      at++;
      continue;
    }
    column = found.column;
    if (at > ownFrom) parts.push({ column: null, offset: 0, length: at - ownFrom });
    const length = equalCount(timesUs, at, column.timesUs, found.offset);
    parts.push({ ...found, length });
    at += length;
    ownFrom = at;
  }
  if (parts.length === 0) return null;
  if (timesUs.length > ownFrom) parts.push({ column: null, offset: 0, length: timesUs.length - ownFrom });
  return parts;
}

/** The parts of the times `[from, to)` of a run. */
export function partsWithin(parts: readonly TimesPart[], from: number, to: number): TimesPart[] {
  const found: TimesPart[] = [];
  let at = 0;
  for (const { column, offset, length } of parts) {
    const [start, end] = [Math.max(from, at), Math.min(to, at + length)];
    if (end > start) found.push({ column, offset: offset + start - at, length: end - start });
    at += length;
  }
  return found;
}

/** Where a time is: in the column of the part before it, or else in the first one that has it. */
function findTime(timeUs: number, previous: TimeColumn | null, columns: readonly TimeColumn[]) {
  const inPrevious = previous === null ? -1 : offsetOf(timeUs, previous);
  if (previous !== null && inPrevious >= 0) return { column: previous, offset: inPrevious };
  for (const column of columns) {
    const offset = offsetOf(timeUs, column);
    if (offset >= 0) return { column, offset };
  }
  return null;
}

/** The index of a time in a column; -1 when it is not there. */
function offsetOf(timeUs: number, { timesUs }: TimeColumn): number {
  if (timeUs < timesUs[0] || timeUs > timesUs[timesUs.length - 1]) return -1;
  const offset = lowerBound(timesUs, timeUs);
  return timesUs[offset] === timeUs ? offset : -1;
}

/** How many times are equal from two indexes on. */
function equalCount(a: Float64Array, fromA: number, b: Float64Array, fromB: number): number {
  const most = Math.min(a.length - fromA, b.length - fromB);
  let count = 0;
  while (count < most && a[fromA + count] === b[fromB + count]) count++;
  return count;
}
