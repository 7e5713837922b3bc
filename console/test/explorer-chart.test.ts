/** What the chart is made of: axes, panels, bars, the extent of data, summaries, and silence in live mode. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axesOf, panelAt, panelOfScale, reachOf, scaleOfPanel } from '../src/features/explorer/axes.ts';
import { MeasuredPen, type Pen, traceBars } from '../src/features/explorer/chart-paths.ts';
import { cutView } from '../src/features/explorer/cut.ts';
import { concatColumns, lastPoints, mergeColumns, readColumns } from '../src/features/explorer/frame.ts';
import type { Item } from '../src/features/explorer/item.ts';
import {
  chartOf,
  countPoints,
  type Loaded,
  plotItems,
  previousPrefix,
  summarize,
} from '../src/features/explorer/plot.ts';
import { silentItems } from '../src/features/explorer/silence.ts';
import { slicesOf } from '../src/features/explorer/slices.ts';
import { colorAnnotation, stateColor } from '../src/features/explorer/state-color.ts';
import { stripSpan } from '../src/features/explorer/strip-span.ts';
import { emptyView } from '../src/features/explorer/view.ts';
import { lineOf, loadedOf } from './support/charts.ts';
import { frameOf, itemOf } from './support/items.ts';
import { day, minute } from './support/times.ts';

test('items without a unit do not share an axis; items of one unit do, unless one has its own', () => {
  const items = [
    itemOf('a', { engUnit: 'bar' }),
    itemOf('b', { engUnit: 'bar' }),
    itemOf('c'),
    itemOf('d'),
    itemOf('e', { engUnit: 'bar' }),
  ];
  const loaded = loadedOf({});
  const plotted = plotItems(items, { ...emptyView, own: new Set(['e']) }, loaded);
  const { lines } = chartOf({ plotted, loaded, zone: 'UTC' }, placeOf(emptyView));
  const axes = axesOf({ lines }).map((axis) => axis.lines.map(({ key }) => key));
  assert.deepEqual(axes, [['a', 'b'], ['c'], ['d'], ['e']]);
});

test('from three axes in sight on each has a panel, unless chosen otherwise', () => {
  const items = [
    itemOf('a', { engUnit: 'bar' }),
    itemOf('b', { engUnit: '%' }),
    itemOf('c', { engUnit: '°C' }),
  ];
  const loaded = loadedOf({});
  const isPanels = (change: Partial<typeof emptyView>) => {
    const view = { ...emptyView, ...change };
    return chartOf({ plotted: plotItems(items, view, loaded), loaded, zone: 'UTC' }, placeOf(view)).isPanels;
  };
  assert.equal(isPanels({}), true);
  assert.equal(isPanels({ hidden: new Set(['b']) }), false);
  assert.equal(isPanels({ axes: 'shared' }), false);
  assert.equal(isPanels({ axes: 'panels', hidden: new Set(['b']) }), true);
});

test('a panel shows its own range, whatever the scale over the whole height', () => {
  for (const [index, count] of [
    [0, 3],
    [1, 3],
    [4, 5],
  ] as const) {
    const panel = panelAt(index, count, 500, true);
    const [min, max] = scaleOfPanel([10, 30], panel);
    const [low, high] = panelOfScale(min, max, panel);
    assert.ok(Math.abs(low - 10) < 1e-9 && Math.abs(high - 30) < 1e-9);
  }
  assert.ok(panelAt(0, 2, 500, true).bottom < panelAt(1, 2, 500, true).top, 'panels do not touch');
  assert.deepEqual(panelAt(1, 2, 500, false), { top: 0, bottom: 1 });
});

test('the range of an axis includes the band of the bucket that begins before the window', () => {
  const line = lineOf({ column: [5, 5, 5], band: { low: [-100, 4, 4], high: [6, 6, 6] } });
  const [low] = reachOf([line], { from: 1, to: 2 }, true)!;
  assert.ok(low < -100);
  const [lowOfPoints] = reachOf([line], { from: 1, to: 2 }, false)!;
  assert.ok(lowOfPoints > 3, 'points outside of the window do not count');
});

test('an axis has the ends that were set, bars begin at zero, and without a value there are no ends', () => {
  const rows = { from: 0, to: 2 };
  const line = lineOf({ column: [5, 6, 7] });
  assert.deepEqual(reachOf([line], rows, false, { low: 0, high: 10 }), [0, 10]);
  assert.equal(reachOf([line], rows, false, { low: null, high: 100 })![1], 100);
  assert.equal(reachOf([{ ...line, shape: 'bars' }], rows, true)![0], 0);
  assert.equal(reachOf([{ ...line, column: [] }], rows, false), null);
  assert.equal(reachOf([{ ...line, isVisible: false }], rows, false), null);
  const [low, high] = reachOf([{ ...line, column: [5] }], { from: 0, to: 0 }, false)!;
  assert.ok(low < 5 && high > 5, 'a constant has room around it');
});

test('sums and counts of days are bars; other buckets and points are lines unless chosen', () => {
  const item = itemOf('a', { engUnit: 'kWh' });
  const shape = (loaded: Partial<Loaded>, line: 'auto' | 'bars' = 'auto') =>
    plotItems([item], { ...emptyView, line }, { ...loadedOf({}), ...loaded })[0]!.line!.shape;
  assert.equal(shape({ rollup: 'P1D', widthMs: day, statistic: 'sum' }), 'bars');
  assert.equal(shape({ rollup: 'P1D', widthMs: day, statistic: 'avg' }), 'line');
  assert.equal(shape({ rollup: 'PT1H', widthMs: day / 24, statistic: 'sum' }), 'line');
  assert.equal(shape({ rollup: 'PT1H', widthMs: day / 24, statistic: 'avg' }, 'bars'), 'bars');
  assert.equal(shape({ rollup: null, widthMs: 0 }, 'bars'), 'line', 'points have no width');
});

test('bars of two lines stand next to each other within their bucket', () => {
  const drawn = [0, 1].map((index) => {
    const pen = new Recorder();
    const range = { timesMs: [0, 100, 200], gaps: [], from: 0, to: 2 };
    const plane = { xOf: (ms: number) => ms, yOf: (value: number) => -value };
    traceBars(pen, [1, undefined, 3], range, plane, { widthMs: 100, index, count: 2 });
    return pen.xs;
  });
  assert.equal(drawn[0]!.length, 8, 'no bar without a value');
  const ends = drawn.map((xs) => [Math.min(...xs.slice(0, 4)), Math.max(...xs.slice(0, 4))]);
  assert.ok(ends[0]![1]! <= ends[1]![0]!);
  assert.ok(ends[0]![0]! > 0 && ends[1]![1]! < 100);
});

test('a pen measures what it draws, not how it moves', () => {
  const pen = new MeasuredPen(new Recorder());
  pen.moveTo(100, 100);
  pen.lineTo(110, 80);
  pen.moveTo(0, 0);
  pen.lineTo(0, 5);
  assert.equal(pen.length, 35);
});

test('Last is the newest point within the window, not that of a bucket, nor one outside', () => {
  const times = [1, 5, 9, 30].map((minutes) => minutes * 60);
  const frame = readColumns(frameOf(times, { a: [1, 2, null, 4], b: [null, null, null, 4] }));
  const last = lastPoints(frame, { fromMs: 2 * minute, toMs: 30 * minute });
  assert.deepEqual([...last], [['a', { ms: 5 * minute, value: 2 }]]);
  const item = itemOf('a', { engUnit: 'bar' });
  const loaded = loadedOf({ a_avg: [7, 8], a_count: [1, 1] }, { last, ids: [item].map(({ id }) => id) });
  assert.deepEqual(summarize(item, loaded).last, { ms: 5 * minute, value: 2 });
});

test('mean and sum are of the points, also of the earlier period', () => {
  const item = itemOf('a', { engUnit: 'bar' });
  const columns = {
    a_avg: [10, 20],
    a_count: [1, 3],
    [`${previousPrefix}a_avg`]: [1, 3],
    [`${previousPrefix}a_count`]: [1, 1],
  };
  const loaded = { ...loadedOf(columns), compares: 'day' as const };
  const { mean, sum, points } = summarize(item, loaded);
  assert.deepEqual({ mean, sum, points }, { mean: 17.5, sum: 70, points: 4 });
  const earlier = summarize(item, loaded, previousPrefix);
  assert.deepEqual([earlier.mean, earlier.sum], [2, 4]);
  const sums = { ...loadedOf({ a_sum: [10, 60], a_count: [1, 3] }), statistic: 'sum' as const };
  assert.equal(summarize(item, sums).mean, 17.5);
  const maxima = { ...loadedOf({ a_max: [10, 60], a_count: [1, 3] }), statistic: 'max' as const };
  assert.deepEqual([summarize(item, maxima).mean, summarize(item, maxima).sum], [35, null]);
});

test('points are counted, or nothing is said where buckets of states do not tell', () => {
  const [number, states] = [itemOf('a', { engUnit: 'bar' }), { ...itemOf('b'), isEnum: true }];
  const loaded = loadedOf({ a_avg: [1, 2], a_count: [20, 3] });
  assert.equal(countPoints([number], loaded), 23);
  assert.equal(countPoints([number, states], loaded), null);
  const points = {
    ...loadedOf({ a: [1, undefined], b: [0, 1] }),
    rollup: null,
    widthMs: 0,
  };
  assert.equal(countPoints([number, states], points), 3);
});

test('L2 every point of a long window is read in windows of forty days, months of decades in nine years', () => {
  const span = { fromMs: 0, toMs: 100 * day };
  const raw = slicesOf(span, null, 'UTC');
  assert.deepEqual(
    raw.map(({ fromMs, toMs }) => [fromMs / day, toMs / day]),
    [
      [0, 40],
      [40, 80],
      [80, 100],
    ],
  );
  assert.deepEqual(slicesOf(span, 'PT1H', 'UTC'), [span]);
  const long = { fromMs: Date.parse('1990-05-01'), toMs: Date.parse('2026-01-01') };
  const years = slicesOf(long, 'P1M', 'Europe/Oslo');
  assert.ok(years.length >= 4 && years.every(({ fromMs, toMs }) => toMs - fromMs <= 3660 * day));
  assert.ok(years.slice(1).every(({ fromMs }) => /12-31T23:00/.test(new Date(fromMs).toISOString())));
  assert.deepEqual([years[0]!.fromMs, years.at(-1)!.toMs], [long.fromMs, long.toMs]);
  assert.deepEqual(slicesOf(long, 'window', 'UTC'), [long]);
});

test('every point is shown up to a million; more give buckets and their number', () => {
  const view = { ...emptyView, rollup: 'raw' };
  const place = { span: { fromMs: 0, toMs: 100 * day }, zone: 'UTC', pixels: 1000 };
  const items = [itemOf('a', { engUnit: 'bar' })];
  const slices = [{ fromMs: 0, toMs: 40 * day }];
  assert.equal(cutView(view, items, { ...place, plan: null }), null, 'while points are counted');
  const few = cutView(view, items, { ...place, plan: { points: 1_000_000, slices } })!;
  assert.deepEqual([few.rollup, few.tooManyPoints, few.slices], [null, null, slices]);
  const many = cutView(view, items, { ...place, plan: { points: 1_000_001, slices } })!;
  assert.deepEqual([many.rollup, many.tooManyPoints], ['PT6H', 1_000_001]);
  const automatic = cutView(emptyView, items, { ...place, plan: null })!;
  assert.deepEqual([automatic.rollup, automatic.tooManyPoints, automatic.isAutomatic], ['PT6H', null, true]);
});

test('frames of windows that follow each other become one', () => {
  const first = readColumns(frameOf([0, 1], { a: [1, 2] }));
  const second = readColumns(frameOf([2], { a: [3], b: [4] }));
  const rows = mergeColumns([concatColumns([first, second])]);
  assert.deepEqual(Array.from(rows.columns.get('a')!), [1, 2, 3]);
  assert.deepEqual(rows.columns.get('b'), [undefined, undefined, 4]);
});

test('the overview reaches all data, however old', () => {
  const now = Date.parse('2026-11-20');
  const window = { fromMs: now - 7 * day, toMs: now };
  const extent = { fromMs: now - 20 * 365 * day, toMs: now };
  const strip = stripSpan(window, extent, null);
  assert.ok(strip.fromMs <= extent.fromMs && strip.toMs >= extent.toMs);
});

test('in live mode an item is silent when its newest point is older than its gap detection', () => {
  const items = [
    { ...itemOf('a'), gapMs: 5 * minute },
    { ...itemOf('b'), intervalMs: minute },
    itemOf('c'),
    itemOf('d'),
  ];
  const now = 100 * minute;
  const last = new Map([
    ['a', { ms: now - 4 * minute, value: 1 }],
    ['b', { ms: now - 4 * minute, value: 1 }],
    ['c', { ms: now - 30_000, value: 1 }],
  ]);
  const silent = silentItems(items, loadedOf({}, { last, ids: items.map(({ id }) => id) }), now).map(
    ({ item }) => item.id,
  );
  assert.deepEqual(silent, ['d', 'b']);
});

test('states are coloured by what they mean, or as an administrator has chosen', () => {
  const states = ['stopped', 'starting', 'running', 'fault', 'Service mode', 'zone 7', 'contact'];
  const enumValues = Object.fromEntries(states.map((text, state) => [String(state), text]));
  const attributes = { name: 'Pump', valueType: 'enum', enumValues } as const;
  const colors = (item: Item) => states.map((_, state) => stateColor(item, state));
  const byMeaning = ['--quiet', '--info', '--good', '--bad', '--warn', null, null];
  assert.deepEqual(colors(itemOf('a', attributes)), byMeaning);
  const annotations = { [colorAnnotation(2)]: 'purple', [colorAnnotation(3)]: 'no colour' };
  const chosen = byMeaning.with(2, '--plum');
  assert.deepEqual(colors(itemOf('a', attributes, annotations)), chosen);
});

function placeOf({ axes, ranges, firstDay }: typeof emptyView) {
  return { axes, ranges, firstDay, span: { fromMs: 0, toMs: day / 12 } };
}

class Recorder implements Pen {
  readonly xs: number[] = [];
  moveTo(x: number): void {
    this.xs.push(x);
  }
  lineTo(x: number): void {
    this.xs.push(x);
  }
  closePath(): void {}
}
