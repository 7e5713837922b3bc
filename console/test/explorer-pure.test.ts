/** The explorer without a browser: ranges, zones, widths, rows, bands, files and addresses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataFrame } from '@tidemark/client/wire';
import { parseAnswer, transferable } from '../src/features/explorer/answer.ts';
import { type Pen, traceBand, traceLine } from '../src/features/explorer/chart-paths.ts';
import { earlierSpan } from '../src/features/explorer/compare.ts';
import { printCsv, printJson } from '../src/features/explorer/file.ts';
import {
  findGaps,
  findLonely,
  mergeColumns,
  nearestRow,
  printTime,
  readColumns,
  timeMs,
} from '../src/features/explorer/frame.ts';
import { searchFilter } from '../src/features/explorer/item.ts';
import { labelTree, withItems } from '../src/features/explorer/label-tree.ts';
import {
  absoluteRange,
  nameRange,
  resolveRange,
  shiftSpan,
  shortcuts,
  stretchSpan,
  tidySpan,
} from '../src/features/explorer/range.ts';
import { dataRequests } from '../src/features/explorer/request.ts';
import { bandOfBuckets, bandOfPoints, partAt, stateSeconds } from '../src/features/explorer/state-band.ts';
import { printNumber, timeTicks, valueTicks } from '../src/features/explorer/ticks.ts';
import { emptyView, parseView, printView, type View } from '../src/features/explorer/view.ts';
import { isAllowed, reduce, sayWidth } from '../src/features/explorer/width.ts';
import { fileName } from '../src/parts/file-name.ts';
import { addCivil, instantOf, printIso, printOffset, startOf } from '../src/platform/time/civil.ts';
import { durationMs } from '../src/platform/time/span.ts';
import { enumOf, frameOf, itemOf } from './support/items.ts';
import { at, day, hour, minute } from './support/times.ts';

const oslo = 'Europe/Oslo';
const mergeFrames = (frames: DataFrame[]) => mergeColumns(frames.map(readColumns));

test('Q3 local times that are skipped move forward, those that occur twice mean the first', () => {
  const civil = (month: number, day: number, hour: number) => ({
    year: 2026,
    month,
    day,
    hour,
    minute: 30,
    second: 0,
  });
  assert.equal(instantOf(oslo, civil(3, 29, 2)), at('2026-03-29T01:00:00Z'));
  assert.equal(instantOf(oslo, civil(10, 25, 2)), at('2026-10-25T00:30:00Z'));
  assert.equal(instantOf('America/New_York', civil(11, 20, 9)), at('2026-11-20T14:30:00Z'));
  assert.equal(instantOf('Asia/Kathmandu', civil(1, 1, 0)), at('2025-12-31T18:45:00Z'));
});

test('days are added on the calendar, hours on the clock', () => {
  const noon = at('2026-10-24T12:00:00Z');
  assert.equal(addCivil(oslo, noon, 1, 'd') - noon, 25 * hour);
  assert.equal(addCivil(oslo, noon, 24, 'h') - noon, 24 * hour);
  assert.equal(addCivil('UTC', at('2026-01-31T10:00:00Z'), 1, 'M'), at('2026-02-28T10:00:00Z'));
  assert.equal(addCivil('UTC', at('2024-02-29T00:00:00Z'), -1, 'y'), at('2023-02-28T00:00:00Z'));
});

test('weeks begin on the chosen day', () => {
  const friday = at('2026-11-20T10:00:00Z');
  assert.equal(startOf('UTC', friday, 'w', 1), at('2026-11-16T00:00:00Z'));
  assert.equal(startOf('UTC', friday, 'w', 7), at('2026-11-15T00:00:00Z'));
  assert.equal(startOf('UTC', friday, 'w', 5), at('2026-11-20T00:00:00Z'));
  assert.equal(startOf(oslo, friday, 'M'), at('2026-10-31T23:00:00Z'));
});

test('offsets are printed with the minutes that some zones have', () => {
  assert.equal(printOffset(0), 'UTC');
  assert.equal(printOffset(5.75 * hour), 'UTC+05:45');
  assert.equal(printOffset(-3 * hour), 'UTC−03:00');
  assert.equal(printIso(oslo, at('2026-07-01T10:00:00Z')), '2026-07-01T12:00:00+02:00');
  assert.equal(printIso('America/St_Johns', at('2026-01-01T00:00:00.250Z')), '2025-12-31T20:30:00.250-03:30');
  assert.equal(printIso('UTC', at('2026-01-01T00:00:00Z')), '2026-01-01T00:00:00Z');
});

test('relative ranges end where the clock of the zone says', () => {
  const now = at('2026-10-25T20:00:00Z');
  const calendar = { zone: oslo, firstDay: 1 };
  const span = (from: string, to: string) => resolveRange({ from, to }, now, calendar);
  assert.deepEqual(span('now-6h', 'now'), { fromMs: now - 6 * hour, toMs: now });
  const today = span('now/d', 'now/d');
  assert.equal(today.toMs - today.fromMs, 25 * hour);
  assert.deepEqual(span('now-1w/w', 'now-1w/w'), {
    fromMs: at('2026-10-11T22:00:00Z'),
    toMs: at('2026-10-18T22:00:00Z'),
  });
  assert.deepEqual(span('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'), {
    fromMs: at('2026-01-01T00:00:00Z'),
    toMs: at('2026-01-02T00:00:00Z'),
  });
});

test('ranges have names where people have one for them', () => {
  assert.equal(nameRange({ from: 'now/w', to: 'now/w' }), 'This week');
  assert.equal(nameRange({ from: 'now-45m', to: 'now' }), 'Last 45 minutes');
  assert.equal(nameRange({ from: '2026-01-01T00:00:00Z', to: 'now' }), null);
  assert.equal(new Set(shortcuts.map(({ name }) => name)).size, shortcuts.length);
});

test('spans move by their length and stretch around the pointer', () => {
  const span = { fromMs: 1000, toMs: 3000 };
  assert.deepEqual(shiftSpan(span, -1), { fromMs: -1000, toMs: 1000 });
  assert.deepEqual(stretchSpan(span, 2, 0), { fromMs: 1000, toMs: 5000 });
  assert.deepEqual(stretchSpan(span, 0.5), { fromMs: 1500, toMs: 2500 });
  assert.deepEqual(tidySpan({ fromMs: 1234.5, toMs: 2_500_900 }), { fromMs: 1000, toMs: 2_501_000 });
  assert.deepEqual(tidySpan({ fromMs: 10.4, toMs: 20.2 }), { fromMs: 10, toMs: 20 });
  const widest = stretchSpan({ fromMs: 0, toMs: 60_000 * day }, 2);
  assert.equal(widest.toMs - widest.fromMs, 73_000 * day);
  assert.deepEqual(absoluteRange({ fromMs: 0, toMs: 500 }), {
    from: '1970-01-01T00:00:00Z',
    to: '1970-01-01T00:00:00.500Z',
  });
});

test('few points are shown as they are, many in buckets that fit the pixels', () => {
  const of = (spanMs: number, pixels: number, count: number, intervalMs: number | null = minute) =>
    reduce({ spanMs, pixels, intervalsMs: new Array(count).fill(intervalMs) })?.duration ?? null;
  assert.equal(of(7 * day, 1000, 1), null);
  assert.equal(of(7 * day, 1000, 7), 'PT30M');
  assert.equal(of(7 * day, 4000, 7), 'PT5M');
  assert.equal(of(365 * day, 1200, 50), 'PT12H');
  assert.equal(of(500 * day, 1200, 1), 'P1D');
  assert.equal(of(2000 * day, 5000, 1), 'P1M');
  assert.equal(of(hour, 1000, 1, null), null);
  assert.equal(of(day, 1000, 1, null), 'PT5M');
  assert.equal(of(60 * day, 1000, 1, hour), 'PT3H', 'L2: every point only up to 40 days');
});

test('L2 whatever is chosen by itself is allowed', () => {
  for (let days = 0.01; days < 20_000; days *= 1.3) {
    const width = reduce({ spanMs: days * day, pixels: 1e6, intervalsMs: [1000] });
    assert.ok(
      width === null ? days <= 40 : isAllowed(width.ms, days * day),
      `${days} days: ${width?.duration}`,
    );
  }
});

test('widths are said in words', () => {
  assert.equal(sayWidth('PT5M'), '5-minute buckets');
  assert.equal(sayWidth(null), 'every point');
  assert.equal(sayWidth('PT7M'), 'buckets of 7 min');
  assert.equal(durationMs('PT1H30M'), 90 * minute);
  assert.equal(durationMs('P'), null);
  assert.equal(durationMs('hour'), null);
});

test('every part of a view survives the address', () => {
  const [one, two] = ['cbpmaq6rpn52969vfl00', 'cbpmaq6rpn52969vfl0g'];
  const view: View = {
    items: [one!, two!],
    hidden: new Set([two!]),
    range: { from: 'now/w', to: 'now' },
    zone: 'Asia/Kathmandu',
    rollup: 'PT15M',
    statistic: 'max',
    hasBand: false,
    line: 'step',
    axes: 'panels',
    own: new Set([one!]),
    ranges: new Map([[two!, { low: -1.5, high: null }]]),
    firstDay: 7,
    compares: 'week',
    isLive: true,
    tab: 'states',
    hasReadout: false,
    pins: [at('2026-11-20T10:00:00.250Z'), 0, -5],
  };
  for (const each of [view, emptyView]) {
    const search = Object.entries(printView(each)).filter(
      (part): part is [string, string] => part[1] !== null,
    );
    assert.deepEqual(parseView(new URLSearchParams(search)), each);
  }
  assert.ok(Object.values(printView(emptyView)).every((part) => part === null));
});

test('an address that nobody could mean gives the empty view', () => {
  const search = new URLSearchParams(
    'items=..x.&from=yesterday&zone=Mars/Olympus&rollup=often&show=toString&week=9',
  );
  assert.deepEqual(parseView(search), emptyView);
});

test('frames are put together by time, to the microsecond', () => {
  const rows = mergeFrames([
    { times: ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.500001Z'], series: { a: [1, null] } },
    { times: ['2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00.500001Z'], series: { b: [3, 4] } },
  ]);
  assert.deepEqual(Array.from(rows.timesMs, printTime), [
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00.5Z',
    '2026-01-01T00:00:00.500001Z',
  ]);
  assert.deepEqual(rows.columns.get('a'), [1, undefined, undefined]);
  assert.deepEqual(rows.columns.get('b'), [undefined, 3, 4]);
  assert.equal(timeMs('2026-01-01T00:00:00.000250Z') - timeMs('2026-01-01T00:00:00Z'), 0.25);
});

test('the thread that reads large answers gives what reading here gives, and leaves an error as it is', () => {
  const bytes = (answer: object) => new TextEncoder().encode(JSON.stringify(answer)).buffer;
  const frame = frameOf([0, 1.5], { a: [1, 2], b: [null, 4] });
  const answer = parseAnswer(bytes({ jsonrpc: '2.0', id: 1, result: { data: frame } }));
  assert.equal(transferable(answer).length, 3);
  const moved = structuredClone(answer, { transfer: transferable(answer) });
  assert.deepEqual(Array.from(moved.result!.data.timesMs), [0, 1500]);
  const rows = mergeColumns([moved.result!.data]);
  assert.deepEqual(Array.from(rows.columns.get('a')!), [1, 2]);
  assert.deepEqual(rows.columns.get('b'), [undefined, 4]);
  assert.deepEqual(parseAnswer(bytes({ id: 1, error: { code: -32602 } })), {
    id: 1,
    error: { code: -32602 },
  });
  assert.throws(() => parseAnswer(bytes({}).slice(1)));
});

test('what is compared with lies as many days of the calendar earlier', () => {
  const week = { fromMs: at('2026-10-18T22:00:00Z'), toMs: at('2026-10-25T23:00:00Z') };
  const before = earlierSpan(week, 'previous', oslo);
  assert.deepEqual(before.span, { fromMs: at('2026-10-11T22:00:00Z'), toMs: at('2026-10-18T22:00:00Z') });
  assert.equal(before.toPresent(at('2026-10-18T12:00:00Z')), at('2026-10-25T13:00:00Z'), 'noon under noon');
  const hours = { fromMs: at('2026-11-20T10:00:00Z'), toMs: at('2026-11-20T12:30:00Z') };
  assert.deepEqual(earlierSpan(hours, 'previous', oslo).span, {
    fromMs: at('2026-11-20T07:30:00Z'),
    toMs: at('2026-11-20T10:00:00Z'),
  });
  assert.equal(earlierSpan(hours, 'day', oslo).span.fromMs, at('2026-11-19T10:00:00Z'));
  const year = earlierSpan(hours, 'year', oslo);
  assert.equal(year.span.fromMs, at('2025-11-20T10:00:00Z'));
  assert.equal(year.toPresent(year.span.fromMs), hours.fromMs);
});

test('a line is broken where there was silence for longer than the gap detection', () => {
  const times = [0, 1, 2, 9, 10, 30].map((minutes) => minutes * minute);
  const values = [1, 2, undefined, 3, 4, 5];
  assert.deepEqual(findGaps(times, values, 5 * minute), [
    [1, 3],
    [4, 5],
  ]);
  assert.deepEqual(findGaps(times, values, 8 * minute), [[4, 5]]);
  assert.deepEqual(findGaps(times, values, null), []);
  assert.deepEqual(findGaps([0, 2 * hour], [1, 2], 30 * minute, hour), [[0, 1]], 'an empty hour between');
  assert.deepEqual(findGaps([0, hour], [1, 2], 30 * minute, hour), []);
  assert.deepEqual(findLonely(values, findGaps(times, values, 5 * minute)), [5]);
  assert.deepEqual(findLonely([7], []), [0]);
});

test('the nearest row', () => {
  assert.equal(nearestRow([], 5), -1);
  assert.equal(nearestRow([0, 10, 20], 14), 1);
  assert.equal(nearestRow([0, 10, 20], 16), 2);
  assert.equal(nearestRow([0, 10, 20], -5), 0);
  assert.equal(nearestRow([0, 10, 20], 99), 2);
});

test('Q10 a state holds until the next point, and at most as long as the gap detection', () => {
  const times = [0, 1, 2, 10, 11].map((minutes) => minutes * minute);
  const band = bandOfPoints(times, [2, 2, 0, 1, 1.5], { gapMs: 5 * minute, endMs: 20 * minute });
  const short = band.map(({ fromMs, toMs, state }) => [fromMs / minute, toMs / minute, state]);
  assert.deepEqual(short, [
    [0, 2, 2],
    [2, 7, 0],
    [10, 11, 1],
  ]);
  assert.equal(partAt(band, 3 * minute)?.state, 0);
  assert.equal(partAt(band, 8 * minute), null);
  assert.deepEqual(stateSeconds(band), [
    [0, 300],
    [2, 120],
    [1, 60],
  ]);
});

test('Q7 buckets with several states share the height, whole ones are joined', () => {
  const rows = mergeFrames([
    frameOf([0, 3600, 7200, 14_400], {
      x_state_0: [0, null, 1800, null],
      x_state_1: [3600, 3600, 900, 1800],
    }),
  ]);
  const band = bandOfBuckets(rows, 'x', { widthMs: hour, startMs: 0, endMs: 4.5 * hour });
  assert.deepEqual(band, [
    { fromMs: 0, toMs: 2 * hour, state: 1, low: 0, high: 1 },
    { fromMs: 2 * hour, toMs: 3 * hour, state: 0, low: 0, high: 0.5 },
    { fromMs: 2 * hour, toMs: 3 * hour, state: 1, low: 0.5, high: 0.75 },
    { fromMs: 4 * hour, toMs: 4.5 * hour, state: 1, low: 0, high: 1 },
  ]);
  assert.equal(partAt(band, 2.5 * hour)?.state, 0);
});

test('the time axis has round local times, also across a change of the clocks', () => {
  const texts = (from: string, to: string, zone: string, countMax = 10) =>
    timeTicks({ fromMs: at(from), toMs: at(to), zone, countMax }).map(({ text, context }) =>
      context ? `${text}|${context}` : text,
    );
  assert.deepEqual(texts('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', oslo, 6), [
    '00:00|25 Oct 2026',
    '06:00',
    '12:00',
    '18:00',
    '00:00|26 Oct 2026',
  ]);
  assert.deepEqual(texts('2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', oslo, 4), [
    '02:00|25 Oct 2026',
    '02:00',
    '03:00',
    '04:00',
  ]);
  assert.deepEqual(texts('2026-01-10T00:00:00Z', '2026-04-20T00:00:00Z', 'UTC', 5), [
    'Feb|2026',
    'Mar',
    'Apr',
  ]);
  assert.deepEqual(texts('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.003Z', 'UTC', 3), [
    '00:00:00.000|1 Jan 2026',
    '00:00:00.001',
    '00:00:00.002',
    '00:00:00.003',
  ]);
});

test('the value axis has round numbers', () => {
  assert.deepEqual(valueTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(valueTicks(0.1, 0.42, 4), [0.1, 0.2, 0.3, 0.4]);
  assert.deepEqual(valueTicks(5, 5, 5), []);
  assert.equal(printNumber(0.1 + 0.2), '0.3');
  assert.equal(printNumber(1234567), '1234567');
  assert.equal(printNumber(-2.5e-9), '-2.5e-9');
  assert.equal(printNumber(0), '0');
});

test('numbers and states are asked for apart, by the statistics that are drawn', () => {
  const numeric = itemOf('n', { engUnit: 'm³/h', sampleInterval: 'PT1M' });
  const state = enumOf('s');
  assert.equal(numeric.intervalMs, minute);
  assert.equal(state.states.get(1), 'on');
  const cutting = { span: { fromMs: 0, toMs: day }, rollup: 'PT1H', zone: oslo, firstDay: 7 };
  const [first, second] = dataRequests([numeric, state], emptyView, cutting);
  assert.deepEqual(first!.params.data, {
    filter: {
      times: { $gte: '1970-01-01T00:00:00.000Z', $lt: '1970-01-02T00:00:00.000Z' },
      series: { $in: ['n_avg', 'n_min', 'n_max', 'n_count'] },
    },
    rollup: 'PT1H',
    timeZone: oslo,
    firstDayOfWeek: 7,
  });
  assert.deepEqual(second!.params.query, { filter: { id: { $in: ['s'] } }, limit: 1 });
  assert.equal(dataRequests([numeric, state], emptyView, { ...cutting, rollup: null }).length, 1);
  assert.deepEqual(dataRequests([], emptyView, cutting), []);
});

test('items stand under each of their labels, and no more are taken than fit', () => {
  const items = [
    itemOf('a', { labels: { site: ['Oslo', 'Bergen'] } }),
    itemOf('b', { labels: { site: ['Oslo'], area: ['10', '9'] } }),
    itemOf('c'),
  ];
  const { keys, bare } = labelTree(items);
  assert.deepEqual(
    keys.map(({ key, values }) => [
      key,
      values.map(({ value, items: of }) => `${value}: ${of.map(({ id }) => id)}`),
    ]),
    [
      ['area', ['9: b', '10: b']],
      ['site', ['Bergen: a', 'Oslo: a,b']],
    ],
  );
  assert.deepEqual(bare, [items[2]]);
  assert.deepEqual(withItems(['x', 'a'], items, 3), ['x', 'a', 'b']);
});

test('R14 what is typed is looked for as text, and in labels where it says so', () => {
  assert.deepEqual(searchFilter('  '), {});
  assert.deepEqual(searchFilter('site:Oslo a.b'), {
    $and: [
      { 'labels.site': { $regex: '(?i)Oslo' } },
      { $or: [{ name: { $regex: '(?i)a\\.b' } }, { description: { $regex: '(?i)a\\.b' } }, { id: 'a.b' }] },
    ],
  });
});

test('CSV has the offset in every row, quotes what it must, and gives no spreadsheet a formula', () => {
  const rows = mergeFrames([
    { times: ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00.000250Z'], series: { a: [1.5, null], b: [0, 7] } },
  ]);
  const columns = [
    { key: 'a', title: 'Flow, "north" [m³/h]' },
    { key: 'b', title: '=cmd', text: (value: number) => (value === 0 ? '-off' : `s${value}`) },
  ];
  assert.equal(
    printCsv(rows, columns, oslo),
    'time,"Flow, ""north"" [m³/h]",\'=cmd\r\n2026-10-25T02:30:00+02:00,1.5,\'-off\r\n2026-10-25T02:30:00.00025+01:00,,s7\r\n',
  );
  assert.match(printCsv(rows, columns, 'UTC'), /^2026-10-25T01:30:00\.00025Z,,s7\r$/m);
  assert.deepEqual(JSON.parse(printJson(rows, columns)).series, { a: [1.5, null], b: [0, 7] });
  assert.equal(fileName('Pump 1: flow (m³/h)', 'csv'), 'pump-1-flow-m3-h.csv');
  assert.equal(fileName('水', 'csv'), 'data.csv');
});

/** Writes down what is drawn: `M0,5 L1,6 Z`. */
class Script implements Pen {
  readonly #steps: string[] = [];
  moveTo(x: number, y: number): void {
    this.#steps.push(`M${x},${y}`);
  }
  lineTo(x: number, y: number): void {
    this.#steps.push(`L${x},${y}`);
  }
  closePath(): void {
    this.#steps.push('Z');
  }
  get text(): string {
    return this.#steps.join(' ');
  }
}

const plane = { xOf: (ms: number) => Math.round(ms), yOf: (value: number) => 10 - value };

test('a line ends at a gap and begins again after it', () => {
  const pen = new Script();
  const stretch = { timesMs: [0, 1, 2, 3, 4], gaps: [[1, 3]] as const, from: 0, to: 4 };
  traceLine(pen, [1, 2, undefined, 3, 4], stretch, plane, false);
  assert.equal(pen.text, 'M0,9 L1,8 M3,7 L4,6');
  const steps = new Script();
  traceLine(steps, [1, 2, undefined, 3, 4], stretch, plane, true);
  assert.equal(steps.text, 'M0,9 L1,9 L1,8 M3,7 L4,7 L4,6');
});

test('points in one column of pixels become one stroke that has their least and their greatest', () => {
  const pen = new Script();
  const timesMs = [0, 0.1, 0.2, 0.3, 5];
  traceLine(pen, [3, 9, 1, 4, 2], { timesMs, gaps: [], from: 0, to: 4 }, plane, false);
  assert.equal(pen.text, 'M0,7 L0,1 L0,9 L0,6 L5,8');
});

test('a band is an area for each piece between gaps', () => {
  const pen = new Script();
  const stretch = { timesMs: [0, 1, 2, 3], gaps: [[1, 2]] as const, from: 0, to: 3 };
  traceBand(pen, { low: [1, 2, 3, 4], high: [5, 6, 7, 8] }, stretch, plane, false);
  assert.equal(pen.text, 'M0,5 L1,4 L1,8 L0,9 Z M2,3 L3,2 L3,6 L2,7 Z');
});

test('Q3 a bucket that the clocks made longer is no gap', () => {
  const times = [0, 12 * hour, 25 * hour, 37 * hour, 61 * hour];
  assert.deepEqual(findGaps(times, [1, 2, 3, 4, 5], 5 * minute, 12 * hour), [[3, 4]]);
});
