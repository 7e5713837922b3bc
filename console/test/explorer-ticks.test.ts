/** The marks of axes, compared with the calendar of Temporal; the numbers next to them, compared with what they stand for. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Temporal } from 'temporal-polyfill';
import { printNumber, type Tick, timeTicks, valueTicks } from '../src/features/explorer/ticks.ts';
import { randomOf } from './support/random.ts';
import { at, day, hour, minute } from './support/times.ts';

/** Whole numbers of this unit are between marks. */
type Unit = 'ms' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

/** The distances between marks that people count in, from near to far. */
const distances: [count: number, unit: Unit][] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((n): [number, Unit] => [n, 'ms']),
  ...[1, 2, 5, 10, 15, 30].map((n): [number, Unit] => [n, 'second']),
  ...[1, 2, 5, 10, 15, 30].map((n): [number, Unit] => [n, 'minute']),
  ...[1, 2, 3, 6, 12].map((n): [number, Unit] => [n, 'hour']),
  ...[1, 2].map((n): [number, Unit] => [n, 'day']),
  [1, 'week'],
  ...[1, 2, 3, 6].map((n): [number, Unit] => [n, 'month']),
  ...[1, 2, 5, 10, 20, 50, 100].map((n): [number, Unit] => [n, 'year']),
];

const lengths: Readonly<Record<Unit, number>> = {
  ...{ ms: 1, second: 1000, minute, hour, day, week: 7 * day },
  ...{ month: 30.4 * day, year: 365.25 * day },
};

const zoned = (zone: string, ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);

/** Whether a local time is a multiple of the distance, counted from the start of the next longer unit. */
function isRound(ms: number, zone: string, [count, unit]: [number, Unit], firstDay: number): boolean {
  const time = zoned(zone, ms);
  const isWhole = (smallestUnit: 'second' | 'minute' | 'hour' | 'day') =>
    time.equals(time.round({ smallestUnit, roundingMode: 'floor' }));
  switch (unit) {
    case 'ms':
      return ms % count === 0;
    case 'second':
      return isWhole('second') && time.second % count === 0;
    case 'minute':
      return isWhole('minute') && time.minute % count === 0;
    case 'hour':
      return isWhole('hour') && time.hour % count === 0;
    case 'day':
      return isWhole('day');
    case 'week':
      return isWhole('day') && time.dayOfWeek === firstDay;
    case 'month':
      return isWhole('day') && time.day === 1 && (time.month - 1) % count === 0;
    case 'year':
      return isWhole('day') && time.dayOfYear === 1 && time.year % count === 0;
  }
}

/** Every instant of a window at which a mark may be: the starts of months or days, or what may be round by the clock. */
function candidates(fromMs: number, toMs: number, unit: Unit, zone: string): number[] {
  const found: number[] = [];
  if (unit === 'ms' || unit === 'second' || unit === 'minute' || unit === 'hour') {
    // Zones differ from UTC by quarters of an hour.
    const step = Math.min(lengths[unit], 15 * minute);
    for (let ms = Math.ceil(fromMs / step) * step; ms <= toMs; ms += step) found.push(ms);
    return found;
  }
  const isOfMonths = unit === 'month' || unit === 'year';
  let time = zoned(zone, fromMs).startOfDay();
  if (isOfMonths) time = time.with({ day: 1 }).startOfDay();
  for (; time.epochMilliseconds <= toMs; time = time.add(isOfMonths ? { months: 1 } : { days: 1 }))
    if (time.epochMilliseconds >= fromMs) found.push(time.epochMilliseconds);
  return found;
}

/** What a mark says by the clock and the calendar of the zone, with the coarser part below it. */
function said(ms: number, zone: string, unit: Unit): [text: string, context: string] {
  const time = zoned(zone, ms);
  const date = time
    .toLocaleString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
    .replace('Sept', 'Sep');
  const [dayOfMonth, month, year] = date.split(' ') as [string, string, string];
  const clock = time.toPlainTime().toString({ smallestUnit: 'millisecond' });
  switch (unit) {
    case 'ms':
      return [clock, date];
    case 'second':
      return [clock.slice(0, 8), date];
    case 'minute':
    case 'hour':
      return [clock.slice(0, 5), date];
    case 'day':
    case 'week':
      return [`${dayOfMonth} ${month}`, year];
    case 'month':
      return [month, year];
    case 'year':
      return [year, ''];
  }
}

/** The coarser part is written where it is another than before. */
function withContexts(marks: readonly number[], zone: string, unit: Unit): Tick[] {
  return marks.map((ms, i) => {
    const [text, context] = said(ms, zone, unit);
    const isSame = i > 0 && said(marks[i - 1]!, zone, unit)[1] === context;
    return { ms, text, context: isSame ? '' : context };
  });
}

suite('time axis', () => {
  const zones = ['UTC', 'Asia/Kathmandu', 'America/New_York', 'Asia/Tokyo'];
  for (const [i, distance] of distances.entries()) {
    const [count, unit] = distance;
    const name = `${count} ${unit}`;
    // Two days are not a part of a month; they are looked at below.
    if (name === '2 day') continue;
    test(`marks every ${name} are all the round times of the window, and none else`, () => {
      const random = randomOf(100 + i);
      for (const zone of zones) {
        const countMax = 3 + Math.floor(random() * 3);
        const firstDay = 1 + Math.floor(random() * 7);
        // January: no clock of these zones is changed in it.
        const fromMs = Math.floor(at('2025-01-02T03:04:05Z') + random() * 5 * day);
        const toMs = Math.floor(fromMs + lengths[unit] * count * countMax * 0.999);
        const marks = candidates(fromMs, toMs, unit, zone).filter((ms) =>
          isRound(ms, zone, distance, firstDay),
        );
        const ticks = timeTicks({ fromMs, toMs, zone, countMax, firstDay });
        assert.deepEqual(ticks, withContexts(marks, zone, unit), `${zone} from ${fromMs} to ${toMs}`);
      }
    });
  }

  test('the next longer distance is taken when one mark more than fits would be needed', () => {
    for (const [i, [count, unit]] of distances.slice(0, -1).entries()) {
      const fromMs = at('2020-01-01T00:00:00Z');
      const gapOf = (spanMs: number) => {
        const marks = timeTicks({ fromMs, toMs: fromMs + spanMs, zone: 'UTC', countMax: 12 });
        return marks[1]!.ms - marks[0]!.ms;
      };
      const ms = lengths[unit] * count;
      const [nextCount, nextUnit] = distances[i + 1]!;
      const isNear = (found: number, length: number) => Math.abs(found - length) <= length * 0.08;
      assert.ok(isNear(gapOf(ms * 11.99), ms), `${count} ${unit}: twelve fit`);
      assert.ok(isNear(gapOf(ms * 12.01), lengths[nextUnit] * nextCount), `${count} ${unit}: more do not`);
    }
  });

  test('millennia have marks every hundred years, and no more than two hundred of them', () => {
    const facts = { fromMs: at('0001-01-01'), toMs: at('9000-01-01'), zone: 'UTC', countMax: 4 };
    const ticks = timeTicks(facts);
    assert.deepEqual([ticks.length, ticks[0]!.text, ticks[1]!.text], [90, '100', '200']);
    assert.equal(timeTicks({ ...facts, toMs: at('+030000-01-01T00:00:00Z') }).length, 200);
  });

  test('every second day is midnight, two days after the one before', () => {
    const texts = timeTicks({
      ...{ fromMs: at('2026-01-27T10:00:00Z'), toMs: at('2026-02-06T10:00:00Z') },
      ...{ zone: 'UTC', countMax: 5 },
    }).map(({ text, context }) => `${text} ${context}`.trim());
    assert.deepEqual(texts, ['29 Jan 2026', '31 Jan', '2 Feb', '4 Feb', '6 Feb']);
  });

  test('weeks begin on Monday unless another day is chosen', () => {
    const facts = { fromMs: at('2026-11-01'), toMs: at('2026-11-30'), zone: 'UTC', countMax: 5 };
    assert.deepEqual(
      timeTicks(facts).map(({ text }) => text),
      ['2 Nov', '9 Nov', '16 Nov', '23 Nov', '30 Nov'],
    );
  });

  test('hours that are skipped have no mark, and the marks after them are round again', () => {
    const texts = (from: string, to: string, zone: string, countMax: number) =>
      timeTicks({ fromMs: at(from), toMs: at(to), zone, countMax }).map(({ text }) => text);
    // In Oslo 02:00 to 03:00 of this day does not exist.
    const spring = ['2026-03-28T23:00:00Z', '2026-03-29T06:00:00Z', 'Europe/Oslo'] as const;
    assert.deepEqual(texts(...spring, 7), [
      '00:00',
      '01:00',
      '03:00',
      '04:00',
      '05:00',
      '06:00',
      '07:00',
      '08:00',
    ]);
    assert.deepEqual(texts(...spring, 4), ['00:00', '03:00', '04:00', '06:00', '08:00']);
    assert.deepEqual(texts(...spring, 3), ['00:00', '03:00', '06:00']);
    // In Santiago midnight itself is skipped: that day begins at one.
    const santiago = ['2026-09-05T16:00:00Z', '2026-09-06T16:00:00Z', 'America/Santiago'] as const;
    assert.deepEqual(texts(...santiago, 4), ['12:00', '18:00', '01:00', '06:00', '12:00']);
  });

  test('before 1970 thousandths of a second are counted up to the second, not down from it', () => {
    const ticks = timeTicks({ fromMs: -3, toMs: 0, zone: 'UTC', countMax: 3 });
    assert.deepEqual(
      ticks.map(({ text }) => text),
      ['23:59:59.997', '23:59:59.998', '23:59:59.999', '00:00:00.000'],
    );
    const [first] = timeTicks({ fromMs: 0.25, toMs: 3, zone: 'UTC', countMax: 3 });
    assert.deepEqual(first, { ms: 1, text: '00:00:00.001', context: '1 Jan 1970' });
  });

  test('where no mark fits there is room for one', () => {
    const facts = { fromMs: at('2026-01-01T00:30Z'), toMs: at('2026-01-02T00:30Z'), zone: 'UTC' };
    assert.deepEqual(
      timeTicks({ ...facts, countMax: 0 }).map(({ text }) => text),
      ['2 Jan'],
    );
  });
});

suite('value axis', () => {
  /** One, two, two and a half, and five, times any power of ten. */
  const roundSteps = Array.from({ length: 30 }, (_, i) =>
    [1, 2, 2.5, 5].map((n) => n * 10 ** (i - 15)),
  ).flat();

  test('the distance is the shortest round one that needs no more marks than fit', () => {
    const random = randomOf(201);
    for (let round = 0; round < 500; round++) {
      const range = 10 ** (random() * 16 - 8);
      const low = (random() - 0.5) * range * 100;
      const countMax = 2 + Math.floor(random() * 9);
      const expected = roundSteps.find((step) => step >= (range / countMax) * (1 - 1e-12))!;
      const marks = valueTicks(low, low + range, countMax);
      const words = `${countMax} from ${low} to ${low + range}: ${marks}`;
      const slack = expected * 1e-4;
      assert.ok(marks.length <= countMax + 1, words);
      for (const [i, mark] of marks.entries()) {
        assert.ok(
          Math.abs(mark / expected - Math.round(mark / expected)) < 1e-4,
          `${mark} is not round: ${words}`,
        );
        if (i > 0) assert.ok(Math.abs(mark - marks[i - 1]! - expected) < slack, words);
      }
      assert.ok(marks.length > 0 || range < expected, words);
      const [first = low, last = low] = [marks[0], marks.at(-1)];
      if (marks.length > 0)
        assert.ok(first - expected < low + slack && last + expected > low + range - slack, words);
    }
  });

  test('an axis without a length, or without an end, has no marks', () => {
    for (const [low, high] of [
      [1, 1],
      [2, 1],
      [0, Number.POSITIVE_INFINITY],
      [Number.NEGATIVE_INFINITY, 0],
      [Number.NaN, 1],
    ] as const)
      assert.deepEqual(valueTicks(low, high, 5), [], `${low} to ${high}`);
  });

  test('the ends have a mark where they are round, and at most a hundred are made', () => {
    assert.deepEqual(valueTicks(0, 1, 10), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    assert.deepEqual(valueTicks(-10, -5, 5), [-10, -9, -8, -7, -6, -5]);
    assert.deepEqual(valueTicks(0, 25, 10), [0, 2.5, 5, 7.5, 10, 12.5, 15, 17.5, 20, 22.5, 25]);
    assert.deepEqual(valueTicks(0, 50, 10), [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50]);
    assert.deepEqual(valueTicks(0, 7, 1), [0]);
    assert.deepEqual(valueTicks(0, 10, 0), [0, 10], 'one always fits');
    assert.equal(valueTicks(0, 1000, 1000).length, 100);
  });

  test('a number that is read back differs only behind the digits that were asked for', () => {
    const random = randomOf(202);
    for (let round = 0; round < 2000; round++) {
      const value = (random() - 0.5) * 10 ** Math.floor(random() * 30 - 15);
      const digits = 2 + Math.floor(random() * 6);
      const text = printNumber(value, digits);
      // A power of ten has five digits in front of it at most.
      const kept = /e/.test(text) ? Math.min(5, digits) : digits;
      assert.ok(Math.abs(Number(text) / value - 1) <= 0.5 * 10 ** (1 - kept) * 1.0001, `${value}: ${text}`);
      assert.match(
        text,
        /^-?(\d+(\.\d*[1-9])?|[1-9](\.\d*[1-9])?e[+-]\d+)$/,
        'no zero at the end, no thousands mark',
      );
    }
  });

  test('the largest and the smallest numbers have powers of ten', () => {
    const numbers = [
      [999_999_999, '999999999'],
      [1_000_000_000, '1e+9'],
      [-1_234_567_890, '-1.2346e+9'],
      [0, '0'],
      [0.0001, '0.0001'],
      [-0.0001, '-0.0001'],
      [0.000_099_999_6, '1e-4'],
      [0.000_012_3, '1.23e-5'],
      [-0.5, '-0.5'],
      [-12.5, '-12.5'],
    ] as const;
    for (const [value, text] of numbers) assert.equal(printNumber(value), text);
    assert.equal(printNumber(1.25e12, 2), '1.3e+12', 'two digits where two are asked for');
    assert.equal(printNumber(0.123_456_789), '0.123457', 'six digits unless said otherwise');
  });
});
