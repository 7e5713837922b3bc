/** Where a chart puts what: labels at their values, panels in their shares, bars in their buckets, lines through their points. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Panel, panelAt, reachOf } from '../src/features/explorer/axes.ts';
import {
  type AxisLabel,
  type Box,
  laneLabels,
  timeLabels,
  type ValueAxis,
  valueLabels,
} from '../src/features/explorer/chart-labels.ts';
import { laneHeight } from '../src/features/explorer/chart-lanes.ts';
import {
  MeasuredPen,
  type Pen,
  type RowRange,
  traceBand,
  traceBars,
  traceLine,
} from '../src/features/explorer/chart-paths.ts';
import { type Column, findGaps } from '../src/features/explorer/frame.ts';
import { lineOf } from './support/charts.ts';
import { randomOf } from './support/random.ts';

const box: Box = { left: 60, top: 20, width: 800, height: 400 };
const whole: Panel = { top: 0, bottom: 1 };

function assertNear(found: number, expected: number, words = ''): void {
  assert.ok(Math.abs(found - expected) < 1e-6, `${words} ${found} in place of ${expected}`);
}

suite('labels of the time axis', () => {
  const span = { fromMs: 1000, toMs: 3000 };
  const tick = (ms: number, context = '', text = '10:00') => ({ ms, text, context });
  const labelsOf = (ticks: Parameters<typeof timeLabels>[0], kind: AxisLabel['kind'], width = 2000) =>
    timeLabels(ticks, span, box, width).filter((label) => label.kind === kind);

  test('a time is as far from the left edge as its share of the window', () => {
    const times = labelsOf([tick(1000), tick(1500), tick(2000), tick(3000)], 'time');
    assert.deepEqual(
      times.map(({ x }) => x),
      [60, 260, 460, 860],
    );
    assert.ok(
      times.every(({ y }) => y === times[0]!.y && y > box.top + box.height && y < box.top + box.height + 16),
    );
  });

  test('the date is in a line below the times, under its own', () => {
    const [date] = labelsOf([tick(1500, '20 Nov 2026')], 'context');
    const [time] = labelsOf([tick(1500, '20 Nov 2026')], 'time');
    assert.deepEqual([date!.text, date!.x], ['20 Nov 2026', time!.x]);
    assert.ok(date!.y - time!.y >= 12 && date!.y - time!.y <= 24);
  });

  test('the last one is moved to the left as far as half of its text needs', () => {
    const [label] = labelsOf([tick(3000, '', '10:00:00.250')], 'time', 870);
    assertNear(label!.x, 870 - 12 * 3.4);
    const [short] = labelsOf([tick(2900, '', '1')], 'time', 870);
    assertNear(short!.x, 820, 'where there is room it stays');
  });

  test('a date stays as long as the next begins behind it, at 7.4 pixels for each sign', () => {
    const dates = (distance: number) =>
      labelsOf([tick(1000, '1 Nov 2026'), tick(1000 + (distance / 800) * 2000, '2 Nov 2026')], 'context').map(
        ({ text }) => text,
      );
    assert.deepEqual(dates(73), ['2 Nov 2026']);
    assert.deepEqual(dates(74), ['2 Nov 2026'], 'they would touch');
    assert.deepEqual(dates(75), ['1 Nov 2026', '2 Nov 2026']);
  });
});

suite('labels of value axes', () => {
  const axisOf = (panel: Panel, ends: [number, number] = [0, 10]): ValueAxis => ({
    ...{ title: 'bar', colors: ['--a'], panel, ends },
  });
  const isNumber = ({ kind }: AxisLabel) => kind === 'left' || kind === 'right';

  test('a number is at the height of its value: the highest at the top of its panel, the lowest at the bottom', () => {
    const panels: Panel[] = [whole, { top: 0.25, bottom: 0.75 }, { top: 0.5, bottom: 1 }];
    for (const panel of panels)
      for (const [low, high] of [
        [0, 10],
        [-20, 20],
        [100, 110],
      ] as const) {
        const numbers = valueLabels([axisOf(panel, [low, high])], box, 58, false).filter(isNumber);
        assert.ok(numbers.length >= 3);
        for (const { y, text } of numbers) {
          const share = (high - Number(text)) / (high - low);
          assertNear(y, box.top + (panel.top + share * (panel.bottom - panel.top)) * box.height, text);
        }
        assert.deepEqual([numbers[0]!.text, numbers.at(-1)!.text], [String(low), String(high)]);
      }
  });

  test('a number needs 44 pixels, and an axis has two marks at least', () => {
    const count = (height: number) =>
      valueLabels([axisOf(whole, [0, 100])], { ...box, height }, 58, false).filter(isNumber).length;
    assert.equal(count(440), 11, 'every ten');
    assert.equal(count(439), 6, 'every twenty');
    assert.equal(count(10), 3, 'every fifty');
  });

  test('numbers are nine pixels beside their axis; the third and the fourth are further out', () => {
    const labels = valueLabels(Array(4).fill(axisOf(whole)), box, 58, false);
    const xs = [...new Set(labels.filter(isNumber).map(({ x, kind }) => `${kind} ${x}`))];
    const right = box.left + box.width;
    assert.deepEqual(xs, [
      `left ${60 - 9}`,
      `right ${right + 9}`,
      `left ${60 - 58 - 9}`,
      `right ${right + 58 + 9}`,
    ]);
    const heads = labels.filter(({ kind }) => kind.startsWith('unit'));
    assert.deepEqual(
      heads.map(({ x, y }) => [x, y]),
      [60, right, 2, right + 58].map((x) => [x, box.top - 16]),
    );
  });

  test('in panels every axis is on the left, and its title above it', () => {
    const axes = [0, 1, 2].map((i) => axisOf(panelAt(i, 3, box.height, true)));
    const labels = valueLabels(axes, box, 58, true);
    assert.ok(labels.filter(isNumber).every(({ x, kind }) => x === box.left - 9 && kind === 'left'));
    const titles = labels.filter(({ kind }) => kind === 'panel-title');
    for (const [i, { x, y }] of titles.entries()) {
      assert.equal(x, box.left);
      assertNear(y, box.top + axes[i]!.panel.top * box.height - 16);
    }
    assert.equal(titles.length, 3);
  });

  test('lanes are below each other, each as high as a lane', () => {
    const lane = {
      key: 'a',
      title: 'a',
      spans: [],
      styleOf: () => ({ color: '', pattern: 0, text: '' }),
      sayAt: String,
    };
    const labels = laneLabels([lane, lane, lane], box, null);
    assert.ok(labels.every(({ x }) => x === box.left));
    assert.deepEqual(
      labels.map(({ y }) => y - labels[0]!.y),
      [0, laneHeight, 2 * laneHeight],
    );
    assert.ok(labels[0]!.y >= 0 && labels[0]!.y < laneHeight / 2);
  });
});

suite('panels', () => {
  test('each has an equal share, less twenty pixels for its title but for the first, and four between', () => {
    for (const count of [2, 3, 5])
      for (let i = 0; i < count; i++) {
        const { top, bottom } = panelAt(i, count, 600, true);
        assertNear(top * 600, (600 / count) * i + (i === 0 ? 0 : 20), `panel ${i} of ${count}`);
        assertNear(
          bottom * 600,
          (600 / count) * (i + 1) - (i === count - 1 ? 0 : 4),
          `panel ${i} of ${count}`,
        );
      }
  });

  test('without panels, and with one axis, all share the whole height', () => {
    assert.deepEqual(panelAt(2, 3, 600, false), whole);
    assert.deepEqual(panelAt(0, 1, 600, true), whole);
  });
});

suite('what an axis reaches', () => {
  /** From the lowest to the highest of all visible values in the rows. */
  function plainReach(columns: readonly Column[], from: number, to: number): [number, number] | null {
    const values = columns.flatMap((column) =>
      Array.from(column).filter((_, row) => row >= from && row <= to),
    );
    const known = values.filter((value) => value !== undefined);
    return known.length === 0 ? null : [Math.min(...known), Math.max(...known)];
  }

  test('every visible value is in it, with six hundredths of their distance on either side', () => {
    const random = randomOf(401);
    for (let round = 0; round < 300; round++) {
      const columnOf = (): Column =>
        Array.from({ length: 12 }, () => (random() < 0.3 ? undefined : Math.round(random() * 200 - 100)));
      const [a, b, hidden, low, high] = [columnOf(), columnOf(), columnOf(), columnOf(), columnOf()];
      const lines = [
        lineOf({ column: a }),
        lineOf({ column: hidden, isVisible: false }),
        lineOf({ column: b, band: { low, high } }),
      ];
      const from = Math.floor(random() * 12);
      const to = from + Math.floor(random() * (12 - from));
      for (const isBuckets of [false, true]) {
        const more = isBuckets ? 1 : 0;
        const lowest = plainReach([a, b, low], from - more, to + more)?.[0];
        const highest = plainReach([a, b, high], from - more, to + more)?.[1];
        const reach = reachOf(lines, { from, to }, isBuckets);
        if (lowest === undefined || highest === undefined || lowest >= highest) continue;
        assertNear(reach![0], lowest - (highest - lowest) * 0.06, `round ${round}`);
        assertNear(reach![1], highest + (highest - lowest) * 0.06, `round ${round}`);
      }
    }
  });

  test('a constant has a tenth of itself around it, also a negative one; zero has one', () => {
    const reach = (value: number) => reachOf([lineOf({ column: [value] })], { from: 0, to: 0 }, false);
    assert.deepEqual(reach(50), [45, 55]);
    assert.deepEqual(reach(-50), [-55, -45]);
    assert.deepEqual(reach(0), [-1, 1]);
  });

  test('bars begin at zero without a margin; bars that are hidden do not', () => {
    const bars = (column: number[], isVisible = true) =>
      reachOf(
        [lineOf({ column, shape: 'bars', isVisible }), lineOf({ column: [40, 60] })],
        { from: 0, to: 1 },
        false,
      );
    assert.deepEqual(bars([50, 100]), [0, 106]);
    assert.deepEqual(bars([50, 100], false), [40 - 1.2, 60 + 1.2]);
    const below = reachOf([lineOf({ column: [-100, -50], shape: 'bars' })], { from: 0, to: 1 }, false);
    assert.deepEqual(below, [-106, 0]);
  });

  test('an end that was set is exactly there; where both leave no room the upper one gives way', () => {
    const line = lineOf({ column: [10, 20] });
    const reach = (low: number | null, high: number | null) =>
      reachOf([line], { from: 0, to: 1 }, false, { low, high });
    assert.deepEqual(reach(0, null), [0, 20.6]);
    assert.deepEqual(reach(null, 100), [9.4, 100]);
    assert.deepEqual(reach(30, null), [30, 30.6]);
    assert.deepEqual(reach(5, 5), [5, 5.6]);
  });
});

/** What was drawn, as strokes from point to point; a point is `[x, y]`. */
class Strokes implements Pen {
  readonly pieces: [number, number][][] = [];
  closedCount = 0;
  moveTo(x: number, y: number): void {
    this.pieces.push([[x, y]]);
  }
  lineTo(x: number, y: number): void {
    this.pieces.at(-1)!.push([x, y]);
  }
  closePath(): void {
    this.closedCount++;
  }
}

/** Ten rows share a pixel on average; y is the value upside down. */
const plane = { xOf: (ms: number) => Math.round(ms / 10), yOf: (value: number) => 100 - value };

/** Rows with holes, and gaps where many are missing. */
function anyLine(random: () => number): { column: (number | undefined)[]; range: RowRange } {
  const count = 5 + Math.floor(random() * 80);
  const step = 1 + Math.floor(random() * 12);
  const timesMs = Array.from({ length: count }, (_, i) => i * step);
  let isHole = false;
  const column = timesMs.map(() => {
    if (random() < 0.15) isHole = !isHole;
    return isHole ? undefined : Math.floor(random() * 100);
  });
  const from = Math.floor(random() * count * 0.3);
  const to = count - 1 - Math.floor(random() * count * 0.3);
  return { column, range: { timesMs, gaps: findGaps(timesMs, column, step * 2.5), from, to } };
}

/** The rows with a value, in pieces between which nothing is drawn. */
function piecesOf(column: Column, { gaps, from, to }: RowRange): number[][] {
  const pieces: number[][] = [];
  for (let row = from; row <= to; row++) {
    if (column[row] === undefined) continue;
    if (pieces.length === 0 || gaps.some(([, after]) => after === row)) pieces.push([]);
    pieces.at(-1)!.push(row);
  }
  return pieces;
}

suite('strokes', () => {
  /** What a stroke through all points covers: each column of pixels from its lowest to its highest, and each way between two. */
  function coverOf(points: readonly (readonly [number, number])[]): { columns: unknown; ways: unknown } {
    const columns = new Map<number, [number, number]>();
    const ways: unknown[] = [];
    for (const [i, [x, y]] of points.entries()) {
      const [low, high] = columns.get(x) ?? [y, y];
      columns.set(x, [Math.min(low, y), Math.max(high, y)]);
      if (i > 0 && points[i - 1]![0] !== x) ways.push([points[i - 1], [x, y]]);
    }
    return { columns: [...columns], ways };
  }

  /** Random lines, each with what is drawn of it. */
  function* tracedLines(seed: number, isStepped: boolean) {
    const random = randomOf(seed);
    for (let round = 0; round < 400; round++) {
      const line = anyLine(random);
      const pen = new Strokes();
      traceLine(pen, line.column, line.range, plane, isStepped);
      yield { ...line, pen, round };
    }
  }

  test('a line covers what a stroke through every point covers, piece by piece', () => {
    for (const { pen, column, range, round } of tracedLines(411, false)) {
      const plain = piecesOf(column, range).map((rows) =>
        rows.map((row): [number, number] => [plane.xOf(range.timesMs[row]!), plane.yOf(column[row]!)]),
      );
      assert.deepEqual(pen.pieces.map(coverOf), plain.map(coverOf), `round ${round}`);
      assert.ok(pen.pieces.every((piece, i) => piece.length <= Math.max(1, plain[i]!.length * 2)));
    }
  });

  test('a line of steps goes level to the next column of pixels, then up or down', () => {
    for (const { pen, column, range, round } of tracedLines(412, true)) {
      const plain = piecesOf(column, range).map((rows) =>
        rows.flatMap((row, i): [number, number][] => {
          const [x, y] = [plane.xOf(range.timesMs[row]!), plane.yOf(column[row]!)];
          return i === 0
            ? [[x, y]]
            : [
                [x, plane.yOf(column[rows[i - 1]!]!)],
                [x, y],
              ];
        }),
      );
      const ways = pen.pieces.map((piece) => coverOf(piece).ways);
      assert.deepEqual(
        ways,
        plain.map((piece) => coverOf(piece).ways),
        `round ${round}`,
      );
      for (const way of ways.flat() as [number, number][][]) assert.equal(way[0]![1], way[1]![1], 'level');
    }
  });

  test('a level line in one column of pixels is drawn once', () => {
    const pen = new Strokes();
    const range = { timesMs: [0, 1, 2, 10, 11], gaps: [], from: 0, to: 4 };
    traceLine(pen, [5, 5, 5, 5, 5], range, plane, false);
    assert.deepEqual(pen.pieces, [
      [
        [0, 95],
        [1, 95],
      ],
    ]);
    const none = new Strokes();
    traceLine(none, [undefined, undefined], { timesMs: [0, 1], gaps: [], from: 0, to: 1 }, plane, false);
    assert.deepEqual(none.pieces, []);
  });

  test('a band goes along its upper edge, and back along the lower one, closed', () => {
    const random = randomOf(413);
    for (let round = 0; round < 300; round++) {
      const { column: low, range } = anyLine(random);
      const high = low.map((value) =>
        value === undefined || random() < 0.1 ? undefined : value + random() * 20,
      );
      const both = low.map((value, row) => (high[row] === undefined ? undefined : value));
      const pen = new Strokes();
      traceBand(pen, { low, high }, range, plane, false);
      const outline = (rows: number[]) => {
        const edge = (column: Column) =>
          rows.map((row): [number, number] => [plane.xOf(range.timesMs[row]!), plane.yOf(column[row]!)]);
        return [...edge(high), ...edge(low).reverse()];
      };
      const pieces = piecesOf(both, range).filter((rows) => rows.length > 1);
      assert.deepEqual(pen.pieces, pieces.map(outline), `round ${round}`);
      assert.equal(pen.closedCount, pieces.length);
    }
  });

  test('a band of steps keeps both edges until the next bucket', () => {
    const pen = new Strokes();
    const range = { timesMs: [0, 10, 30], gaps: [], from: 0, to: 2 };
    traceBand(pen, { low: [1, 2, 0], high: [5, 6, 9] }, range, plane, true);
    const edges = pen.pieces[0]!.map(([x, y]) => [x, 100 - y]);
    assert.deepEqual(edges.slice(0, 5), [
      [0, 5],
      [1, 5],
      [1, 6],
      [3, 6],
      [3, 9],
    ]);
    assert.deepEqual(edges.slice(5).reverse(), [
      [0, 1],
      [1, 1],
      [1, 2],
      [3, 2],
      [3, 0],
    ]);
  });

  test('the length of what is drawn counts in every direction', () => {
    const pen = new MeasuredPen(new Strokes());
    pen.moveTo(10, 10);
    pen.lineTo(4, 10);
    pen.lineTo(4, 2);
    pen.lineTo(14, 12);
    assert.equal(pen.length, 6 + 8 + 20);
    assert.equal(pen.pen.pieces[0]!.length, 4, 'and everything is drawn');
    const fresh = new MeasuredPen(new Strokes());
    fresh.moveTo(0, 0);
    fresh.lineTo(3, 4);
    assert.equal(fresh.length, 7);
  });
});

suite('bars', () => {
  /** From left to right and from the base to the value, px. */
  function barsOf(column: Column, timesMs: number[], widthMs: number, index = 0, count = 1) {
    const pen = new Strokes();
    const whereIs = { xOf: (ms: number) => ms, yOf: (value: number) => 100 - value };
    traceBars(pen, column, { timesMs, gaps: [], from: 0, to: timesMs.length - 1 }, whereIs, {
      widthMs,
      index,
      count,
    });
    assert.equal(pen.closedCount, pen.pieces.length);
    return pen.pieces.map((corners) => {
      const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
      assert.equal(corners.length, 4);
      return { left: Math.min(...xs), right: Math.max(...xs), base: 100 - ys[0]!, value: 100 - ys[1]! };
    });
  }

  test('a bar reaches from zero to its value, also downwards; without a value there is none', () => {
    const bars = barsOf([30, undefined, -20], [0, 100, 200], 100);
    assert.deepEqual(
      bars.map(({ base, value }) => [base, value]),
      [
        [0, 30],
        [0, -20],
      ],
    );
  });

  test('a bucket leaves 15 % free, at most eight pixels, half of it on each side', () => {
    const [narrow] = barsOf([1, 1], [0, 20], 20);
    assertNear(narrow!.left, 1.5);
    assertNear(narrow!.right, 18.5);
    const [wide] = barsOf([1, 1], [0, 400], 400);
    assert.deepEqual([wide!.left, wide!.right], [4, 396]);
  });

  test('several lines share what is left equally, and the narrowest bar is one pixel', () => {
    const [first, second, third] = [0, 1, 2].map((index) => barsOf([1, 1], [0, 100], 100, index, 3)[0]!);
    for (const bar of [first!, second!, third!]) assertNear(bar.right - bar.left, (100 - 8) / 3);
    assertNear(second!.left, first!.right);
    assertNear(third!.left, second!.right);
    const [thin] = barsOf([1, 1], [0, 2], 2, 0, 20);
    assertNear(thin!.right - thin!.left, 1);
  });

  test('a bucket ends where the next begins, unless more than half of one is missing between them', () => {
    const width = (next: number) => {
      const [{ left, right } = { left: 0, right: 0 }] = barsOf([1, 1], [0, next], 100);
      return right - left + 8;
    };
    assertNear(width(125), 125, 'a day of 25 hours');
    assertNear(width(90), 90, 'a short month');
    assertNear(width(159), 159);
    assertNear(width(160), 100, 'a row was left out');
    assertNear(width(200), 100);
    const bars = barsOf([1, 1], [0, 100], 100);
    assertNear(bars[1]!.right, 196, 'the last one has the usual width');
  });
});
