/** The marks and labels of axes, and the strokes of lines: all of a chart but its canvas. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { axesOf, panelAt, panelOfScale, reachOf, scaleOfPanel } from '../src/features/explorer/axes.ts';
import {
  type Box,
  laneLabels,
  timeLabels,
  type ValueAxis,
  valueLabels,
  valueTicksMax,
} from '../src/features/explorer/chart-labels.ts';
import { type Pen, traceBand, traceBars, traceLine } from '../src/features/explorer/chart-paths.ts';
import { bandOfBuckets, bandOfPoints, partAt, stateSeconds } from '../src/features/explorer/state-band.ts';
import { printNumber, timeTicks, valueTicks } from '../src/features/explorer/ticks.ts';
import { civilOf } from '../src/platform/time/civil.ts';
import { lineOf } from './support/charts.ts';
import { randomOf } from './support/random.ts';
import { at, day, hour } from './support/times.ts';

const box: Box = { left: 60, top: 20, width: 800, height: 300 };

suite('time axis', () => {
  test('marks ascend, lie in the window, and are as many as fit', () => {
    const random = randomOf(6);
    for (const zone of ['UTC', 'Europe/Oslo', 'Asia/Kathmandu', 'Australia/Lord_Howe'])
      for (let round = 0; round < 60; round++) {
        const fromMs = Math.floor(at('2025-01-01') + random() * 700 * day);
        const toMs = Math.ceil(fromMs + 10 ** (1 + random() * 10));
        const ticks = timeTicks({ fromMs, toMs, zone, countMax: 8 });
        const times = ticks.map(({ ms }) => ms);
        assert.deepEqual(
          times,
          [...new Set(times)].sort((a, b) => a - b),
          `${zone} ${fromMs} ${toMs}`,
        );
        assert.ok(times.every((ms) => ms >= fromMs && ms <= toMs));
        assert.ok(times.length <= 12, `${times.length} marks from ${fromMs} to ${toMs}`);
      }
  });

  test('marks of hours and days are round by the clock of the zone, on both sides of a change', () => {
    for (const zone of ['Europe/Oslo', 'America/New_York', 'Asia/Kathmandu']) {
      const facts = { fromMs: at('2026-10-20'), toMs: at('2026-11-10'), zone, countMax: 10 };
      for (const { ms } of timeTicks(facts)) {
        const { hour: hours, minute: minutes } = civilOf(zone, ms);
        assert.deepEqual([hours, minutes], [0, 0], zone);
      }
    }
  });

  test('the coarser part is said where it changes, and only there', () => {
    const ticks = timeTicks({
      fromMs: at('2026-11-19T18:00Z'),
      toMs: at('2026-11-20T12:00Z'),
      zone: 'UTC',
      countMax: 4,
    });
    assert.deepEqual(
      ticks.map(({ text, context }) => [text, context]),
      [
        ['18:00', '19 Nov 2026'],
        ['00:00', '20 Nov 2026'],
        ['06:00', ''],
        ['12:00', ''],
      ],
    );
    const years = timeTicks({ fromMs: at('2000-06-01'), toMs: at('2026-01-01'), zone: 'UTC', countMax: 6 });
    assert.deepEqual(
      years.map(({ text }) => text),
      ['2005', '2010', '2015', '2020', '2025'],
    );
  });

  test('weeks begin on the chosen day', () => {
    const facts = { fromMs: at('2026-11-01'), toMs: at('2026-12-01'), zone: 'UTC', countMax: 5, firstDay: 7 };
    assert.ok(timeTicks(facts).every(({ ms }) => new Date(ms).getUTCDay() === 0));
  });

  test('labels stay within the chart, and a date that would cover the next is left out', () => {
    const span = { fromMs: 0, toMs: 100 };
    const ticks = [
      { ms: 0, text: '23:59', context: '19 Nov 2026' },
      { ms: 5, text: '00:00', context: '20 Nov 2026' },
      { ms: 100, text: '00:10', context: '' },
    ];
    const labels = timeLabels(ticks, span, box, 880);
    const contexts = labels.filter(({ kind }) => kind === 'context').map(({ text }) => text);
    assert.deepEqual(contexts, ['20 Nov 2026']);
    const last = labels.filter(({ kind }) => kind === 'time').at(-1)!;
    assert.ok(last.x + last.text.length * 3.4 <= 880.001);
    assert.equal(labels[0]!.x, box.left);
    assert.ok(labels.every(({ y }) => y > box.top + box.height));
  });
});

suite('value axis', () => {
  test('marks are round, within the range, and neither too many nor none', () => {
    const random = randomOf(7);
    for (let round = 0; round < 300; round++) {
      const low = (random() - 0.5) * 10 ** Math.floor(random() * 12 - 6);
      const high = low + 10 ** (random() * 12 - 6);
      const marks = valueTicks(low, high, 6);
      const room = (high - low) * 1e-6;
      assert.ok(marks.length >= 1 && marks.length <= 8, `${low} to ${high}: ${marks}`);
      assert.ok(marks.every((mark) => mark >= low - room && mark <= high + room));
    }
    assert.deepEqual(valueTicks(3, 3, 5), []);
    assert.deepEqual(valueTicks(0, Number.POSITIVE_INFINITY, 5), []);
  });

  test('numbers have the digits that were asked for, and all before the point', () => {
    const numbers = [
      [0, 6, '0'],
      [1 / 3, 6, '0.333333'],
      [1 / 3, 2, '0.33'],
      [123_456_789, 6, '123456789'],
      [1e9, 6, '1e+9'],
      [-1.5e-5, 6, '-1.5e-5'],
      [0.0001, 6, '0.0001'],
      [12_345.678, 3, '12346'],
    ] as const;
    for (const [value, digits, text] of numbers) assert.equal(printNumber(value, digits), text);
  });

  test('one axis is on the left, the next on the right, the third further out on the left', () => {
    const axis = (title: string): ValueAxis => ({
      title,
      colors: [`--${title}`],
      panel: { top: 0, bottom: 1 },
      ends: [0, 10],
    });
    const labels = valueLabels([axis('a'), axis('b'), axis('c')], box, 58, false);
    const heads = labels.filter(({ kind }) => kind.startsWith('unit'));
    assert.deepEqual(
      heads.map(({ text, kind, x }) => [text, kind, x]),
      [
        ['a', 'unit-left', 60],
        ['b', 'unit-right', 860],
        ['c', 'unit-left', 2],
      ],
    );
    const numbers = labels.filter(({ kind }) => kind === 'left' || kind === 'right');
    assert.ok(numbers.every(({ color }) => /^--[abc]$/.test(color!)));
    assert.ok(numbers.every(({ y }) => y >= box.top - 1e-9 && y <= box.top + box.height + 1e-9));
  });

  test('a title that is wider than its axis goes into the space above the plot, where it is not cut off', () => {
    const axis = (title: string): ValueAxis => ({
      title,
      colors: ['--x'],
      panel: { top: 0, bottom: 1 },
      ends: [0, 1],
    });
    const heads = (...titles: string[]) =>
      valueLabels(titles.map(axis), box, 58, false).filter(({ kind }) => kind.startsWith('unit'));
    assert.deepEqual(
      heads('Old meter', 'Pump pressure', '°C', 'bar').map(({ kind, x }) => [kind, x]),
      [
        ['unit-right', 60],
        ['unit-left', 860],
        ['unit-left', 2],
        ['unit-right', 918],
      ],
    );
    assert.deepEqual(
      heads('kWh', 'm³/h').map(({ kind }) => kind),
      ['unit-left', 'unit-right'],
    );
  });

  test('panels have their titles with dots, and their numbers in their own height', () => {
    const axes = [0, 1].map(
      (i): ValueAxis => ({
        title: `u${i}`,
        colors: ['--x', '--y'],
        panel: panelAt(i, 2, box.height, true),
        ends: [0, 1],
      }),
    );
    const labels = valueLabels(axes, box, 58, true);
    const titles = labels.filter(({ kind }) => kind === 'panel-title');
    assert.deepEqual(
      titles.map(({ dots }) => dots),
      [
        ['--x', '--y'],
        ['--x', '--y'],
      ],
    );
    assert.ok(
      labels.every(({ color }) => color === undefined),
      'two lines have no common colour',
    );
    const middle = box.top + box.height / 2;
    const ys = labels.filter(({ kind }) => kind === 'left').map(({ y }) => y);
    assert.ok(ys.some((y) => y < middle) && ys.some((y) => y > middle));
  });

  test('an axis without a value in sight has a unit and no numbers', () => {
    const labels = valueLabels(
      [{ title: 'bar', colors: [], panel: { top: 0, bottom: 1 }, ends: null }],
      box,
      58,
      false,
    );
    assert.deepEqual(
      labels.map(({ text }) => text),
      ['bar'],
    );
    assert.equal(valueTicksMax({ ...box, height: 10 }), 2);
  });

  test('lanes say what holds at the cursor, and without one only their names', () => {
    const lane = (key: string) => ({
      key,
      title: key,
      spans: [],
      styleOf: () => ({ color: '', pattern: 0, text: '' }),
      sayAt: (ms: number) => `on at ${ms}`,
    });
    const texts = (ms: number | null) => laneLabels([lane('a'), lane('b')], box, ms).map(({ text }) => text);
    assert.deepEqual(texts(5), ['a: on at 5', 'b: on at 5']);
    assert.deepEqual(texts(null), ['a', 'b']);
  });
});

suite('ranges of axes', () => {
  const rows = { from: 0, to: 2 };

  test('lines that are hidden, and values outside of the rows, do not count', () => {
    const lines = [lineOf({ column: [1, 2, 3, 99] }), lineOf({ column: [500, 500, 500], isVisible: false })];
    const [low, high] = reachOf(lines, rows, false)!;
    assert.ok(low < 1 && low > 0.8 && high > 3 && high < 3.2);
  });

  test('bars reach zero from both sides', () => {
    const bars = (column: number[]) => reachOf([lineOf({ column, shape: 'bars' })], rows, false)!;
    assert.equal(bars([5, 6, 7])[0], 0);
    assert.equal(bars([-5, -6, -7])[1], 0);
    const [low, high] = bars([-1, 1, 0]);
    assert.ok(low < -1 && high > 1);
  });

  test('ends that were set hold also without data, and one that leaves no room is widened', () => {
    assert.deepEqual(reachOf([], rows, false, { low: 0, high: 5 }), [0, 5]);
    assert.equal(reachOf([], rows, false, { low: 0, high: null }), null);
    const [low, high] = reachOf([lineOf({ column: [1, 2, 3] })], rows, false, { low: 50, high: null })!;
    assert.ok(low === 50 && high > 50);
  });

  test('a constant of zero has an axis around it', () => {
    const [low, high] = reachOf([lineOf({ column: [0, 0, 0] })], rows, false)!;
    assert.ok(low < 0 && high > 0);
  });

  test('panels share the height without touching, and a scale finds back to its panel', () => {
    for (const count of [2, 3, 8])
      for (let i = 0; i < count; i++) {
        const panel = panelAt(i, count, 600, true);
        assert.ok(panel.top < panel.bottom);
        if (i > 0) assert.ok(panelAt(i - 1, count, 600, true).bottom < panel.top);
        const [low, high] = panelOfScale(...scaleOfPanel([-3, 8], panel), panel);
        assert.ok(Math.abs(low + 3) < 1e-9 && Math.abs(high - 8) < 1e-9);
      }
    assert.deepEqual(panelAt(0, 1, 600, true), { top: 0, bottom: 1 }, 'one panel is the whole chart');
  });

  test('axes come in the order of their lines', () => {
    const lines = [
      lineOf({ axis: 'b', unit: 'b' }),
      lineOf({ axis: 'a', unit: 'a' }),
      lineOf({ axis: 'b', unit: 'b' }),
    ];
    assert.deepEqual(
      axesOf({ lines }).map(({ key, lines: of }) => [key, of.length]),
      [
        ['b', 2],
        ['a', 1],
      ],
    );
  });
});

suite('strokes', () => {
  const plane = { xOf: (ms: number) => Math.round(ms), yOf: (value: number) => 100 - value };

  test('a line goes through the lowest and the highest value of every column of pixels', () => {
    const random = randomOf(8);
    const timesMs = Array.from({ length: 2000 }, (_, i) => i / 50);
    const column = timesMs.map(() => (random() < 0.05 ? undefined : Math.floor(random() * 100)));
    const pen = new Recorder();
    traceLine(pen, column, { timesMs, gaps: [], from: 0, to: timesMs.length - 1 }, plane, false);
    const byX = Map.groupBy(
      timesMs
        .map((ms, row) => ({ x: Math.round(ms), value: column[row] }))
        .filter(({ value }) => value !== undefined),
      ({ x }) => x,
    );
    for (const [x, values] of byX) {
      const ys = pen.points.filter((point) => point.x === x).map(({ y }) => 100 - y);
      const all = values.map(({ value }) => value!);
      assert.deepEqual([Math.min(...ys), Math.max(...ys)], [Math.min(...all), Math.max(...all)], `x ${x}`);
    }
    assert.ok(pen.points.length <= byX.size * 4, 'at most four points for a column of pixels');
  });

  test('only the rows that are asked for are drawn', () => {
    const pen = new Recorder();
    traceLine(
      pen,
      [1, 2, 3, 4, 5],
      { timesMs: [0, 10, 20, 30, 40], gaps: [[0, 1]], from: 2, to: 3 },
      plane,
      false,
    );
    assert.deepEqual(
      pen.points.map(({ x }) => x),
      [20, 30],
    );
  });

  test('a band of steps holds each value until the next', () => {
    const pen = new Recorder();
    traceBand(
      pen,
      { low: [1, 2], high: [5, 6] },
      { timesMs: [0, 10], gaps: [], from: 0, to: 1 },
      plane,
      true,
    );
    assert.deepEqual(
      pen.points.map(({ x, y }) => [x, 100 - y]),
      [
        [0, 5],
        [10, 5],
        [10, 6],
        [10, 2],
        [10, 1],
        [0, 1],
      ],
    );
  });

  test('a piece of a band that is one bucket has no area', () => {
    const pen = new Recorder();
    traceBand(
      pen,
      { low: [1, undefined], high: [5, 6] },
      { timesMs: [0, 10], gaps: [], from: 0, to: 1 },
      plane,
      false,
    );
    assert.deepEqual(pen.points, []);
  });

  test('a bar is as wide as its bucket, also where the next bucket is missing', () => {
    const pen = new Recorder();
    const range = { timesMs: [0, 100, 500], gaps: [], from: 0, to: 2 };
    traceBars(pen, [1, 1, 1], range, plane, { widthMs: 100, index: 0, count: 1 });
    const widths = [0, 4, 8].map((i) => pen.points[i + 2]!.x - pen.points[i]!.x);
    assert.equal(new Set(widths).size, 1);
    assert.ok(widths[0]! > 80 && widths[0]! < 100);
  });
});

suite('bands of states', () => {
  test('Q10 numbers that are no states end the one before', () => {
    const band = bandOfPoints([0, 10, 20, 30], [1, -1, 10_000, 2], { gapMs: null, endMs: 40 });
    assert.deepEqual(
      band.map(({ fromMs, toMs, state }) => [fromMs, toMs, state]),
      [
        [0, 10, 1],
        [30, 40, 2],
      ],
    );
  });

  test('any points make a band without overlaps, that says at each instant what the last point said', () => {
    const random = randomOf(9);
    for (let round = 0; round < 100; round++) {
      const timesMs = Array.from({ length: 20 }, (_, i) => i * 10);
      const column = timesMs.map(() => (random() < 0.3 ? undefined : Math.floor(random() * 3)));
      const gapMs = random() < 0.5 ? null : 25;
      const band = bandOfPoints(timesMs, column, { gapMs, endMs: 230 });
      for (const [i, { fromMs, toMs }] of band.entries()) {
        assert.ok(fromMs < toMs);
        if (i > 0) assert.ok(band[i - 1]!.toMs <= fromMs);
      }
      for (let ms = 5; ms < 230; ms += 10) {
        const row = timesMs.findLastIndex((time, at) => time <= ms && column[at] !== undefined);
        const holds = row >= 0 && (gapMs === null || ms - timesMs[row]! < gapMs);
        assert.equal(partAt(band, ms)?.state ?? null, holds ? column[row] : null, `${ms} of ${column}`);
      }
    }
  });

  test('Q7 seconds of buckets are those of the answer', () => {
    const random = randomOf(10);
    const timesMs = Array.from({ length: 12 }, (_, i) => i * hour);
    const shares = timesMs.map(() => Math.floor(random() * 3600));
    const columns = new Map([
      ['s_state_0', shares],
      ['s_state_1', shares.map((seconds) => 3600 - seconds)],
    ]);
    const band = bandOfBuckets({ timesMs, columns }, 's', { widthMs: hour, startMs: 0, endMs: 12 * hour });
    const total = shares.reduce((sum, each) => sum + each, 0);
    for (const [state, seconds] of stateSeconds(band))
      assert.ok(Math.abs(seconds - (state === 0 ? total : 12 * 3600 - total)) < 1e-6);
  });
});

/** Writes down the corners of what is drawn. */
class Recorder implements Pen {
  readonly points: { x: number; y: number }[] = [];
  moveTo(x: number, y: number): void {
    this.points.push({ x, y });
  }
  lineTo(x: number, y: number): void {
    this.points.push({ x, y });
  }
  closePath(): void {}
}
