/**
 * Makes columns of the rows of lines. Heads with the same times share a frame, as those of one collection of an agent have: its
 * columns are then full. Small frames are put together although that leaves gaps, since each frame costs a row of the store's log.
 */
import { Columns } from '#model/frame';
import { LruCache } from '#model/lru-cache';
import { pieces, type Steps } from '#model/steps';
import type { RowSeries } from './series.ts';
import type { SeriesRows } from './series-rows.ts';
import type { SeriesFrame } from './series-writer.ts';

/** The most cells of frames that are put together though they have no times in common. */
const sparseCellsMax = 1024;

/** Nanoseconds of work for each value or row, and the values after which a step may end. */
const valueWork = 60;
const stepValues = 4096;

/** Lists of keys that are remembered; bodies of a client have the same ones again and again. */
const listsMax = 200_000;

/** Heads with the same times, as places of {@link Rows}. */
interface Group {
  slots: number[];
  /** Where the rows of its first head begin in the order of rows. */
  from: number;
  rows: number;
  columns: number;
}

/** The rows in the order of their heads. */
interface Ordered {
  order: Uint32Array;
  /** Where the rows of each head begin, and the end. */
  ends: Uint32Array;
}

interface KnownList {
  series: readonly RowSeries[];
  keys: readonly string[];
}

/** Makes frames, and remembers their lists of keys, by which the domain remembers the numbers of signals (see `Columns.keys`). */
export class SeriesFrames {
  readonly #lists = new LruCache<number, KnownList>(listsMax, ({ keys }) => keys.length + 100);

  /** The frames of rows, none of which has more than `columnsMax` columns. Values that are NaN make no column. */
  *make(rows: SeriesRows, columnsMax: number): Steps<SeriesFrame[]> {
    const ordered = yield* orderByHead(rows);
    const columns = yield* findColumns(rows);
    const groups = yield* groupByTimes(rows, ordered, columns);
    const frames: SeriesFrame[] = [];
    for (const together of putTogether(groups, columnsMax)) {
      const series = together.flatMap(({ slots }) => slots.flatMap((slot) => columns[slot]));
      frames.push({ series, columns: yield* fill(rows, ordered, together, this.#keysOf(series)) });
    }
    return frames;
  }

  #keysOf(series: readonly RowSeries[]): readonly string[] {
    let hash = series.length;
    for (const { id } of series) hash = (Math.imul(hash, 31) + id) | 0;
    const known = this.#lists.get(hash);
    if (known?.series.length === series.length && known.series.every((one, i) => one === series[i]))
      return known.keys;
    const keys = series.map(({ input }) => input);
    this.#lists.set(hash, { series, keys });
    return keys;
  }
}

/** A counting sort, which keeps the order of the rows of a head. */
function* orderByHead({ slots, rowCount, heads }: SeriesRows): Steps<Ordered> {
  const ends = new Uint32Array(heads.length + 1);
  for (const [from, to] of pieces(rowCount)) {
    countSlots(slots, from, to, ends);
    yield (to - from) * valueWork;
  }
  for (let slot = 0; slot < heads.length; slot++) ends[slot + 1] += ends[slot];
  const next = ends.slice();
  const order = new Uint32Array(rowCount);
  for (const [from, to] of pieces(rowCount)) {
    placeRows(slots, from, to, next, order);
    yield (to - from) * valueWork;
  }
  return { order, ends };
}

function countSlots(slots: SeriesRows['slots'], from: number, to: number, ends: Uint32Array): void {
  for (let row = from; row < to; row++) ends[slots[row] + 1]++;
}

function placeRows(
  slots: SeriesRows['slots'],
  from: number,
  to: number,
  next: Uint32Array,
  order: Uint32Array,
): void {
  for (let row = from; row < to; row++) order[next[slots[row]]++] = row;
}

/** The series of each head that have a value; each knows its place among those of its head. */
function* findColumns(rows: SeriesRows): Steps<RowSeries[][]> {
  const columns = rows.heads.map((): RowSeries[] => []);
  for (let row = 0; row < rows.rowCount; ) {
    const from = rows.starts[row];
    row = addColumns(rows, columns, row, from + stepValues);
    yield (rows.starts[row] - from) * valueWork;
  }
  return columns;
}

/** Looks at rows until their values reach `stop`. Returns the next row. */
function addColumns(rows: SeriesRows, columns: RowSeries[][], from: number, stop: number): number {
  const { body, starts, slots, values, series, rowCount } = rows;
  let row = from;
  for (; row < rowCount && starts[row] < stop; row++) {
    for (let at = starts[row]; at < starts[row + 1]; at++) {
      const one = series[at];
      if (one.body === body || Number.isNaN(values[at])) continue;
      const own = columns[slots[row]];
      one.body = body;
      one.column = own.length;
      own.push(one);
    }
  }
  return row;
}

/** Groups heads with the same times in the same order. */
function* groupByTimes(rows: SeriesRows, ordered: Ordered, columns: RowSeries[][]): Steps<Group[]> {
  const byHash = new Map<number, Group>();
  const groups: Group[] = [];
  for (let slot = 0; slot < rows.heads.length; slot++) {
    if (columns[slot].length === 0) continue;
    const from = ordered.ends[slot];
    const count = ordered.ends[slot + 1] - from;
    const hash = hashOfTimes(rows, ordered, from, count);
    const known = byHash.get(hash);
    if (known?.rows === count && haveSameTimes(rows, ordered, known.from, from, count)) {
      known.slots.push(slot);
      known.columns += columns[slot].length;
    } else {
      const group = { slots: [slot], from, rows: count, columns: columns[slot].length };
      byHash.set(hash, group);
      groups.push(group);
    }
    yield (count + 1) * valueWork;
  }
  return groups;
}

function hashOfTimes({ timesUs }: SeriesRows, { order }: Ordered, from: number, count: number): number {
  let hash = count;
  for (let i = from; i < from + count; i++) {
    const us = timesUs[order[i]];
    hash = (Math.imul(hash, 31) + (us | 0) + Math.trunc(us / 4_294_967_296)) | 0;
  }
  return hash;
}

function haveSameTimes(
  { timesUs }: SeriesRows,
  { order }: Ordered,
  a: number,
  b: number,
  count: number,
): boolean {
  for (let i = 0; i < count; i++) if (timesUs[order[a + i]] !== timesUs[order[b + i]]) return false;
  return true;
}

/** Lists of groups that make a frame each: a large one alone, small ones together; a group with too many heads in parts. */
function* putTogether(groups: readonly Group[], columnsMax: number): Generator<Group[], void, void> {
  let together: Group[] = [];
  let rows = 0;
  let columns = 0;
  for (const group of groups.flatMap((group) => splitGroup(group, columnsMax))) {
    const cells = (rows + group.rows) * (columns + group.columns);
    if (together.length > 0 && (cells > sparseCellsMax || columns + group.columns > columnsMax)) {
      yield together;
      [together, rows, columns] = [[], 0, 0];
    }
    together.push(group);
    rows += group.rows;
    columns += group.columns;
  }
  if (together.length > 0) yield together;
}

/** A group with more than `columnsMax` columns, in parts of whole heads. */
function splitGroup(group: Group, columnsMax: number): Group[] {
  if (group.columns <= columnsMax) return [group];
  const perHead = Math.ceil(group.columns / group.slots.length);
  const size = Math.max(1, Math.floor(columnsMax / perHead));
  const parts: Group[] = [];
  for (let i = 0; i < group.slots.length; i += size) {
    const slots = group.slots.slice(i, i + size);
    parts.push({ ...group, slots, columns: slots.length * perHead });
  }
  return parts;
}

function* fill(
  rows: SeriesRows,
  ordered: Ordered,
  groups: readonly Group[],
  keys: readonly string[],
): Steps<Columns> {
  const rowCount = groups.reduce((sum, group) => sum + group.rows, 0);
  const cells: Cells = {
    timesUs: new Float64Array(rowCount),
    values: new Float64Array(rowCount * keys.length).fill(Number.NaN),
    ...{ points: 0, firstRow: 0, firstColumn: 0 },
  };
  for (const group of groups) {
    for (const [from, to] of pieces(group.rows)) {
      fillTimes(rows, ordered.order, group.from, from, to, cells);
      yield (to - from) * valueWork;
    }
    for (const slot of group.slots) {
      let columns = 0;
      for (const [from, to] of pieces(group.rows)) {
        columns = Math.max(columns, fillRows(rows, ordered, slot, from, to, cells));
        yield (to - from) * valueWork;
      }
      cells.firstColumn += columns;
    }
    cells.firstRow += group.rows;
  }
  return new Columns(cells.timesUs, keys, cells.values, cells.points);
}

/** A frame that is being filled. */
interface Cells {
  timesUs: Float64Array;
  values: Float64Array;
  points: number;
  /** Where the group that is being filled begins. */
  firstRow: number;
  firstColumn: number;
}

function fillTimes(
  { timesUs }: SeriesRows,
  order: Uint32Array,
  first: number,
  from: number,
  to: number,
  cells: Cells,
): void {
  const { firstRow } = cells;
  for (let i = from; i < to; i++) cells.timesUs[firstRow + i] = timesUs[order[first + i]];
}

/** Fills the values of some rows of a head. Returns the number of columns that they have. */
function fillRows(
  { starts, values, series }: SeriesRows,
  { order, ends }: Ordered,
  slot: number,
  from: number,
  to: number,
  cells: Cells,
): number {
  const { firstColumn, firstRow } = cells;
  const rowCount = cells.timesUs.length;
  let columns = 0;
  for (let i = from; i < to; i++) {
    const row = order[ends[slot] + i];
    for (let at = starts[row]; at < starts[row + 1]; at++) {
      const value = values[at];
      if (Number.isNaN(value)) continue;
      const { column } = series[at];
      if (column >= columns) columns = column + 1;
      cells.values[(firstColumn + column) * rowCount + firstRow + i] = value;
      cells.points++;
    }
  }
  return columns;
}
