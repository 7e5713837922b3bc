/** What chart, readout, tooltip and tables say of items: values, summaries, states, comparisons, pins. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { axesOf } from '../src/features/explorer/axes.ts';
import { lineStyle, stateStyle } from '../src/features/explorer/chart-model.ts';
import { earlierSpan, sayComparison } from '../src/features/explorer/compare.ts';
import { placePins, removeNear, togglePin } from '../src/features/explorer/pins.ts';
import {
  chartOf,
  countPoints,
  stateStyler,
  summarize,
  summarizeStates,
} from '../src/features/explorer/plot.ts';
import { cursorAt, printChange, readingAt } from '../src/features/explorer/reading.ts';
import { chosenColor, colorAnnotation, stateColor } from '../src/features/explorer/state-color.ts';
import {
  nameZone,
  printOffsets,
  printRange,
  printShare,
  printSpan,
  printSpanLength,
  sayHold,
  sayHoldLength,
} from '../src/features/explorer/timestamps.ts';
import { emptyView } from '../src/features/explorer/view.ts';
import { loadedOf, plotOf } from './support/charts.ts';
import { enumOf, itemOf } from './support/items.ts';
import { at, day, hour, minute } from './support/times.ts';

const placeIn = ({ axes, ranges, firstDay } = emptyView) => ({
  ...{ axes, ranges, firstDay },
  span: { fromMs: 0, toMs: 2 * hour },
});

suite('what is drawn of items', () => {
  test('a line has the statistic that was chosen, with min and max behind an average only', () => {
    const item = itemOf('a', { engUnit: 'bar' });
    const columns = { a_avg: [2, 3], a_min: [1, 1], a_max: [3, 5], a_sum: [20, 30], a_count: [10, 10] };
    const [ofAverage] = plotOf([item], loadedOf(columns)).plotted;
    assert.deepEqual(ofAverage!.line!.column, [2, 3]);
    assert.deepEqual(ofAverage!.line!.band, { low: [1, 1], high: [3, 5] });
    const [ofSum] = plotOf([item], loadedOf(columns, { statistic: 'sum' })).plotted;
    assert.deepEqual(ofSum!.line!.column, [20, 30]);
    assert.equal(ofSum!.line!.band, null);
    const [without] = plotOf([item], loadedOf(columns, { hasBand: false })).plotted;
    assert.equal(without!.line!.band, null);
  });

  test('counts are in points, whatever the unit of what is counted', () => {
    const items = [itemOf('a', { engUnit: 'bar' }), itemOf('b', { engUnit: '°C' })];
    const { plotted } = plotOf(items, loadedOf({ a_count: [1], b_count: [2] }, { statistic: 'count' }));
    assert.deepEqual(
      plotted.map(({ line }) => [line!.unit, line!.axis]),
      [
        ['points', 'points'],
        ['points', 'points'],
      ],
    );
    const { lines } = chartOf({ ...plotOf(items, loadedOf({}, { statistic: 'count' })) }, placeIn());
    assert.equal(axesOf({ lines }).length, 1);
  });

  test('an item that was switched off is still there, but not visible', () => {
    const items = [itemOf('a'), enumOf('s')];
    const plot = plotOf(items, loadedOf({ a_avg: [1], s_state_1: [3600] }), { hidden: new Set(['a', 's']) });
    assert.deepEqual(
      plot.plotted.map(({ isVisible }) => isVisible),
      [false, false],
    );
    const { lines, lanes } = chartOf(plot, placeIn());
    assert.deepEqual(
      lines.map(({ isVisible }) => isVisible),
      [false],
    );
    assert.deepEqual(lanes, [], 'a band takes no room');
  });

  test('the earlier period is a paler line behind, on the same axis, and a band of its own', () => {
    const items = [itemOf('a', { name: 'Flow', engUnit: 'bar' }), enumOf('s')];
    const columns = {
      ...{ a_avg: [1, 2], 'previous:a_avg': [3, 4] },
      ...{ s_state_1: [3600, 0], s_state_0: [0, 3600], 'previous:s_state_0': [3600, 3600] },
    };
    const { lines, lanes } = chartOf(plotOf(items, loadedOf(columns, { compares: 'day' })), placeIn());
    assert.deepEqual(
      lines.map(({ name, isQuiet, axis }) => [name, isQuiet, axis]),
      [
        ['Flow, a day earlier', true, 'bar'],
        ['Flow', false, 'bar'],
      ],
    );
    assert.deepEqual(
      lanes.map(({ title }) => title),
      ['Item s', 'Item s, a day earlier'],
    );
    assert.equal(new Set(lanes.map(({ key }) => key)).size, 2);
  });

  test('a period without a value has no line', () => {
    const loaded = loadedOf({ a_avg: [1], 'previous:a_avg': [undefined, undefined] }, { compares: 'week' });
    assert.equal(chartOf(plotOf([itemOf('a')], loaded), placeIn()).lines.length, 1);
  });

  test('ends that were set are those of the axis of the item', () => {
    const items = [itemOf('a', { engUnit: 'bar' }), itemOf('b')];
    const ranges = new Map([
      ['a', { low: 0, high: 10 }],
      ['b', { low: null, high: 5 }],
      ['gone', { low: 1, high: 2 }],
    ]);
    const chart = chartOf(plotOf(items, loadedOf({})), placeIn({ ...emptyView, ranges }));
    assert.deepEqual(
      [...chart.ranges],
      [
        ['bar', { low: 0, high: 10 }],
        ['b', { low: null, high: 5 }],
      ],
    );
  });

  test('eight colours, then the same dashed; no two of the first fifty look alike', () => {
    const looks = Array.from({ length: 50 }, (_, i) => JSON.stringify(lineStyle(i)));
    assert.equal(new Set(looks).size, 50);
    assert.deepEqual(lineStyle(0), { color: '--series-1', dash: [] });
    assert.equal(lineStyle(8).color, '--series-1');
    assert.ok(lineStyle(8).dash.length > 0);
  });

  test('a state has a colour and a pattern by its place, also one that the item does not name', () => {
    const style = stateStyler(enumOf('s', { 5: 'five', 7: 'seven' }));
    assert.deepEqual(style(5), stateStyle(0, 'five', null));
    assert.deepEqual(style(7), stateStyle(1, 'seven', null));
    assert.deepEqual(style(3), stateStyle(2 + 3, 'state 3', null));
    assert.equal(stateStyle(9, 'x', '--bad').color, '--bad');
  });
});

suite('summaries', () => {
  test('of averages the mean is that of all points, min and max are those of the buckets', () => {
    const columns = { a_avg: [1, 4], a_min: [0, 3], a_max: [2, 9], a_count: [3, 1] };
    const { last: _, ...summary } = summarize(itemOf('a'), loadedOf(columns));
    assert.deepEqual(summary, { min: 0, max: 9, mean: (3 * 1 + 4) / 4, sum: 7, points: 4 });
  });

  test('of sums the total is theirs, and the mean is by points', () => {
    const loaded = loadedOf({ a_sum: [10, 20], a_count: [5, 5] }, { statistic: 'sum' });
    const { sum, mean, min, max } = summarize(itemOf('a'), loaded);
    assert.deepEqual([sum, mean, min, max], [30, 3, 10, 20]);
  });

  test('of maxima there is no sum, and the mean is that of the buckets', () => {
    const loaded = loadedOf({ a_max: [10, 20], a_count: [1, 9] }, { statistic: 'max' });
    const { sum, mean } = summarize(itemOf('a'), loaded);
    assert.deepEqual([sum, mean], [null, 15]);
  });

  test('of points those outside of the window lead the line there and count for nothing', () => {
    const change = { rollup: null, widthMs: 0, span: { fromMs: hour, toMs: 3 * hour } };
    const loaded = loadedOf({ a: [100, 1, 3, 200] }, change);
    const { min, max, mean, points } = summarize(itemOf('a'), loaded);
    assert.deepEqual([min, max, mean, points], [1, 3, 2, 2]);
    assert.equal(countPoints([itemOf('a')], loaded), 2);
  });

  test('without values there is nothing to say, but the newest point is known', () => {
    const last = new Map([['a', { ms: 5, value: 7 }]]);
    const { min, mean, points, last: newest } = summarize(itemOf('a'), loadedOf({}, { last }));
    assert.deepEqual([min, mean, points, newest], [null, null, 0, { ms: 5, value: 7 }]);
  });

  test('points are not counted where buckets of states do not say how many there were', () => {
    const items = [itemOf('a'), enumOf('s')];
    const columns = { a_avg: [1], a_count: [6], s_state_1: [3600], s: [1, 0] };
    assert.equal(countPoints(items, loadedOf(columns)), null);
    assert.equal(countPoints([items[0]!], loadedOf(columns)), 6);
    assert.equal(countPoints([items[1]!], loadedOf(columns, { rollup: null, widthMs: 0 })), 2);
  });

  test('states are listed from most to least, with their shares, times and longest period', () => {
    const span = (fromMs: number, toMs: number, state: number) => ({ fromMs, toMs, state, low: 0, high: 1 });
    const band = [span(0, hour, 1), span(hour, 4 * hour, 0), span(4 * hour, 6 * hour, 1)];
    assert.deepEqual(summarizeStates(enumOf('s'), band), [
      { state: 1, text: 'on', seconds: 3 * 3600, share: 0.5, times: 2, longestMs: 2 * hour },
      { state: 0, text: 'off', seconds: 3 * 3600, share: 0.5, times: 1, longestMs: 3 * hour },
    ]);
    assert.deepEqual(summarizeStates(enumOf('s'), []), []);
  });
});

suite('readings at the cursor', () => {
  const item = itemOf('a', { name: 'Flow', engUnit: 'm³/h', gapDetection: 'PT2H' });

  test('a bucket has its value with unit, min and max, and what it is compared with', () => {
    const columns = { a_avg: [2], a_min: [1], a_max: [3], 'previous:a_avg': [1.5] };
    const plot = plotOf([item], loadedOf(columns, { compares: 'day' }));
    const reading = readingAt(plot.plotted[0]!, plot.loaded, { row: 0, atMs: 0 });
    assert.deepEqual(reading, { value: 2, ageMs: 0, band: [1, 3], earlier: 1.5, held: null, text: '2 m³/h' });
  });

  test('of points the last before the cursor holds, unless it is older than the gap detection', () => {
    const plot = plotOf(
      [item],
      loadedOf({ a: [5, undefined, undefined, undefined] }, { rollup: null, widthMs: 0 }),
    );
    const read = (row: number) => readingAt(plot.plotted[0]!, plot.loaded, { row, atMs: row * hour });
    assert.deepEqual([read(0).value, read(0).ageMs], [5, 0]);
    assert.deepEqual([read(2).value, read(2).ageMs, read(2).text], [5, 2 * hour, '5 m³/h']);
    assert.deepEqual([read(3).value, read(3).text], [null, 'no value']);
  });

  test('an empty bucket has no value, whatever is before it', () => {
    const plot = plotOf([item], loadedOf({ a_avg: [5, undefined] }));
    assert.equal(readingAt(plot.plotted[0]!, plot.loaded, { row: 1, atMs: hour }).text, 'no value');
  });

  test('a state is read at the instant, also between two rows', () => {
    const plot = plotOf([enumOf('s')], loadedOf({ s: [1, 0] }, { rollup: null, widthMs: 0 }));
    const read = (atMs: number) => readingAt(plot.plotted[0]!, plot.loaded, { row: 0, atMs });
    assert.equal(read(hour / 2).text, 'on');
    assert.equal(read(1.5 * hour).text, 'off');
    assert.deepEqual(read(hour / 2).held, { fromMs: 0, toMs: hour, state: 1, low: 0, high: 1 });
    assert.equal(read(-1).text, 'no state');
  });

  test('a lane says what holds where the cursor is', () => {
    const plot = plotOf([enumOf('s')], loadedOf({ s: [1, 0] }, { rollup: null, widthMs: 0 }));
    const [lane] = chartOf(plot, placeIn()).lanes;
    assert.equal(lane!.sayAt(minute), 'on for 1 h, 1970-01-01 00:00:00 – 01:00:00');
    assert.equal(lane!.sayAt(-1), 'no state');
  });

  test('changes have a sign', () => {
    assert.deepEqual([1.5, -2, 0, 1e-9].map(printChange), ['+1.5', '−2', '±0', '+1e-9']);
  });
});

suite('pins', () => {
  const loaded = loadedOf({ a: [1, 2, 3, 4] });

  test('are lettered in the order of time, and know whether they are in the window', () => {
    const pins = placePins([3 * hour, 0, 99 * hour], loaded);
    assert.deepEqual(
      pins.map(({ letter, atMs, cursor }) => [letter, atMs / hour, cursor?.row ?? null]),
      [
        ['A', 0, 0],
        ['B', 3, 3],
        ['C', 99, null],
      ],
    );
  });

  test('a second press on the same row removes one, and of nine the oldest goes', () => {
    const { timesMs } = loaded.rows;
    assert.deepEqual(togglePin([hour], hour + 5, timesMs), []);
    assert.deepEqual(togglePin([hour], 2 * hour, timesMs), [hour, 2 * hour]);
    const times = Array.from({ length: 10 }, (_, i) => i * hour);
    const nine = times.slice(0, 9).reduce<number[]>((pins, ms) => togglePin(pins, ms, times), []);
    assert.deepEqual(nine, times.slice(1, 9));
  });

  test('the one nearest to an instant is removed, else the last', () => {
    assert.deepEqual(removeNear([0, 10, 20], 12), [0, 20]);
    assert.deepEqual(removeNear([0, 10, 20], null), [0, 10]);
    assert.deepEqual(removeNear([], 5), []);
  });

  test('a cursor is nowhere outside of the window, and where there are no rows', () => {
    assert.deepEqual(cursorAt(loaded, hour + 1), { row: 1, atMs: hour + 1 });
    assert.equal(cursorAt(loaded, -1), null);
    assert.equal(cursorAt(loaded, 5 * hour), null);
    assert.equal(cursorAt({ ...loaded, rows: { timesMs: [], columns: new Map() } }, hour), null);
  });
});

suite('times in words', () => {
  test('lengths have two units at most, and none between that is zero', () => {
    const lengths = [
      [0, '0 s'],
      [250, '250 ms'],
      [1500, '1 s 500 ms'],
      [61_000, '1 min 1 s'],
      [3_600_000, '1 h'],
      [3_601_000, '1 h'],
      [day + hour + minute, '1 d 1 h'],
      [49 * hour, '2 d 1 h'],
    ] as const;
    for (const [ms, text] of lengths) assert.equal(printSpanLength(ms), text);
  });

  test('a span is written without what its ends share', () => {
    const span = (from: string, to: string) => printSpan({ fromMs: at(from), toMs: at(to) }, 'UTC');
    assert.equal(span('2026-11-20T10:00:00Z', '2026-11-20T12:30:00Z'), '2026-11-20 10:00 – 12:30');
    assert.equal(span('2026-11-20T10:00:05Z', '2026-11-21T00:00:00Z'), '2026-11-20 10:00:05 – 2026-11-21');
    assert.equal(span('2026-11-20', '2026-11-27'), '2026-11-20 – 2026-11-27');
  });

  test('a range has its name, or its ends', () => {
    const span = { fromMs: at('2026-11-20'), toMs: at('2026-11-27') };
    assert.equal(printRange({ from: 'now-7d', to: 'now' }, span, 'UTC'), 'Last 7 days');
    assert.equal(printRange({ from: 'now-8d/d', to: 'now' }, span, 'UTC'), '2026-11-20 – 2026-11-27');
  });

  test('a change of the clocks shows both offsets', () => {
    const october = { fromMs: at('2026-10-24'), toMs: at('2026-10-26') };
    assert.equal(printOffsets('Europe/Oslo', october), 'UTC+02:00 → UTC+01:00');
    assert.equal(nameZone('America/New_York', october), 'America/New York UTC−04:00');
    assert.equal(nameZone('UTC', october), 'UTC');
  });

  test('a state holds from when to when, in a bucket for its share', () => {
    const held = { fromMs: 0, toMs: 2 * hour + 500, state: 1, low: 0, high: 1 };
    assert.equal(sayHold(held, 'UTC'), 'for 2 h, 1970-01-01 00:00:00 – 02:00:00');
    assert.equal(
      sayHold({ ...held, toMs: 25 * hour }, 'UTC'),
      'for 1 d 1 h, 1970-01-01 00:00:00 – 1970-01-02 01:00:00',
    );
    assert.equal(sayHold({ ...held, toMs: hour, high: 0.25 }, 'UTC'), 'for 15 min of 1 h');
    assert.equal(sayHoldLength({ ...held, toMs: hour }), 'for 1 h');
  });

  test('shares have one decimal, and the smallest is not zero', () => {
    assert.deepEqual([0, 0.0005, 0.001, 0.125, 1].map(printShare), [
      '0.0 %',
      'below 0.1 %',
      '0.1 %',
      '12.5 %',
      '100.0 %',
    ]);
  });
});

suite('comparison', () => {
  const week = { fromMs: at('2026-11-16'), toMs: at('2026-11-23') };

  test('the period before whole days is as many days, else as long', () => {
    assert.deepEqual(earlierSpan(week, 'previous', 'UTC').span, {
      fromMs: at('2026-11-09'),
      toMs: at('2026-11-16'),
    });
    const part = { fromMs: at('2026-11-20T06:00:00Z'), toMs: at('2026-11-20T09:30:00Z') };
    assert.deepEqual(earlierSpan(part, 'previous', 'UTC').span, {
      fromMs: at('2026-11-20T02:30:00Z'),
      toMs: at('2026-11-20T06:00:00Z'),
    });
  });

  test('a year is a year of the calendar, also over a leap day', () => {
    const march = { fromMs: at('2024-03-10'), toMs: at('2024-03-11') };
    assert.equal(earlierSpan(march, 'year', 'UTC').span.fromMs, at('2023-03-10'));
  });

  test('rows come to lie under the same clock time, over a change of the clocks too', () => {
    const { span, toPresent } = earlierSpan(
      { fromMs: at('2026-10-25T22:00:00Z'), toMs: at('2026-10-26T23:00:00Z') },
      'week',
      'Europe/Oslo',
    );
    assert.equal(span.fromMs, at('2026-10-18T21:00:00Z'));
    assert.equal(toPresent(at('2026-10-19T10:00:00Z')), at('2026-10-26T11:00:00Z'));
  });

  test('it is said what is compared with', () => {
    assert.equal(sayComparison(week, 'week', 'UTC'), 'A week earlier: 2026-11-09 – 2026-11-16');
  });
});

suite('colours of states', () => {
  const named = (...texts: string[]) => enumOf('s', Object.fromEntries(texts.map((text, i) => [i, text])));

  test('words decide whatever their case and place, but not as parts of others', () => {
    const item = named(
      'PUMP RUNNING',
      'emergency stop',
      'Warm-up, heating',
      'offset',
      'on',
      'manual mode',
      'Standby',
    );
    const expected = ['--good', '--bad', '--info', null, '--good', '--warn', '--quiet'];
    assert.deepEqual(
      expected.map((_, state) => stateColor(item, state)),
      expected,
    );
  });

  test('a choice of an administrator counts before words, one that is unknown does not', () => {
    const item = {
      ...named('fault', 'ok'),
      annotations: { [colorAnnotation(0)]: 'blue', [colorAnnotation(1)]: 'pink' },
    };
    assert.equal(chosenColor(item, 0), 'blue');
    assert.equal(chosenColor(item, 1), null);
    assert.deepEqual([stateColor(item, 0), stateColor(item, 1)], ['--info', '--good']);
  });
});
