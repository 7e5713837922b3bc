/**
 * The new time columns of a cycle of sealing, to which the blocks of several signals can refer. They are stored with the first
 * block that does.
 */
import { columnTimesMax } from '../codec/block-times.ts';
import type { TimeColumn } from '../codec/time-parts.ts';
import { isRegular } from '../codec/times.ts';
import type { FrameGroup } from './frame-groups.ts';

/** The columns of all groups of signals. */
export class TimesPool {
  readonly #groups: ReadonlyMap<number, FrameGroup>;
  readonly #sparedMin: number;
  readonly #columns = new Map<FrameGroup, readonly TimeColumn[]>();
  /** Columns that are not stored yet, by ID. */
  readonly #pending = new Map<number, TimeColumn>();

  /** `sparedMin`: how many times the columns of a group have to spare its signals, to be worth their own bytes. */
  constructor(groups: ReadonlyMap<number, FrameGroup> = new Map(), sparedMin = 0) {
    this.#groups = groups;
    this.#sparedMin = sparedMin;
  }

  /** The columns with the times of the rows that a signal shares with others, ascending. `nextId` gives new columns their IDs. */
  columnsFor(signal: number, nextId: () => number): readonly TimeColumn[] {
    const group = this.#groups.get(signal);
    if (group === undefined) return [];
    const known = this.#columns.get(group);
    if (known !== undefined) return known;
    const columns = newColumns(group, this.#sparedMin, nextId);
    this.#columns.set(group, columns);
    for (const column of columns) this.#pending.set(column.id, column);
    return columns;
  }

  /** The column with this ID if it is not stored yet; afterwards it counts as stored. */
  take(id: number): TimeColumn | null {
    const column = this.#pending.get(id) ?? null;
    this.#pending.delete(id);
    return column;
  }
}

function newColumns({ signals, rows }: FrameGroup, sparedMin: number, nextId: () => number): TimeColumn[] {
  const timesUs = timesOf(rows);
  if (isRegular(timesUs) || timesUs.length * (signals.length - 1) < sparedMin) return [];
  const length = Math.ceil(timesUs.length / Math.ceil(timesUs.length / columnTimesMax));
  const columns: TimeColumn[] = [];
  for (let from = 0; from < timesUs.length; from += length) {
    columns.push({ id: nextId(), timesUs: timesUs.subarray(from, from + length) });
  }
  return columns;
}

/** The times of all rows that have been loaded, strictly ascending. */
function timesOf(rows: FrameGroup['rows']): Float64Array {
  const runs = rows.flatMap(({ data }) => data?.timesUs ?? []);
  const all = new Float64Array(runs.reduce((sum, run) => sum + run.length, 0));
  let at = 0;
  for (const run of runs) {
    all.set(run, at);
    at += run.length;
  }
  all.sort();
  let count = 0;
  for (const [i, timeUs] of all.entries()) if (i === 0 || timeUs !== all[count - 1]) all[count++] = timeUs;
  return all.subarray(0, count);
}
