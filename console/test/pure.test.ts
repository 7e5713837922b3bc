/** Small pure parts of the console, without a browser. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Item, Signal, UsageRow } from '@tidemark/client/wire';
import { byDay, byIntegration, toCsv } from '../src/pages/operate/usage.ts';
import { differences, itemAfter } from '../src/pages/publish/choice.ts';
import { pathsOf, sumsOf } from '../src/pages/signals/history.ts';
import { csvField } from '../src/parts/csv.ts';
import type { Attributes } from '../src/platform/rpc/shapes.ts';
import { printAge, printDuration } from '../src/platform/time/age.ts';
import { parseCivil } from '../src/platform/time/civil.ts';
import { durationMs, printPeriod, readPeriod } from '../src/platform/time/span.ts';

suite('ages', () => {
  const ages = [
    [0, 'just now'],
    [1999, 'just now'],
    [-3000, 'just now'],
    [5000, '5 s ago'],
    [90_000, '1 min ago'],
    [7_200_000, '2 h ago'],
    [3 * 86_400_000, '3 d ago'],
    [-300_000, 'in 5 min'],
  ] as const;
  for (const [age, words] of ages)
    test(`${age} ms: ${words}`, () => assert.equal(printAge(1e12 - age, 1e12), words));
  test('no duration is negative', () => assert.equal(printDuration(-5), '0 s'));
});

suite('durations of the service', () => {
  const durations = [
    ['PT10S', 10_000],
    ['PT0.5S', 500],
    ['PT1H30M', 5_400_000],
    ['P1M', 30.4375 * 86_400_000],
    ['P', null],
    ['PT0S', null],
    ['hour', null],
    [null, null],
  ] as const;
  for (const [text, ms] of durations) test(`${text} is ${ms} ms`, () => assert.equal(durationMs(text), ms));
});

suite('times as they are typed', () => {
  const times = [
    ['Europe/Berlin', '2026-11-20 10:30', '2026-11-20T09:30:00.000Z'],
    ['Europe/Berlin', '2026-07-01', '2026-06-30T22:00:00.000Z'],
    ['UTC', '2026-11-20T10:30:15', '2026-11-20T10:30:15.000Z'],
    ['UTC', '2026-11-20 10:30:15.250', '2026-11-20T10:30:15.250Z'],
    ['UTC', '2026-2-9 7:05', '2026-02-09T07:05:00.000Z'],
    ['UTC', '2026-02-29', null],
    ['UTC', '2026-13-01', null],
    ['UTC', '2026-11-20 24:00', null],
    ['UTC', 'tomorrow', null],
  ] as const;
  for (const [zone, text, iso] of times)
    test(`${text} in ${zone}`, () => {
      const ms = parseCivil(zone, text);
      assert.equal(ms === null ? null : new Date(ms).toISOString(), iso);
    });
});

suite('usage', () => {
  const none = {
    points: 0,
    requests: 0,
    bytesIn: 0,
    signals: 0,
    items: 0,
    rejected: 0,
    pointsOver: 0,
    requestsOver: 0,
    signalsOver: 0,
    itemsOver: 0,
  };
  const rows: UsageRow[] = [
    { ...none, day: '2026-03-01', integration: 'a', points: 5 },
    { ...none, day: '2026-03-03', integration: 'a', points: 7 },
    { ...none, day: '2026-03-03', integration: 'b', points: 1 },
  ];
  test('days without usage are there', () => {
    const days = byDay(rows, 4, Date.parse('2026-03-03T12:00:00Z'));
    assert.deepEqual(
      days.map(({ day, points }) => [day, points]),
      [
        ['2026-02-28', 0],
        ['2026-03-01', 5],
        ['2026-03-02', 0],
        ['2026-03-03', 8],
      ],
    );
  });
  test('integrations are summed up', () => {
    assert.deepEqual(
      byIntegration(rows).map(({ integration, tally }) => [integration, tally.points]),
      [
        ['a', 12],
        ['b', 1],
      ],
    );
  });
  test('the file has a line for each row, and no field becomes a formula', () => {
    const [head, first] = toCsv(rows, new Map([['a', '=cmd, "x"']])).split('\r\n');
    assert.ok(head?.startsWith('day,integration,name,points'));
    assert.ok(first?.startsWith('2026-03-01,a,"\'=cmd, ""x""",5'));
    assert.equal(csvField('-5'), '-5');
  });
});

suite('publishing', () => {
  const attributes: Attributes = {
    name: 'Flow',
    description: '',
    valueType: 'numeric',
    sourceType: 'measurement',
    engUnit: 'm³/h',
    sampleInterval: null,
    gapDetection: null,
    labels: { b: ['2'], a: ['1'] },
    enumValues: {},
  };
  const signal = { attributes: { ...attributes, input: 'flow' } } as Signal;
  const item = {
    attributes: { ...attributes, name: 'Edited', labels: { a: ['1'], b: ['2'] }, visible: true },
  } as unknown as Item;
  test('the order of labels is no difference', () => assert.deepEqual(differences(signal, item), ['name']));
  test('the signal counts unless the item’s value is kept', () => {
    assert.equal(itemAfter(signal, item, {}, true).name, 'Flow');
    assert.equal(itemAfter(signal, item, { name: 'item' }, true).name, 'Edited');
    assert.equal(itemAfter(signal, null, { name: 'item' }, false).name, 'Flow');
    assert.ok(!('input' in itemAfter(signal, item, {}, true)));
  });
});

suite('the chart of a signal', () => {
  const empty = { time: '', count: 0, min: null, max: null, avg: null, last: null };
  const part = (count: number, min: number, max: number, avg: number) => ({
    ...{ time: '', count, min, max, avg },
    last: max,
  });

  test('the mean is that of all points, not of the parts', () =>
    assert.deepEqual(sumsOf([part(3, 0, 2, 1), empty, part(1, 5, 5, 5)]), {
      count: 4,
      min: 0,
      max: 5,
      avg: 2,
    }));
  test('without points there are no sums and no lines', () => {
    assert.deepEqual(sumsOf([empty]), { count: 0, min: null, max: null, avg: null });
    assert.deepEqual(pathsOf([empty], false), { line: '', band: '' });
  });
  test('parts without points are bridged', () =>
    assert.equal(
      pathsOf([part(1, 0, 0, 0), empty, part(1, 4, 4, 4)], false).line,
      'M160.0 220.0L800.0 0.0h0.1',
    ));
  test('states are steps, a constant value is in the middle', () => {
    assert.equal(pathsOf([part(1, 0, 0, 0), part(1, 4, 4, 4)], true).line, 'M240.0 220.0H720.0V0.0h4');
    assert.equal(pathsOf([part(2, 3, 3, 3)], false).line, 'M480.0 110.0h0.1');
  });
});

test('R4 durations are read and shown as people write them', () => {
  const pairs = [
    ['PT10S', '10 s'],
    ['PT1H30M', '1 h 30 min'],
    ['P2D', '2 d'],
    ['P1DT12H', '1 d 12 h'],
    ['PT0.25S', '0.25 s'],
  ] as const;
  for (const [duration, text] of pairs) {
    assert.equal(printPeriod(duration), text);
    assert.equal(readPeriod(text), duration);
  }
  const written = ['10s', ' 5 minutes ', '1.5 sec', '250 ms', 'PT10S', '1 hour 5 min', ''];
  assert.deepEqual(written.map(readPeriod), ['PT10S', 'PT5M', 'PT1.5S', 'PT0.25S', 'PT10S', 'PT1H5M', '']);
  const unclear = ['soon', '10', '1.5 h', '5 min 5 min', '3 fortnights'];
  assert.deepEqual(unclear.map(readPeriod), unclear, 'the service says what is wrong');
  assert.deepEqual(['', 'P', 'P1M', 'window'].map(printPeriod), ['', 'P', 'P1M', 'window']);
});
