/** Rows of data → what the chart, the readout, the table and the files show of each item. */
import { axesOf, panelsFrom } from './axes.ts';
import {
  type ChartLane,
  type ChartLine,
  type ChartModel,
  type LineShape,
  type LineStyle,
  lineStyle,
  stateStyle,
} from './chart-model.ts';
import { type Comparison, comparisons } from './compare.ts';
import { type Column, countValues, findGaps, findLonely, type Point, type Rows } from './frame.ts';
import { type Item, stateText } from './item.ts';
import type { Span } from './range.ts';
import { bandOfBuckets, bandOfPoints, partAt, type StateSpan, stateSeconds } from './state-band.ts';
import { stateColor } from './state-color.ts';
import { sayHold } from './timestamps.ts';
import type { Statistic, View } from './view.ts';

/** Data that has been loaded, and how it was asked for. */
export interface Loaded {
  rows: Rows;
  /** A duration, `window`, or null for every point. */
  rollup: string | null;
  /** The usual width of a bucket, ms; 0 for points. */
  widthMs: number;
  span: Span;
  /** The present when it was asked for: states hold no longer. */
  nowMs: number;
  statistic: Statistic;
  hasBand: boolean;
  compares: Comparison;
  /** The newest point within the span, by item. */
  last: ReadonlyMap<string, Point>;
  /** Items that were asked for. */
  ids: readonly string[];
}

/** Before the key of a column of the period before. */
export const previousPrefix = 'previous:' as const;

/** An item with what is drawn of it. */
export interface PlottedItem {
  item: Item;
  isVisible: boolean;
  /** The column of its line; empty for enums in buckets. */
  column: Column;
  line: ChartLine | null;
  /** The column of what it is compared with. */
  earlier: Column | null;
  band: readonly StateSpan[] | null;
  /** The states of what it is compared with. */
  earlierBand: readonly StateSpan[] | null;
  style: LineStyle;
}

/** Loaded rows, and what is drawn of them. */
export interface Plot {
  loaded: Loaded;
  plotted: readonly PlottedItem[];
  zone: string;
}

/** The items of a view as they are drawn. */
export function plotItems(
  items: readonly Item[],
  view: Pick<View, 'hidden' | 'line' | 'own'>,
  loaded: Loaded,
): PlottedItem[] {
  const { columns } = loaded.rows;
  return items.map((item, index) => {
    const key = columnKey(item, loaded);
    const isCompared = loaded.compares !== '';
    const style = lineStyle(index);
    return {
      item,
      style,
      isVisible: !view.hidden.has(item.id),
      column: columns.get(key) ?? [],
      line: item.isEnum ? null : lineOf(item, loaded, view, style),
      earlier: item.isEnum ? null : (columns.get(`${previousPrefix}${key}`) ?? null),
      band: item.isEnum ? bandOf(item, loaded, '') : null,
      earlierBand: item.isEnum && isCompared ? bandOf(item, loaded, previousPrefix) : null,
    };
  });
}

/** The key of an item's column in the loaded rows. */
function columnKey(item: Item, { rollup, statistic }: Loaded): string {
  return rollup === null ? item.id : `${item.id}_${statistic}`;
}

/** The chart of plotted items. */
export function chartOf(
  { plotted, loaded, zone }: Plot,
  { axes, ranges, ...place }: Pick<View, 'axes' | 'ranges' | 'firstDay'> & { span: Span },
): ChartModel {
  const lines = plotted.flatMap(({ line }) => line ?? []);
  const count = axesOf({ lines: lines.filter(({ isVisible }) => isVisible) }).length;
  return {
    timesMs: loaded.rows.timesMs,
    lines: [...plotted.flatMap((each) => earlierLine(each, loaded)), ...lines],
    lanes: plotted.flatMap((each) => lanesOf(each, loaded, zone)),
    widthMs: loaded.widthMs,
    isPanels: axes === 'panels' || (axes === 'auto' && count >= panelsFrom),
    ranges: rangesOf(lines, ranges),
    zone,
    ...place,
  };
}

function rangesOf(lines: readonly ChartLine[], byItem: View['ranges']): ChartModel['ranges'] {
  const found = lines.flatMap(({ key, axis }) =>
    byItem.has(key) ? [[axis, byItem.get(key)!] as const] : [],
  );
  return new Map(found);
}

/** How the states of an item look, by state. */
export function stateStyler(item: Item): ChartLane['styleOf'] {
  const places = [...item.states.keys()].sort((a, b) => a - b);
  return (state) => {
    const place = places.indexOf(state);
    const index = place < 0 ? places.length + state : place;
    return stateStyle(index, stateText(item, state), stateColor(item, state));
  };
}

/** What a window says of an item. */
export interface Summary {
  min: number | null;
  max: number | null;
  /** Of the points where sums or averages were loaded, else of the buckets. */
  mean: number | null;
  /** Of all points; null where neither sums nor averages were loaded. */
  sum: number | null;
  last: Point | null;
  points: number;
}

/** The summary of an item over the loaded window, or with the prefix that of what it is compared with. */
export function summarize(item: Item, loaded: Loaded, prefix: '' | typeof previousPrefix = ''): Summary {
  const of = (statistic: string) => loaded.rows.columns.get(`${prefix}${item.id}_${statistic}`) ?? [];
  const isRaw = loaded.rollup === null;
  const main = isRaw ? (loaded.rows.columns.get(`${prefix}${item.id}`) ?? []) : of(loaded.statistic);
  const orMain = (column: Column) => (isRaw || column.length === 0 ? main : column);
  const [low, high, counts] = [orMain(of('min')), orMain(of('max')), isRaw ? null : of('count')];
  const totals = { value: 0, weighted: 0, rows: 0, points: 0 };
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < main.length; row++) {
    const value = main[row];
    if (value === undefined || !isInside(loaded, row)) continue;
    const count = counts?.[row] ?? 1;
    totals.value += value;
    totals.weighted += value * count;
    totals.rows++;
    totals.points += count;
    min = Math.min(min, low[row] ?? value);
    max = Math.max(max, high[row] ?? value);
  }
  const last = prefix === '' ? (loaded.last.get(item.id) ?? null) : null;
  if (totals.rows === 0) return { min: null, max: null, mean: null, sum: null, last, points: 0 };
  return { min, max, ...meanAndSum(isRaw ? 'avg' : loaded.statistic, totals), last, points: totals.points };
}

/** Points outside of the window lead the line to its edges and count for nothing. */
function isInside({ rollup, rows, span }: Loaded, row: number): boolean {
  return rollup !== null || (rows.timesMs[row]! >= span.fromMs && rows.timesMs[row]! < span.toMs);
}

function meanAndSum(
  statistic: Statistic,
  { value, weighted, rows, points }: { value: number; weighted: number; rows: number; points: number },
): Pick<Summary, 'mean' | 'sum'> {
  if (statistic === 'avg') return { mean: weighted / points, sum: weighted };
  if (statistic === 'sum') return { mean: value / points, sum: value };
  return { mean: value / rows, sum: statistic === 'count' ? value : null };
}

/** How many points the loaded rows are made of; null where buckets of states do not say it. */
export function countPoints(items: readonly Item[], loaded: Loaded): number | null {
  const counted = items.filter(({ isEnum }) => loaded.rollup === null || !isEnum);
  if (counted.length < items.length) return null;
  return counted.reduce((sum, item) => sum + summarize(item, loaded).points, 0);
}

/** How long an enum was in a state. */
export interface StateSummary {
  state: number;
  text: string;
  seconds: number;
  /** Of the time in which a state is known. */
  share: number;
  /** The number of periods, and the duration of the longest: exact if every point was loaded. */
  times: number;
  longestMs: number;
}

/** How long an enum was in each state, from most to least. */
export function summarizeStates(item: Item, band: readonly StateSpan[]): StateSummary[] {
  const sums = stateSeconds(band);
  const total = sums.reduce((sum, [, seconds]) => sum + seconds, 0);
  return sums.map(([state, seconds]) => {
    const lengths = band.filter((span) => span.state === state).map(({ fromMs, toMs }) => toMs - fromMs);
    return {
      state,
      text: stateText(item, state),
      seconds,
      share: total === 0 ? 0 : seconds / total,
      times: lengths.length,
      longestMs: lengths.reduce((most, length) => Math.max(most, length), 0),
    };
  });
}

function lineOf(
  item: Item,
  loaded: Loaded,
  view: Pick<View, 'hidden' | 'line' | 'own'>,
  style: LineStyle,
): ChartLine {
  const { rows, widthMs, rollup } = loaded;
  const column = rows.columns.get(columnKey(item, loaded)) ?? [];
  const unit = unitOf(item, loaded);
  const gaps = findGaps(rows.timesMs, column, item.gapMs, widthMs);
  const low = rows.columns.get(`${item.id}_min`);
  const high = rows.columns.get(`${item.id}_max`);
  const hasBand = rollup !== null && loaded.hasBand && loaded.statistic === 'avg' && low && high;
  return {
    key: item.id,
    name: item.name,
    unit,
    // What has no unit cannot be compared with others.
    axis: unit === '' || view.own.has(item.id) ? item.id : unit,
    style,
    column,
    band: hasBand ? { low, high } : null,
    gaps,
    lonely: findLonely(column, gaps),
    shape: shapeOf(view.line, loaded),
    isVisible: !view.hidden.has(item.id),
    isQuiet: false,
  };
}

const dayMs = 86_400_000;

/** Bars need buckets; sums and counts of days and more have them unless chosen otherwise. */
function shapeOf(line: View['line'], { rollup, widthMs, statistic }: Loaded): LineShape {
  if (line === 'bars') return rollup === null ? 'line' : 'bars';
  if (line !== 'auto') return line;
  const isTotal = statistic === 'sum' || statistic === 'count';
  return rollup !== null && isTotal && widthMs >= dayMs * 0.9 ? 'bars' : 'line';
}

/** Counts are not in the unit of what is counted. */
function unitOf(item: Item, { rollup, statistic }: Loaded): string {
  return rollup !== null && statistic === 'count' ? 'points' : item.unit;
}

/** The line of what is compared with, where it was loaded. */
function earlierLine({ item, line, earlier }: PlottedItem, { rows, widthMs, compares }: Loaded): ChartLine[] {
  if (line === null || earlier === null || countValues(earlier) === 0) return [];
  const gaps = findGaps(rows.timesMs, earlier, item.gapMs, widthMs);
  return [
    {
      ...line,
      key: `${previousPrefix}${line.key}`,
      name: `${line.name}, ${comparisons[compares].toLowerCase()}`,
      column: earlier,
      band: null,
      gaps,
      lonely: findLonely(earlier, gaps),
      isQuiet: true,
    },
  ];
}

/** The states of an item, or with the prefix those of what it is compared with. */
function bandOf(item: Item, loaded: Loaded, prefix: '' | typeof previousPrefix): StateSpan[] {
  const { rows, rollup, widthMs, span, nowMs } = loaded;
  const endMs = prefix === '' ? Math.min(span.toMs, nowMs) : span.toMs;
  const key = `${prefix}${item.id}`;
  if (rollup !== null) return bandOfBuckets(rows, key, { widthMs, startMs: span.fromMs, endMs });
  return bandOfPoints(rows.timesMs, rows.columns.get(key) ?? [], { gapMs: item.gapMs, endMs });
}

/** The bands of a visible item with states, and of what it is compared with. */
function lanesOf(
  { item, band, earlierBand, isVisible }: PlottedItem,
  { compares }: Loaded,
  zone: string,
): ChartLane[] {
  if (!band || !isVisible) return [];
  const laneOf = (spans: readonly StateSpan[], key: string, title: string): ChartLane => {
    const sayAt = (ms: number) => {
      const held = partAt(spans, ms);
      return held ? `${stateText(item, held.state)} ${sayHold(held, zone)}` : 'no state';
    };
    return { key, title, spans, styleOf: stateStyler(item), sayAt };
  };
  const earlier = `${item.name}, ${comparisons[compares].toLowerCase()}`;
  return [
    laneOf(band, item.id, item.name),
    ...(earlierBand ? [laneOf(earlierBand, `${previousPrefix}${item.id}`, earlier)] : []),
  ];
}
