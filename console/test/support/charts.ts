/** What charts are made of, for tests without a service. */
import type { ChartLine } from '../../src/features/explorer/chart-model.ts';
import type { Item } from '../../src/features/explorer/item.ts';
import { type Loaded, type Plot, plotItems } from '../../src/features/explorer/plot.ts';
import { emptyView, type View } from '../../src/features/explorer/view.ts';
import { hour } from './times.ts';

/** Columns in rows of an hour each, from 1970 on; other facts are replaced by `change`. */
export function loadedOf(
  columns: Readonly<Record<string, readonly (number | undefined)[]>>,
  change: Partial<Loaded> = {},
): Loaded {
  const count = Math.max(2, ...Object.values(columns).map(({ length }) => length));
  return {
    rows: {
      timesMs: Array.from({ length: count }, (_, row) => row * hour),
      columns: new Map(Object.entries(columns)),
    },
    rollup: 'PT1H',
    widthMs: hour,
    span: { fromMs: 0, toMs: count * hour },
    nowMs: count * hour,
    statistic: 'avg',
    hasBand: true,
    compares: '',
    last: new Map(),
    ids: [],
    ...change,
  };
}

/** The same with what is drawn of it. */
export function plotOf(items: readonly Item[], loaded: Loaded, view: Partial<View> = {}): Plot {
  return { loaded, plotted: plotItems(items, { ...emptyView, ...view }, loaded), zone: 'UTC' };
}

/** A line, with what `change` names. */
export function lineOf(change: Partial<ChartLine>): ChartLine {
  return {
    key: 'a',
    name: 'a',
    unit: 'bar',
    axis: 'bar',
    style: { color: '--series-1', dash: [] },
    column: [],
    band: null,
    gaps: [],
    lonely: [],
    shape: 'line',
    isVisible: true,
    isQuiet: false,
    ...change,
  };
}
