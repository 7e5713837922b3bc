/** Clocks and calendars of zones, compared with Temporal; what people type and read of times. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Temporal } from 'temporal-polyfill';
import { printAge, printDuration } from '../src/platform/time/age.ts';
import {
  addCivil,
  type CivilUnit,
  civilMs,
  civilOf,
  instantOf,
  isZone,
  offsetMs,
  parseCivil,
  printCivil,
  printIso,
  printOffset,
  startOf,
  weekdayOf,
} from '../src/platform/time/civil.ts';
import { durationMs, printPeriod, readPeriod } from '../src/platform/time/span.ts';
import { offsetOf, printerFor, zoneNames } from '../src/platform/time/zone.ts';
import { at, day, hour } from './support/times.ts';

/** Zones with changes of an hour, half an hour, at midnight, and none. */
const zones = [
  'UTC',
  'Europe/Oslo',
  'America/New_York',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Asia/Tokyo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

/** Instants in every season of some years, and around changes of clocks. */
const instants = [
  ...Array.from({ length: 24 }, (_, i) => at('2011-01-01T00:30:00Z') + i * 229.3 * day),
  at('2026-03-29T00:59:59Z'),
  at('2026-03-29T01:00:00Z'),
  at('2026-10-25T00:30:00Z'),
  at('2026-10-25T01:30:00Z'),
  at('2011-12-30T10:00:00Z'),
  at('1969-12-31T23:59:59Z'),
].map((ms) => Math.floor(ms / 1000) * 1000);

const zoned = (zone: string, ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);

suite('civil time', () => {
  for (const zone of zones) {
    test(`${zone}: the clock shows what Temporal says, and the offset is its own`, () => {
      for (const ms of instants) {
        const expected = zoned(zone, ms);
        const { year, month, day: date, hour: hours, minute, second } = civilOf(zone, ms);
        assert.deepEqual(
          [year, month, date, hours, minute, second],
          [expected.year, expected.month, expected.day, expected.hour, expected.minute, expected.second],
          expected.toString(),
        );
        assert.equal(offsetMs(zone, ms), expected.offsetNanoseconds / 1e6, expected.toString());
        assert.equal(weekdayOf(civilOf(zone, ms)), expected.dayOfWeek);
      }
    });

    test(`${zone}: an instant comes back from what the clock shows, the first of two`, () => {
      for (const ms of instants) {
        const back = instantOf(zone, civilOf(zone, ms));
        const first = zoned(zone, ms).toPlainDateTime().toZonedDateTime(zone, { disambiguation: 'earlier' });
        assert.equal(back, first.epochMilliseconds);
      }
    });

    test(`${zone}: days, weeks, months and years are added on the calendar`, () => {
      const units = { d: 'days', w: 'weeks', M: 'months', y: 'years' } as const;
      for (const ms of instants)
        for (const [unit, name] of Object.entries(units))
          for (const count of [-13, -1, 1, 5]) {
            const expected = zoned(zone, ms)
              .toPlainDateTime()
              .add({ [name]: count });
            const found = addCivil(zone, ms, count, unit as CivilUnit);
            // A time that is skipped moves forward: then the clock shows a later one.
            const shown = zoned(zone, found).toPlainDateTime();
            const isSame = Temporal.PlainDateTime.compare(shown, expected) === 0;
            const isSkipped = expected.toZonedDateTime(zone).toPlainDateTime().equals(expected) === false;
            assert.ok(isSame || isSkipped, `${count} ${name} from ${expected}: ${shown}`);
          }
    });

    test(`${zone}: days begin when Temporal says`, () => {
      for (const ms of instants) {
        assert.equal(startOf(zone, ms, 'd'), zoned(zone, ms).startOfDay().epochMilliseconds);
        const month = zoned(zone, ms).with({ day: 1 }).startOfDay();
        assert.equal(startOf(zone, ms, 'M'), month.epochMilliseconds);
        const year = zoned(zone, ms).with({ day: 1, month: 1 }).startOfDay();
        assert.equal(startOf(zone, ms, 'y'), year.epochMilliseconds);
      }
    });
  }

  test('weeks begin on each day of the week', () => {
    for (let first = 1; first <= 7; first++)
      for (const ms of instants) {
        const start = startOf('Europe/Oslo', ms, 'w', first);
        assert.equal(weekdayOf(civilOf('Europe/Oslo', start)), first);
        assert.ok(start <= ms && ms - start < 7 * day + hour);
      }
  });

  test('seconds, minutes and hours begin by the clock, an hour that occurs twice begins twice', () => {
    const ms = at('2026-10-25T01:10:20.750Z');
    assert.equal(startOf('Europe/Oslo', ms, 's'), at('2026-10-25T01:10:20Z'));
    assert.equal(startOf('Europe/Oslo', ms, 'm'), at('2026-10-25T01:10:00Z'));
    assert.equal(startOf('Europe/Oslo', ms, 'h'), at('2026-10-25T01:00:00Z'));
    assert.equal(startOf('Europe/Oslo', ms - hour, 'h'), at('2026-10-25T00:00:00Z'));
    assert.equal(startOf('Asia/Kathmandu', at('2026-01-01T00:30:00Z'), 'h'), at('2026-01-01T00:15:00Z'));
  });

  test('what is added keeps its part of a second', () => {
    assert.equal(addCivil('Europe/Oslo', 1_000_250, 1, 'd'), 1_000_250 + day);
    assert.equal(addCivil('UTC', 1_000_250, 2, 's'), 1_002_250);
  });

  test('months end on their last day', () => {
    const ends = [
      ['2026-01-31T10:00:00Z', 1, '2026-02-28T10:00:00Z'],
      ['2024-01-31T10:00:00Z', 1, '2024-02-29T10:00:00Z'],
      ['2026-03-31T10:00:00Z', -1, '2026-02-28T10:00:00Z'],
      ['2026-12-31T10:00:00Z', 2, '2027-02-28T10:00:00Z'],
      ['2026-01-15T10:00:00Z', -13, '2024-12-15T10:00:00Z'],
    ] as const;
    for (const [from, months, to] of ends) assert.equal(addCivil('UTC', at(from), months, 'M'), at(to), from);
  });

  test('fields out of their range carry over', () => {
    const civil = { year: 2026, month: 13, day: 0, hour: 24, minute: 60, second: 0 };
    assert.equal(civilMs(civil), at('2027-01-01T01:00:00Z'));
    assert.equal(
      civilMs({ ...civil, year: 20, month: 1, day: 1, hour: 0, minute: 0 }),
      at('0020-01-01T00:00Z'),
    );
  });
});

suite('times as text', () => {
  test('what is printed for an instant is read as the same instant, in every zone', () => {
    for (const zone of zones)
      for (const ms of instants) {
        const printed = printCivil(zone, ms + 250);
        const isFirst = instantOf(zone, civilOf(zone, ms)) === ms;
        if (isFirst) assert.equal(parseCivil(zone, printed), ms + 250, `${printed} in ${zone}`);
        assert.equal(Date.parse(printIso(zone, ms + 250)), ms + 250, zone);
      }
  });

  const typed = [
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    [' 2026-11-20 7:05 ', '2026-11-20T07:05:00.000Z'],
    ['2026-11-20T07:05:09', '2026-11-20T07:05:09.000Z'],
    ['2026-1-2 03:04:05.6', '2026-01-02T03:04:05.600Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-02-29', null],
    ['2026-04-31', null],
    ['2026-00-10', null],
    ['2026-11-20 24:00', null],
    ['2026-11-20 10:60', null],
    ['2026-11-20 10:30:60', null],
    ['2026-11-20 10', null],
    ['20.11.2026', null],
    ['', null],
  ] as const;
  for (const [text, expected] of typed)
    test(`“${text}” is ${expected ?? 'no time'}`, () => {
      const ms = parseCivil('UTC', text);
      assert.equal(ms === null ? null : new Date(ms).toISOString(), expected);
    });

  test('a time that is skipped moves to the first that exists, one that occurs twice is the first', () => {
    assert.equal(parseCivil('Europe/Oslo', '2026-03-29 02:30'), at('2026-03-29T01:00:00Z'));
    assert.equal(parseCivil('Europe/Oslo', '2026-10-25 02:30'), at('2026-10-25T00:30:00Z'));
  });

  test('thousandths are shown where there are any', () => {
    assert.equal(printCivil('UTC', 0), '1970-01-01 00:00:00');
    assert.equal(printCivil('UTC', 5), '1970-01-01 00:00:00.005');
    assert.equal(printCivil('UTC', -1), '1969-12-31 23:59:59.999');
    assert.equal(printCivil('Asia/Kathmandu', at('2026-01-01T00:00:00Z')), '2026-01-01 05:45:00');
    assert.equal(printCivil('UTC', at('0900-01-01T00:00:00Z')), '0900-01-01 00:00:00');
  });

  test('a printer has day, second and thousandth with the offset', () => {
    const printer = printerFor('America/St_Johns');
    const ms = at('2026-01-01T00:00:00.007Z');
    assert.equal(printer.day(ms), '2025-12-31');
    assert.equal(printer.second(ms), '2025-12-31 20:30:00');
    assert.equal(printer.exact(ms), '2025-12-31 20:30:00.007 UTC−03:30');
    assert.equal(printerFor('UTC').exact(-1), '1969-12-31 23:59:59.999 UTC');
  });

  test('offsets have a sign and minutes, and none is UTC', () => {
    assert.deepEqual([0, hour, -hour, 5.75 * hour, -9.5 * hour, 14 * hour].map(printOffset), [
      'UTC',
      'UTC+01:00',
      'UTC−01:00',
      'UTC+05:45',
      'UTC−09:30',
      'UTC+14:00',
    ]);
    assert.equal(offsetOf('Europe/Oslo', at('2026-07-01T00:00:00Z')), 'UTC+02:00');
  });

  test('zones are known by their names, UTC comes first and once', () => {
    assert.ok(isZone('Europe/Oslo') && isZone('UTC') && !isZone('Mars/Olympus') && !isZone(''));
    const names = zoneNames();
    assert.equal(names[0], 'UTC');
    assert.equal(names.filter((name) => name === 'UTC').length, 1);
    assert.ok(names.includes('Asia/Tokyo'));
  });
});

suite('lengths of time', () => {
  test('a duration has its usual length, whatever its case', () => {
    const lengths = [
      ['PT0.5S', 500],
      ['PT90S', 90_000],
      ['PT1H30M', 1.5 * hour],
      ['P1D', day],
      ['P1DT12H', 1.5 * day],
      ['P2W', 14 * day],
      ['P1M', 30.4375 * day],
      ['P1Y', 365.25 * day],
      ['pt15m', hour / 4],
    ] as const;
    for (const [text, ms] of lengths) assert.equal(durationMs(text), ms, text);
    for (const text of ['', 'P', 'PT', 'PT0S', '15M', 'P1H', 'PT1D', 'PT1.5H', 'window', null])
      assert.equal(durationMs(text), null, String(text));
  });

  test('ages are in the coarsest unit that says enough', () => {
    const ages = [0, 59_999, 60_000, hour - 1, hour, day - 1, day, 400 * day].map(printDuration);
    assert.deepEqual(ages, ['0 s', '59 s', '1 min', '59 min', '1 h', '23 h', '1 d', '1 y']);
  });

  test('what is a little ahead counts as the present, as clocks differ', () => {
    const now = at('2026-01-01T00:00:00Z');
    assert.deepEqual(
      [-9999, 9999, 10_001, -2000, -1999].map((ahead) => printAge(now + ahead, now)),
      ['9 s ago', 'just now', 'in 10 s', '2 s ago', 'just now'],
    );
  });

  test('periods are read as they are shown', () => {
    for (const period of ['PT1S', 'PT90S', 'PT15M', 'PT1H30M', 'P1D', 'P1DT6H', 'PT0.25S', 'PT100H'])
      assert.equal(readPeriod(printPeriod(period)), period, printPeriod(period));
    assert.equal(printPeriod('P2W'), '2 weeks');
    assert.equal(readPeriod('2 Hours'), 'PT2H');
    assert.equal(readPeriod('1H'), 'PT1H');
  });
});
