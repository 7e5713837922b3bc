/** What a computed sheet shows: lines, values, and why a value is missing. */
import { axesOf, panelsFrom } from '../explorer/axes.ts';
import { type ChartLine, type ChartModel, lineStyle } from '../explorer/chart-model.ts';
import type { FileColumn } from '../explorer/file.ts';
import { countValues, findGaps, findLonely } from '../explorer/frame.ts';
import type { Item } from '../explorer/item.ts';
import type { Evaluated } from './evaluation.ts';
import { namesIn } from './language.ts';
import { aggregations, isStateAggregation, type Sheet, type SheetItem } from './sheet.ts';

/** A series of a sheet, ready to be shown. */
export interface PreviewSeries {
  alias: string;
  /** What it is: the item and its aggregation, or the formula. */
  meaning: string;
  unit: string;
  isCalculation: boolean;
  isVisible: boolean;
  line: ChartLine;
}

/** The unit of what formulas give, which is unknown. */
const calculatedUnit = 'result';

/** The series of a sheet: items first, in the order of the sheet. */
export function previewSeries(
  evaluated: Evaluated,
  hidden: ReadonlySet<string>,
  items: readonly Item[],
  isStep: boolean,
): PreviewSeries[] {
  const { sheet } = evaluated;
  const byId = new Map(items.map((item) => [item.id, item]));
  const ofItems = sheet.items.map((entry) => {
    const item = byId.get(entry.id);
    const meaning = `${item?.name ?? entry.id}, ${(aggregations[entry.aggregation] ?? '').toLowerCase()}`;
    return { alias: entry.alias, meaning, unit: unitOf(entry, item), isCalculation: false };
  });
  const ofCalculations = sheet.calculations
    .filter(({ formula }) => formula.trim() !== '')
    .map(({ alias, formula }) => ({ alias, meaning: formula, unit: '', isCalculation: true }));
  const all = [...ofItems, ...ofCalculations].map((series, index) => {
    const isVisible = !hidden.has(series.alias);
    return { ...series, isVisible, line: lineOf(evaluated, series, index, isVisible, isStep) };
  });
  // What has a fault was not computed.
  return all.filter(({ alias }) => evaluated.rows.columns.has(alias));
}

/** The chart of a sheet. */
export function previewChart(
  series: readonly PreviewSeries[],
  { rows, cutting, widthMs }: Evaluated,
): ChartModel {
  const { rollup: _, ...place } = cutting;
  const lines = series.map(({ line }) => line);
  const isPanels = axesOf({ lines }).length >= panelsFrom;
  return { ...place, timesMs: rows.timesMs, lines, lanes: [], widthMs, isPanels, ranges: new Map() };
}

/** The columns of tables and files. */
export function previewColumns(series: readonly PreviewSeries[]): FileColumn[] {
  return series.map(({ alias, unit }) => ({ key: alias, title: unit === '' ? alias : `${alias} [${unit}]` }));
}

/** Why a calculation has no value in a row; null when it has one. */
export function explainNull(series: PreviewSeries, { rows }: Evaluated, row: number): string | null {
  if (rows.columns.get(series.alias)?.[row] !== undefined) return null;
  if (!series.isCalculation) return 'no points in this bucket';
  const empty = [...namesIn(series.meaning)].filter(
    (alias) => rows.columns.has(alias) && rows.columns.get(alias)![row] === undefined,
  );
  if (empty.length > 0) return `${empty.join(' and ')} ${empty.length === 1 ? 'is' : 'are'} null here`;
  return 'no finite number: a division by zero, or a neighbour that is null';
}

/** How many rows have no value. */
export function countNulls({ alias }: PreviewSeries, { rows }: Evaluated): number {
  const column = rows.columns.get(alias);
  return rows.timesMs.length - (column ? countValues(column) : 0);
}

function lineOf(
  { rows, widthMs }: Evaluated,
  { alias, unit, isCalculation }: { alias: string; unit: string; isCalculation: boolean },
  index: number,
  isVisible: boolean,
  isStep: boolean,
): ChartLine {
  const column = rows.columns.get(alias) ?? [];
  // A bucket without value breaks the line.
  const gaps = findGaps(rows.timesMs, column, widthMs * 0.3, widthMs);
  return {
    key: alias,
    name: alias,
    unit: isCalculation ? calculatedUnit : unit,
    axis: isCalculation || unit === '' ? alias : unit,
    style: lineStyle(index),
    column,
    band: null,
    gaps,
    lonely: findLonely(column, gaps),
    shape: isStep ? 'step' : 'line',
    isVisible,
    isQuiet: false,
  };
}

/** The items that a formula uses, with their units; those without one are left out. */
export function unitsIn(
  formula: string,
  sheet: Sheet,
  items: readonly Item[],
): { alias: string; unit: string }[] {
  const used = namesIn(formula);
  const byId = new Map(items.map((item) => [item.id, item]));
  return sheet.items
    .filter(({ alias }) => used.has(alias))
    .map((entry) => ({ alias: entry.alias, unit: unitOf(entry, byId.get(entry.id)) }))
    .filter(({ unit }) => unit !== '');
}

/** The unit of an item under an alias, after its aggregation; empty where it has none. */
function unitOf({ aggregation }: SheetItem, item: Item | undefined): string {
  if (aggregation === 'count') return 'points';
  if (!isStateAggregation(aggregation)) return item?.unit ?? '';
  return { 'state-seconds': 's', 'state-percent': '%' }[aggregation] ?? '';
}
