/** Row times of CSV files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTimeForm, localizeIn, parseRowTime, utc } from '#cli/csv/row-time';
import { AppError } from '#model/error';

/** 2024-01-31T12:30:15Z */
const noon = 1_706_704_215_000_000;

const texts: [string, number][] = [
  ['2024-01-31T12:30:15Z', noon],
  ['2024-01-31t12:30:15z', noon],
  ['2024-01-31 12:30:15Z', noon],
  ['2024-01-31 13:30:15 +01:00', noon],
  ['2024-01-31T13:30:15.25+01:00', noon + 250_000],
  ['2024-01-31 12:30:15', noon],
  [' 2024-01-31 12:30:15 ', noon],
  ['2024-01-31T12:30:15', noon],
  ['2024-01-31 12:30', noon - 15_000_000],
  ['2024-01-31 12:30:15.1234567', noon + 123_456],
  ['2024-01-31 12:30:15,5', noon + 500_000],
  ['2024-01-31', noon - 45_015_000_000],
];

for (const [text, us] of texts) {
  test(`R3 import reads ${JSON.stringify(text)}`, () => assert.equal(parseRowTime(text, 'text', utc), us));
}

for (const text of [
  '',
  'x',
  '2024-02-30 00:00:00',
  '2024-01-31 24:00:00',
  '31.01.2024',
  '1706704215',
  '2024-01-31 12',
]) {
  test(`R3 import refuses ${JSON.stringify(text)} as a text time`, () => {
    assert.ok(Number.isNaN(parseRowTime(text, 'text', utc)));
  });
}

test('R3 import reads UNIX seconds, milliseconds and microseconds exactly', () => {
  assert.equal(parseRowTime('1706704215', 'unix-s', utc), noon);
  assert.equal(parseRowTime('1706704215.1234567', 'unix-s', utc), noon + 123_456);
  assert.equal(parseRowTime('1706704215.1', 'unix-s', utc), noon + 100_000);
  assert.equal(parseRowTime('1706704215250', 'unix-ms', utc), noon + 250_000);
  assert.equal(parseRowTime('1706704215250.5', 'unix-ms', utc), noon + 250_500);
  assert.equal(parseRowTime('1706704215250500', 'unix-us', utc), noon + 250_500);
  assert.equal(parseRowTime('-1.5', 'unix-s', utc), -1_500_000);
  assert.ok(Number.isNaN(parseRowTime('1706704215250500', 'unix-s', utc)));
});

test('R3 import finds the form of a column by its samples', () => {
  assert.equal(findTimeForm(['2024-01-31 12:30', '', '2024-01-31 12:31']), 'text');
  assert.equal(findTimeForm(['1706704215', '1706704216.5']), 'unix-s');
  assert.equal(findTimeForm(['0', '1706704215250']), 'unix-ms');
  assert.equal(findTimeForm(['1706704215250500']), 'unix-us');
  assert.equal(findTimeForm(['1706704215', '2024-01-31 12:31']), null);
  assert.equal(findTimeForm(['17067042152505000000']), null);
  assert.equal(findTimeForm(['', '']), null);
});

test('Q3 import reads local times in a zone: the first of two, and the next where there is none', () => {
  const oslo = localizeIn('Europe/Oslo');
  const read = (text: string) => new Date(parseRowTime(text, 'text', oslo) / 1000).toISOString();
  assert.equal(read('2024-01-31 12:30:15'), '2024-01-31T11:30:15.000Z');
  assert.equal(read('2024-07-31 12:30:15'), '2024-07-31T10:30:15.000Z');
  assert.equal(read('2024-10-27 02:30:00'), '2024-10-27T00:30:00.000Z');
  assert.equal(read('2024-03-31 02:30:00'), '2024-03-31T01:00:00.000Z');
  assert.equal(read('2024-01-31T12:30:15Z'), '2024-01-31T12:30:15.000Z');
  assert.ok(Number.isNaN(parseRowTime('x', 'text', oslo)));
});

test('Q3 import refuses a zone that there is not', () => {
  assert.throws(() => localizeIn('Europe/Nowhere'), AppError);
});
