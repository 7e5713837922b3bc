/** The window of the explorer: addresses of any view, ranges and comparisons on the calendar, moves, what holds at an instant. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Temporal } from 'temporal-polyfill';
import { type Comparison, comparisons, earlierSpan } from '../src/features/explorer/compare.ts';
import { placePins, removeNear, togglePin } from '../src/features/explorer/pins.ts';
import { chartOf, summarize } from '../src/features/explorer/plot.ts';
import {
  isBackwards,
  isRangeEnd,
  isRelative,
  nameRange,
  rangeUntilNow,
  resolveRange,
  type Span,
  shiftSpan,
  shortcuts,
  spanLengthMs,
  stretchSpan,
  tidySpan,
  wholeSpan,
} from '../src/features/explorer/range.ts';
import { readingAt } from '../src/features/explorer/reading.ts';
import { silentItems } from '../src/features/explorer/silence.ts';
import { stripSpan } from '../src/features/explorer/strip-span.ts';
import {
  emptyView,
  parseView,
  printView,
  type Search,
  statistics,
  type View,
} from '../src/features/explorer/view.ts';
import { loadedOf, plotOf } from './support/charts.ts';
import { enumOf, itemOf } from './support/items.ts';
import { randomOf } from './support/random.ts';
import { at, day, hour, minute } from './support/times.ts';

const pick = <T>(random: () => number, all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
const zoned = (zone: string, ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);

/** With changes of an hour, of half an hour, and none. */
const zones = ['UTC', 'Europe/Oslo', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

suite('addresses', () => {
  const ids = Array.from({ length: 6 }, (_, i) => `cbpmaq6rpn52969vfl0${i}`);

  function anyView(random: () => number): View {
    const some = <T>(all: readonly T[]) => all.filter(() => random() < 0.5);
    const end = () => (random() < 0.4 ? null : Math.round((random() - 0.5) * 1e6) / 1000);
    const items = some(ids);
    const ends = some(items).map((id) => [id, { low: end(), high: end() }] as const);
    return {
      items,
      hidden: new Set(some(items)),
      range: pick(random, [...shortcuts, { from: '2026-01-01T00:00:00Z', to: 'now+1h' }, emptyView.range]),
      zone: pick(random, [null, ...zones]),
      rollup: pick(random, ['auto', 'raw', 'window', 'PT5M', 'P1M']),
      statistic: pick(random, Object.keys(statistics) as (keyof typeof statistics)[]),
      hasBand: random() < 0.5,
      line: pick(random, ['auto', 'line', 'step', 'bars'] as const),
      axes: pick(random, ['auto', 'panels', 'shared'] as const),
      own: new Set(some(items)),
      ranges: new Map(ends.filter(([, { low, high }]) => low !== null || high !== null)),
      firstDay: 1 + Math.floor(random() * 7),
      compares: pick(random, Object.keys(comparisons) as Comparison[]),
      isLive: random() < 0.5,
      tab: pick(random, ['chart', 'table', 'states'] as const),
      hasReadout: random() < 0.5,
      pins: [
        ...new Set(
          Array.from({ length: Math.floor(random() * 8) }, () => Math.floor((random() - 0.2) * 4e12)),
        ),
      ],
    };
  }

  const searchOf = (parts: Search) =>
    new URLSearchParams(Object.entries(parts).filter((part): part is [string, string] => part[1] !== null));

  test('any view comes back from its address', () => {
    const random = randomOf(501);
    for (let round = 0; round < 400; round++) {
      const view = anyView(random);
      const { name: _, ...range } = { name: '', ...view.range };
      assert.deepEqual(parseView(searchOf(printView(view))), { ...view, range });
    }
  });

  test('what belongs to items that were removed is not in the address', () => {
    const [a, b] = ids as [string, string];
    const both = { hidden: new Set([a, b]), own: new Set([a, b]) };
    const ranges = new Map([a, b].map((id) => [id, { low: 0, high: null }]));
    const { off, own, y } = printView({ ...emptyView, items: [b], ...both, ranges });
    assert.deepEqual([off, own, y], [b, b, `${b}~0~`]);
  });

  test('an instant of a pin is kept to the millisecond, and an end that is missing is now', () => {
    assert.equal(printView({ ...emptyView, pins: [35.6, 36.2] }).pins, '10.10');
    const rangeOf = (text: string) => parseView(new URLSearchParams(text)).range;
    for (const text of ['from=now-2h', 'from=now-2h&to=soon'])
      assert.deepEqual(rangeOf(text), { from: 'now-2h', to: 'now' });
    assert.deepEqual(rangeOf('to=now-2h'), emptyView.range, 'an end alone is no range');
  });

  test('blanks and infinities are no ends of an axis, and an eighth day is no day', () => {
    const [a] = ids as [string];
    const view = (text: string) => parseView(new URLSearchParams(`items=${a}&${text}`));
    for (const text of [`y=${a}~+~`, `y=${a}~Infinity~1e999`, `y=${a}`])
      assert.equal(view(text).ranges.size, 0, text);
    assert.deepEqual(view(`y=${a}~-1e3~.5`).ranges.get(a), { low: -1000, high: 0.5 });
    assert.deepEqual(
      ['week=7', 'week=8', 'week=0', 'week=2.5', 'week=x'].map((text) => view(text).firstDay),
      [7, 1, 1, 1, 1],
    );
  });
});

suite('ranges', () => {
  test('what is added to now is added on the calendar from days on, and by the clock below', () => {
    const random = randomOf(511);
    const calendar = { d: 'days', w: 'weeks', M: 'months', y: 'years' } as const;
    const clock = { s: 1000, m: minute, h: hour } as const;
    for (let round = 0; round < 400; round++) {
      const zone = pick(random, zones);
      const nowMs = Math.floor(at('2010-01-01') + random() * 15 * 365 * day);
      const [sign, count] = [pick(random, ['-', '+'] as const), 1 + Math.floor(random() * 40)];
      const signed = sign === '-' ? -count : count;
      const resolved = (unit: string) =>
        resolveRange({ from: `now${sign}${count}${unit}`, to: 'now+99y' }, nowMs, { zone, firstDay: 1 })
          .fromMs;
      for (const [unit, ms] of Object.entries(clock)) assert.equal(resolved(unit), nowMs + signed * ms);
      for (const [unit, name] of Object.entries(calendar)) {
        const expected = zoned(zone, nowMs)
          .toPlainDateTime()
          .add({ [name]: signed });
        // Of a time that the clock shows twice the first is meant.
        assert.equal(
          resolved(unit),
          expected.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds,
        );
      }
    }
  });

  test('live mode has as long a range until now, to the minute or to the day', () => {
    const random = randomOf(512);
    for (let round = 0; round < 500; round++) {
      const length = Math.ceil(Math.min(spanLengthMs.max, 10 ** (random() * 13)));
      const range = rangeUntilNow({ fromMs: 5, toMs: 5 + length });
      const nowMs = at('2026-11-20T10:30:00Z');
      assert.ok(isRangeEnd(range.from) && isRelative(range), range.from);
      const { fromMs, toMs } = resolveRange(range, nowMs, { zone: 'UTC', firstDay: 1 });
      const more = toMs - fromMs - length;
      assert.ok(
        toMs === nowMs && more >= 0 && more < (length <= 41 * day ? minute : day),
        `${length}: ${range.from}`,
      );
    }
    assert.deepEqual(rangeUntilNow({ fromMs: 0, toMs: 90 * day }), { from: 'now-90d', to: 'now' });
    assert.deepEqual(rangeUntilNow({ fromMs: 0, toMs: 6 * hour }), { from: 'now-360m', to: 'now' });
  });

  test('a range is relative when one of its ends is', () => {
    const fixed = '2026-01-01T00:00:00Z';
    const relative = [
      ['now-1h', 'now'],
      [fixed, 'now'],
      ['now-1h', '2100-01-01T00:00:00Z'],
    ] as const;
    for (const [from, to] of relative) assert.ok(isRelative({ from, to }), `${from} to ${to}`);
    assert.equal(isRelative({ from: fixed, to: fixed }), false);
  });

  test('a range that ends where it begins is not backwards, and the end of a day is its midnight', () => {
    const calendar = { zone: 'UTC', firstDay: 1 };
    const noon = at('2026-11-20T12:00:00Z');
    const isBack = (from: string, to: string) => isBackwards({ from, to }, noon, calendar);
    assert.equal(isBack('now', 'now'), false);
    assert.equal(isBack('now', '2026-11-20T11:59:59Z'), true);
    assert.equal(isBack('2026-11-20T18:00:00Z', 'now/d'), false);
    assert.equal(isBack('now+13h', 'now/d'), true);
    assert.equal(isBack('now/d', '2026-11-20T00:00:00Z'), false, 'a day begins at its start');
  });

  test('names of lengths are of every unit', () => {
    const names = ['s', 'm', 'h', 'd', 'w', 'M', 'y'].map((unit) =>
      nameRange({ from: `now-2${unit}`, to: 'now' }),
    );
    const units = ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years'];
    assert.deepEqual(
      names,
      units.map((unit) => `Last 2 ${unit}`),
    );
    assert.equal(nameRange({ from: 'now-1s', to: 'now' }), 'Last second');
    assert.equal(nameRange({ from: 'now-2d', to: 'now/d' }), null);
  });

  test('moves and zooms end on whole milliseconds, and move by as much as was asked for', () => {
    const random = randomOf(513);
    for (let round = 0; round < 300; round++) {
      const fromMs = Math.floor(random() * 1e12);
      const span = { fromMs, toMs: fromMs + 1 + Math.floor(random() * 1e9) };
      const [length, steps] = [span.toMs - span.fromMs, (random() - 0.5) * 4];
      const moved = shiftSpan(span, steps);
      assert.equal(moved.toMs - moved.fromMs, length);
      assert.ok(Math.abs(moved.fromMs - fromMs - length * steps) <= 0.5);
      const zoomed = stretchSpan(span, random() * 3, random());
      const whole = wholeSpan(span);
      for (const ms of [moved.fromMs, zoomed.fromMs, zoomed.toMs, whole.fromMs, whole.toMs])
        assert.ok(Number.isInteger(ms));
      const margin = Math.max(1000, length * 0.01);
      assert.ok(whole.fromMs <= fromMs - margin && whole.fromMs > fromMs - margin - 1);
      assert.ok(whole.toMs >= span.toMs + margin && whole.toMs < span.toMs + margin + 1);
    }
  });

  test('a span read off a chart is on minutes from two thousand of them on, on seconds from two thousand on', () => {
    const tidied = (lengthMs: number) => tidySpan({ fromMs: 90_400, toMs: 90_400 + lengthMs }).fromMs;
    assert.equal(tidied(2000 * minute), 120_000);
    assert.equal(tidied(2000 * minute - 1), 90_000);
    assert.equal(tidied(2_000_000), 90_000);
    assert.equal(tidied(1_999_999), 90_400);
  });
});

suite('comparison', () => {
  const daysOf = { day: 1, week: 7 } as const;

  test('a day or a week earlier is so on the calendar, and its instants come back under the same clock time', () => {
    const random = randomOf(521);
    for (let round = 0; round < 400; round++) {
      const zone = pick(random, zones);
      const comparison = pick(random, ['day', 'week'] as const);
      const days = daysOf[comparison];
      const fromMs = Math.floor((at('2010-01-01') + random() * 15 * 365 * day) / 1000) * 1000;
      const span = { fromMs, toMs: fromMs + 1000 + Math.floor(random() * 10 * day) };
      const shifted = (ms: number, by: number) =>
        zoned(zone, ms)
          .toPlainDateTime()
          .add({ days: by })
          .toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
      const { span: earlier, toPresent } = earlierSpan(span, comparison, zone);
      assert.deepEqual(
        earlier,
        { fromMs: shifted(span.fromMs, -days), toMs: shifted(span.toMs, -days) },
        zone,
      );
      const inside = earlier.fromMs + Math.floor((random() * (earlier.toMs - earlier.fromMs)) / 1000) * 1000;
      assert.equal(toPresent(inside), shifted(inside, days), `${zone}: ${inside}`);
    }
  });

  test('the period before a part of a day ends where that begins, and its rows move by its length', () => {
    const span = { fromMs: at('2026-11-20T06:00:00Z'), toMs: at('2026-11-21T00:00:00Z') };
    const { span: before, toPresent } = earlierSpan(span, 'previous', 'UTC');
    assert.deepEqual(
      before,
      { fromMs: at('2026-11-19T12:00:00Z'), toMs: span.fromMs },
      'only one end is midnight',
    );
    assert.equal(toPresent(before.fromMs + 5), span.fromMs + 5);
  });

  test('the period before whole days has as many, also where one of them is an hour longer or shorter', () => {
    const oslo = (text: string) =>
      Temporal.PlainDate.from(text).toZonedDateTime('Europe/Oslo').epochMilliseconds;
    const before = (from: string, to: string) =>
      earlierSpan({ fromMs: oslo(from), toMs: oslo(to) }, 'previous', 'Europe/Oslo').span;
    assert.deepEqual(before('2026-10-25', '2026-10-26'), {
      fromMs: oslo('2026-10-24'),
      toMs: oslo('2026-10-25'),
    });
    assert.deepEqual(before('2026-03-29', '2026-03-30'), {
      fromMs: oslo('2026-03-28'),
      toMs: oslo('2026-03-29'),
    });
    assert.deepEqual(before('2026-10-20', '2026-10-27'), {
      fromMs: oslo('2026-10-13'),
      toMs: oslo('2026-10-20'),
    });
    assert.deepEqual(before('2026-03-25', '2026-04-01'), {
      fromMs: oslo('2026-03-18'),
      toMs: oslo('2026-03-25'),
    });
  });

  test('a year earlier is the same date, through leap years and changes of the clocks', () => {
    for (const zone of zones)
      for (const text of [
        '2024-02-28',
        '2024-03-01',
        '2025-02-28',
        '2025-03-30',
        '2025-11-02',
        '2026-03-29',
      ]) {
        const date = Temporal.PlainDate.from(text);
        // At noon the clocks have been changed on some of these days, and a year before they have not.
        const ms = (each: Temporal.PlainDate) =>
          each.toZonedDateTime({ timeZone: zone, plainTime: '12:00' }).epochMilliseconds;
        const { span } = earlierSpan({ fromMs: ms(date), toMs: ms(date) + hour }, 'year', zone);
        assert.equal(span.fromMs, ms(date.subtract({ years: 1 })), `${text} in ${zone}`);
      }
  });

  test('states of the earlier time hold to the end of the window, those of the present until now', () => {
    const facts = {
      rollup: null,
      widthMs: 0,
      compares: 'day',
      span: { fromMs: 0, toMs: 6 * hour },
      nowMs: 4 * hour,
    } as const;
    const loaded = loadedOf({ s: [1, 0], 'previous:s': [0, 1] }, facts);
    const [{ band, earlierBand } = { band: null, earlierBand: null }] = plotOf([enumOf('s')], loaded).plotted;
    assert.equal(band!.at(-1)!.toMs, 4 * hour);
    assert.equal(earlierBand!.at(-1)!.toMs, 6 * hour);
    const later = plotOf([enumOf('s')], { ...loaded, nowMs: 9 * hour }).plotted[0]!;
    assert.equal(later.band!.at(-1)!.toMs, 6 * hour);
    const without = plotOf([enumOf('s'), itemOf('n')], { ...loaded, compares: '' }).plotted;
    assert.deepEqual(
      without.map((each) => each.earlierBand),
      [null, null],
    );
    const place = { ...emptyView, span: facts.span };
    assert.equal(
      chartOf({ loaded: { ...loaded, compares: '' }, plotted: without, zone: 'UTC' }, place).lanes.length,
      1,
    );
  });
});

suite('overview', () => {
  test('it has the window in it, and all data as long as that is no more than three thousand windows', () => {
    const random = randomOf(531);
    for (let round = 0; round < 400; round++) {
      const fromMs = Math.floor(random() * 1e12);
      const window = { fromMs, toMs: fromMs + Math.ceil(10 ** (3 + random() * 8)) };
      const length = window.toMs - window.fromMs;
      const extent = {
        fromMs: fromMs - Math.floor(10 ** (random() * 12.5)),
        toMs: window.toMs + Math.floor(10 ** (random() * 12.5)),
      };
      const strip = stripSpan(window, extent, null);
      assert.ok(strip.fromMs <= window.fromMs && strip.toMs >= window.toMs);
      const all =
        Math.max(extent.toMs, window.toMs + length / 4) - Math.min(extent.fromMs, window.fromMs - length / 2);
      if (all <= 3000 * length) assert.ok(strip.fromMs <= extent.fromMs && strip.toMs >= extent.toMs);
      else assert.ok(strip.toMs - strip.fromMs >= 29 * length && strip.toMs - strip.fromMs <= 40 * length);
      assert.ok(strip.toMs - strip.fromMs <= Math.max(all * 1.3, 40 * length), 'no more than is needed');
    }
  });

  test('it stays while the window is inside of it, and is made anew when that nears an end or leaves its size', () => {
    const strip = { fromMs: 0, toMs: 1000 };
    const extent = { fromMs: -5000, toMs: 5000 };
    const stays = (window: Span) => stripSpan(window, extent, strip) === strip;
    assert.ok(stays({ fromMs: 20, toMs: 120 }));
    assert.ok(!stays({ fromMs: 19, toMs: 119 }), 'closer than a fiftieth to the start');
    assert.ok(stays({ fromMs: 880, toMs: 980 }));
    assert.ok(!stays({ fromMs: 881, toMs: 981 }));
    assert.ok(stays({ fromMs: 100, toMs: 930 }));
    assert.ok(!stays({ fromMs: 100, toMs: 940 }), 'more than five sixths of it');
  });

  test('without data it is a little longer than the window, mostly before it', () => {
    assert.deepEqual(stripSpan({ fromMs: 10_000, toMs: 20_000 }, null, null), { fromMs: 5000, toMs: 23_000 });
  });
});

suite('what holds at an instant', () => {
  const raw = { rollup: null, widthMs: 0 };

  test('a value of points is looked for two thousand rows back, and no older than the gap detection', () => {
    const column = [7, ...new Array<undefined>(2001).fill(undefined)];
    const item = itemOf('a');
    const plot = plotOf([item], loadedOf({ a: column }, raw));
    const read = (row: number) => readingAt(plot.plotted[0]!, plot.loaded, { row, atMs: row * hour });
    assert.deepEqual([read(2000).value, read(2000).ageMs], [7, 2000 * hour]);
    assert.equal(read(2001).value, null);
    const strict = plotOf(
      [itemOf('a', { gapDetection: 'PT3H' })],
      loadedOf({ a: [7, undefined, undefined, undefined, undefined] }, raw),
    );
    const values = [0, 3, 4].map(
      (row) => readingAt(strict.plotted[0]!, strict.loaded, { row, atMs: row * hour }).value,
    );
    assert.deepEqual(values, [7, 7, null], 'as old as the gap detection is not too old');
  });

  test('the earlier value holds as the present one does, also where that has none', () => {
    const plot = plotOf(
      [itemOf('a')],
      loadedOf({ a: [undefined, undefined], 'previous:a': [3, undefined] }, { ...raw, compares: 'day' }),
    );
    const { value, earlier, text } = readingAt(plot.plotted[0]!, plot.loaded, { row: 1, atMs: hour });
    assert.deepEqual([value, earlier, text], [null, 3, 'no value']);
  });

  test('min and max of a bucket are there together or not at all', () => {
    const columns = { a_avg: [1, 2], a_min: [0, undefined], a_max: [2, 3] };
    const plot = plotOf([itemOf('a')], loadedOf(columns));
    const bands = [0, 1].map(
      (row) => readingAt(plot.plotted[0]!, plot.loaded, { row, atMs: row * hour }).band,
    );
    assert.deepEqual(bands, [[0, 2], null]);
  });

  test('a summary of points knows nothing of buckets, one of counts has their sum', () => {
    const points = loadedOf({ a: [4, 2, undefined], a_min: [-9, -9, -9], a_count: [5, 5, 5] }, raw);
    const { min, max, sum, mean, points: count } = summarize(itemOf('a'), points);
    assert.deepEqual([min, max, sum, mean, count], [2, 4, 6, 3, 2]);
    const counts = summarize(itemOf('a'), loadedOf({ a_count: [4, 2] }, { statistic: 'count' }));
    assert.deepEqual([counts.sum, counts.mean], [6, 3]);
    const last = new Map([['a', { ms: 1, value: 4 }]]);
    assert.equal(
      summarize(itemOf('a'), loadedOf({ 'previous:a_avg': [1] }, { last }), 'previous:').last,
      null,
    );
  });

  test('an item is silent after three intervals, after its gap detection, and never before ten seconds', () => {
    const silentAfter = (attributes: Parameters<typeof itemOf>[1]) => {
      const item = itemOf('a', attributes);
      const after = (ms: number) =>
        silentItems([item], loadedOf({}, { ids: ['a'], last: new Map([['a', { ms: 0, value: 1 }]]) }), ms)
          .length === 1;
      return [1000, 10_000, 10_001, 60_000, 60_001, 3 * minute, 3 * minute + 1, hour, hour + 1].find(after);
    };
    assert.equal(silentAfter({}), 60_001, 'a minute where nothing is declared');
    assert.equal(silentAfter({ sampleInterval: 'PT1M' }), 3 * minute + 1);
    assert.equal(silentAfter({ sampleInterval: 'PT1S' }), 10_001);
    assert.equal(silentAfter({ sampleInterval: 'PT1M', gapDetection: 'PT1H' }), hour + 1);
    const others = silentItems([itemOf('a')], loadedOf({}, { ids: [] }), 1e9);
    assert.deepEqual(others, [], 'what was not asked for is not missed');
  });

  test('pins are whole milliseconds, at most eight, and the nearest is removed', () => {
    const timesMs = Array.from({ length: 20 }, (_, i) => i * 10);
    assert.deepEqual(togglePin([], 42.4, timesMs), [42]);
    const eight = [0, 10, 20, 30, 40, 50, 60, 70];
    assert.deepEqual(togglePin(eight, 80, timesMs), [...eight.slice(1), 80]);
    assert.deepEqual(togglePin(eight, 72, timesMs), eight.slice(0, -1), 'in the same row');
    assert.deepEqual(removeNear([50, 0, 20], 34), [50, 0]);
    assert.deepEqual(placePins([], loadedOf({})), []);
  });
});
