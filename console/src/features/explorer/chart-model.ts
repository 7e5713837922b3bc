/** What a chart shows, without a word of how it is drawn. */
import type { Column, Gaps } from './frame.ts';
import type { Span } from './range.ts';
import type { StateSpan } from './state-band.ts';

/** How a line looks; the colour is the name of a custom property, so that it follows the theme. */
export interface LineStyle {
  color: string;
  /** Lengths of dashes and gaps, CSS pixels; none: unbroken. */
  dash: readonly number[];
}

/** How values are drawn: joined by lines, held until the next, or a bar for each bucket. */
export type LineShape = 'line' | 'step' | 'bars';

/** The ends of an axis that were set by hand; null: from the data. */
export interface AxisRange {
  low: number | null;
  high: number | null;
}

/** A line. */
export interface ChartLine {
  /** Unique in the chart. */
  key: string;
  name: string;
  unit: string;
  /** Lines with the same key share an axis: the unit, or a key of their own. */
  axis: string;
  style: LineStyle;
  column: Column;
  /** Minimum and maximum behind the line. */
  band: { low: Column; high: Column } | null;
  gaps: Gaps;
  /** Rows that only a point can show. */
  lonely: readonly number[];
  shape: LineShape;
  isVisible: boolean;
  /** For comparison: thinner and paler. */
  isQuiet: boolean;
}

/** How a state looks: a colour and one of the patterns, so that neither is needed alone. */
export interface StateStyle {
  color: string;
  pattern: number;
  text: string;
}

/** A band of states, in a lane above the lines. */
export interface ChartLane {
  key: string;
  title: string;
  spans: readonly StateSpan[];
  styleOf(state: number): StateStyle;
  /** What holds at an instant: `running for 2 h`. */
  sayAt(ms: number): string;
}

/** A whole chart. */
export interface ChartModel {
  /** The rows of all columns, ms, ascending. */
  timesMs: ArrayLike<number>;
  lines: readonly ChartLine[];
  lanes: readonly ChartLane[];
  /** The usual width of a bucket, ms; 0 for points. */
  widthMs: number;
  /** Whether each axis has a panel of its own, below each other. */
  isPanels: boolean;
  /** Axes whose ends were set, by the key of the axis. */
  ranges: ReadonlyMap<string, AxisRange>;
  span: Span;
  zone: string;
  firstDay: number;
}

/** How the style of a line is chosen: eight colours, then the same dashed. */
export function lineStyle(index: number): LineStyle {
  return {
    color: `--series-${(index % colorCount) + 1}`,
    dash: dashes[Math.floor(index / colorCount) % dashes.length]!,
  };
}

/** The style of a state by its place among the states of its item; `color` is a custom property, null: by place too. */
export function stateStyle(place: number, text: string, color: string | null): StateStyle {
  return { color: color ?? `--series-${(place % colorCount) + 1}`, pattern: place % patternCount, text };
}

/** The patterns of states: plain, rising, falling, dotted, upright, level. */
export const patternCount = 6;

const colorCount = 8;
const dashes: readonly (readonly number[])[] = [
  [],
  [7, 4],
  [2, 3],
  [10, 3, 2, 3],
  [14, 5],
  [4, 2, 1, 2],
  [1, 4],
];
