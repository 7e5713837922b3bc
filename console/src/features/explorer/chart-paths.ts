/**
 * Columns → the strokes of a line and the outline of the band behind it. Points that share a column of pixels become one
 * upright stroke from the least to the greatest, and a line simply ends at a gap: clipping would cost more than drawing.
 */
import type { Column, Gaps } from './frame.ts';

/** What draws: a Path2D. */
export interface Pen {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
}

/** Where values are, device pixels; x is whole. */
export interface Plane {
  xOf(ms: number): number;
  yOf(value: number): number;
}

/** A stretch of rows of a column. */
export interface Stretch {
  timesMs: ArrayLike<number>;
  gaps: Gaps;
  /** First and last row. */
  from: number;
  to: number;
}

/** Draws a line; with steps each value holds until the next. O(rows). */
export function traceLine(pen: Pen, column: Column, stretch: Stretch, plane: Plane, isStep: boolean): void {
  const breaks = new Breaks(stretch);
  // The column of pixels at work: where it is, its least and greatest, and where the line leaves it.
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
  for (let row = stretch.from; row <= stretch.to; row++) {
    const value = column[row];
    if (value === undefined) continue;
    const nextX = plane.xOf(stretch.timesMs[row]!);
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

/** Draws the area between the edges, in pieces where there are gaps. O(rows). */
export function traceBand(
  pen: Pen,
  { low, high }: Edges,
  stretch: Stretch,
  plane: Plane,
  isStep: boolean,
): void {
  const breaks = new Breaks(stretch);
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
  for (let row = stretch.from; row <= stretch.to; row++) {
    const [least, greatest] = [low[row], high[row]];
    if (least === undefined || greatest === undefined) continue;
    if (breaks.isBefore(row)) finish();
    const x = plane.xOf(stretch.timesMs[row]!);
    if (isStep && upper.length > 0) {
      upper.push(x, upper.at(-1)!);
      lower.push(x, lower.at(-1)!);
    }
    upper.push(x, plane.yOf(greatest));
    lower.push(x, plane.yOf(least));
  }
  finish();
}

/** Says of rows, asked in ascending order, whether a gap is before them. */
class Breaks {
  readonly #gaps: Gaps;
  #next: number;

  constructor({ gaps, from }: Stretch) {
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
