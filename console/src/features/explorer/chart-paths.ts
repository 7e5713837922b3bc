/**
 * Columns → the strokes of a line and the outline of the band behind it. Points that share a column of pixels become one
 * vertical stroke from min to max, and a line simply ends at a gap: clipping would cost more than drawing.
 */
import type { Column, Gaps } from './frame.ts';

/** What draws: a Path2D. */
export interface Pen {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
}

/** A pen that measures how far it draws. */
export class MeasuredPen<Inner extends Pen> implements Pen {
  readonly pen: Inner;
  /** The length of what was drawn, in its pixels. */
  length = 0;
  #x = 0;
  #y = 0;

  constructor(pen: Inner) {
    this.pen = pen;
  }

  moveTo(x: number, y: number): void {
    this.pen.moveTo(x, y);
    [this.#x, this.#y] = [x, y];
  }

  lineTo(x: number, y: number): void {
    this.pen.lineTo(x, y);
    this.length += Math.abs(x - this.#x) + Math.abs(y - this.#y);
    [this.#x, this.#y] = [x, y];
  }

  closePath(): void {
    this.pen.closePath();
  }
}

/** Where values are, device pixels; x is whole. */
export interface Plane {
  xOf(ms: number): number;
  yOf(value: number): number;
}

/** A range of rows of a column. */
export interface RowRange {
  timesMs: ArrayLike<number>;
  gaps: Gaps;
  /** First and last row. */
  from: number;
  to: number;
}

/** Draws a line; with steps each value holds until the next. O(rows). */
export function traceLine(pen: Pen, column: Column, range: RowRange, plane: Plane, isStep: boolean): void {
  const breaks = new Breaks(range);
  // The column of pixels at work: where it is, its min and max, and where the line leaves it.
  let x = Number.NaN;
  let low = 0;
  let high = 0;
  let last = 0;
  let atPen = 0;
  const finish = () => {
    if (low === high) return;
    if (low !== atPen) pen.lineTo(x, low);
    if (high !== low) pen.lineTo(x, high);
    pen.lineTo(x, last);
  };
  for (let row = range.from; row <= range.to; row++) {
    const value = column[row];
    if (value === undefined) continue;
    const nextX = plane.xOf(range.timesMs[row]!);
    const y = plane.yOf(value);
    const isBroken = breaks.isBefore(row);
    if (nextX === x && !isBroken) {
      low = Math.min(low, y);
      high = Math.max(high, y);
      last = y;
      continue;
    }
    finish();
    if (isBroken || Number.isNaN(x)) pen.moveTo(nextX, y);
    else {
      if (isStep) pen.lineTo(nextX, last);
      pen.lineTo(nextX, y);
    }
    x = nextX;
    low = high = last = atPen = y;
  }
  if (!Number.isNaN(x)) finish();
}

/** The two edges of a band. */
export interface Edges {
  low: Column;
  high: Column;
}

/** The arrangement of bars: those of several lines are next to each other in each bucket. */
export interface BarSlot {
  /** The usual width of a bucket, ms. */
  widthMs: number;
  /** The place among the lines with bars, and how many there are. */
  index: number;
  count: number;
}

/** Draws a bar for each value, from zero. O(rows). */
export function traceBars(
  pen: Pen,
  column: Column,
  { timesMs, from, to }: RowRange,
  plane: Plane,
  slot: BarSlot,
): void {
  const base = plane.yOf(0);
  for (let row = from; row <= to; row++) {
    const value = column[row];
    if (value === undefined) continue;
    const startMs = timesMs[row]!;
    // Rows without data may be left out: then the usual width counts.
    const nextMs = timesMs[row + 1] ?? Number.POSITIVE_INFINITY;
    const endMs = nextMs - startMs < slot.widthMs * 1.6 ? nextMs : startMs + slot.widthMs;
    const [start, end] = [plane.xOf(startMs), plane.xOf(endMs)];
    const spacing = Math.min(8, (end - start) * 0.15);
    const width = Math.max(1, (end - start - spacing) / slot.count);
    const left = start + spacing / 2 + slot.index * width;
    const top = plane.yOf(value);
    pen.moveTo(left, base);
    pen.lineTo(left, top);
    pen.lineTo(left + width, top);
    pen.lineTo(left + width, base);
    pen.closePath();
  }
}

/** Draws the area between the edges, in pieces where there are gaps. O(rows). */
export function traceBand(
  pen: Pen,
  { low, high }: Edges,
  range: RowRange,
  plane: Plane,
  isStep: boolean,
): void {
  const breaks = new Breaks(range);
  let upper: number[] = [];
  let lower: number[] = [];
  const finish = () => {
    if (upper.length > 2) {
      pen.moveTo(upper[0]!, upper[1]!);
      for (let i = 2; i < upper.length; i += 2) pen.lineTo(upper[i]!, upper[i + 1]!);
      for (let i = lower.length - 2; i >= 0; i -= 2) pen.lineTo(lower[i]!, lower[i + 1]!);
      pen.closePath();
    }
    upper = [];
    lower = [];
  };
  for (let row = range.from; row <= range.to; row++) {
    const [min, max] = [low[row], high[row]];
    if (min === undefined || max === undefined) continue;
    if (breaks.isBefore(row)) finish();
    const x = plane.xOf(range.timesMs[row]!);
    if (isStep && upper.length > 0) {
      upper.push(x, upper.at(-1)!);
      lower.push(x, lower.at(-1)!);
    }
    upper.push(x, plane.yOf(max));
    lower.push(x, plane.yOf(min));
  }
  finish();
}

/** Says of rows, asked in ascending order, whether a gap is before them. */
class Breaks {
  readonly #gaps: Gaps;
  #next: number;

  constructor({ gaps, from }: RowRange) {
    this.#gaps = gaps;
    let [low, high] = [0, gaps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (gaps[middle]![1] < from) low = middle + 1;
      else high = middle;
    }
    this.#next = low;
  }

  isBefore(row: number): boolean {
    while (this.#next < this.#gaps.length && this.#gaps[this.#next]![1] < row) this.#next++;
    return this.#gaps[this.#next]?.[1] === row;
  }
}
