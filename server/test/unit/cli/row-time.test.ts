/** Row times of CSV files: their forms, and the form of a column. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTimeForm, textForm, timeFormOf } from '#cli/csv/row-time';

/** 2024-01-31T12:30:15Z */
const noon = 1_706_704_215_000_000;
const minuteUs = 60_000_000;

const texts: [string, number, boolean][] = [
  ['2024-01-31T12:30:15Z', noon, false],
  ['2024-01-31t12:30:15z', noon, false],
  ['2024-01-31 12:30:15Z', noon, false],
  ['2024-01-31 12:30:15 UTC', noon, false],
  ['2024-01-31 13:30:15 +01:00', noon, false],
  ['2024-01-31 12:30:15+00', noon, false],
  ['2024-01-31 07:00:15-0530', noon, false],
  ['2024-01-31T12:30Z', noon - 15_000_000, false],
  ['2024-01-31T13:30:15.25+01:00', noon + 250_000, false],
  ['2024-01-31 12:30:15', noon, true],
  ['2024-01-31T12:30:15', noon, true],
  ['2024-01-31 12:30', noon - 15_000_000, true],
  ['2024-01-31 12:30:15.1234567', noon + 123_456, true],
  ['2024-01-31 12:30:15,5', noon + 500_000, true],
  ['2024-01-31', noon - 45_015_000_000, true],
];

for (const [text, us, isLocal] of texts) {
  test(`R3 import reads ${JSON.stringify(text)}`, () =>
    assert.deepEqual(textForm.read(text), { us, isLocal }));
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
  test(`R3 import refuses ${JSON.stringify(text)} as a text time`, () =>
    assert.equal(textForm.read(text), null));
}

function readAs(format: string, text: string): number | null {
  const form = timeFormOf(format);
  assert.ok(typeof form !== 'string', String(form));
  return form.read(text)?.us ?? null;
}

test('R3 import reads UNIX seconds, milliseconds, microseconds and nanoseconds exactly', () => {
  assert.equal(readAs('unix-s', '1706704215'), noon);
  assert.equal(readAs('unix-s', '1706704215.1234567'), noon + 123_456);
  assert.equal(readAs('unix-s', '1706704215.1'), noon + 100_000);
  assert.equal(readAs('unix-ms', '1706704215250'), noon + 250_000);
  assert.equal(readAs('unix-ms', '1706704215250.5'), noon + 250_500);
  assert.equal(readAs('unix-us', '1706704215250500'), noon + 250_500);
  assert.equal(readAs('unix-ns', '1706704215250500999'), noon + 250_500);
  assert.equal(readAs('unix-ns', '-1999'), -1);
  assert.equal(readAs('unix-ns', '999'), 0);
  assert.equal(readAs('unix-s', '-1.5'), -1_500_000);
  assert.equal(readAs('unix-s', '1706704215250500'), null);
});

const patterns: [string, string, number | null][] = [
  ['%d.%m.%Y %H:%M:%S', '31.01.2024 12:30:15', noon],
  ['%d.%m.%y %H:%M', '31.1.24 12:30', noon - 15_000_000],
  ['%m/%d/%Y %I:%M:%S %p', '1/31/2024 12:30:15 PM', noon],
  ['%m/%d/%Y %I:%M:%S %p', '1/31/2024 12:30:15 am', noon - 720 * minuteUs],
  ['%m/%d/%Y %I:%M:%S %p', '1/31/2024 13:30:15 PM', null],
  ['%d %B %Y at %H:%M:%S.%f%z', '31 January 2024 at 12:30:15.25+00', noon + 250_000],
  ['%d-%b-%Y[ %H:%M:%S]', '31-Jan-2024', noon - 45_015_000_000],
  ['%Y-%m-%dT%H%%', '2024-01-31T12%', noon - 1_815_000_000],
  ['%Y', '2024', Date.UTC(2024, 0) * 1000],
  ['%Y-%m-%d', '2024-02-30', null],
  ['%Y-%m-%d', '2024-01-31x', null],
  ['%Y-%m-%d', '2500-01-01', null],
  ['%H:%M %Y', '24:00 2024', null],
];

for (const [format, text, us] of patterns) {
  test(`R3 import reads ${text} by --time-format ${format}`, () => assert.equal(readAs(format, text), us));
}

test('R3 an offset makes a time of a pattern absolute, none makes it local', () => {
  const form = timeFormOf('%Y-%m-%d[ %z]');
  assert.ok(typeof form !== 'string');
  assert.equal(form.read('2024-01-31')?.isLocal, true);
  assert.deepEqual(form.read('2024-01-31 +01:30'), {
    us: Date.UTC(2024, 0, 30, 22, 30) * 1000,
    isLocal: false,
  });
});

test('R3 a pattern that cannot be is explained', () => {
  assert.match(String(timeFormOf('%d.%m')), /no year/);
  assert.match(String(timeFormOf('%Y%q')), /unknown directive "%q"/);
  assert.match(String(timeFormOf('%Y[')), /"\[" without "\]"/);
  assert.match(String(timeFormOf('%Y]')), /"\]" without "\["/);
  assert.match(String(timeFormOf('['.repeat(50))), /nested too deeply/);
});

const found: [string[], string | RegExp | null][] = [
  [['2024-01-31 12:30', '', '2024-01-31 12:31'], 'text'],
  [['1706704215', '1706704216.5'], 'unix-s'],
  [['0', '1706704215250'], 'unix-ms'],
  [['1706704215250500'], 'unix-us'],
  [['1706704215250500000'], 'unix-ns'],
  [['946684800000'], 'unix-ms'],
  [['20240131', '20240201'], '%Y%m%d'],
  [['20240131123015'], '%Y%m%d%H%M%S'],
  [['31.01.2024', '01.02.2024 00:15'], /^%d\.%m\.%Y/],
  [['2020-01', '2020-02'], '%Y-%m'],
  [['01/02/2024', '13/02/2024'], /^%d\/%m\/%Y/],
  [['01/02/2024 1:30 PM', '02/13/2024 1:30 PM'], /^%m\/%d\/%Y/],
  [['01/02/2024'], /may have the day first or the month first/],
  [['2019', '2020'], /may be a year or UNIX seconds/],
  [['1706704215', '2024-01-31 12:31'], null],
  [['170670421525050000000'], null],
  [['', ''], null],
];

for (const [samples, expected] of found) {
  test(`R3 import finds the form of ${samples.join(' | ')}`, () => {
    const form = findTimeForm(samples);
    const name = form === null || typeof form === 'string' ? form : form.name;
    if (expected instanceof RegExp) assert.match(String(name), expected);
    else assert.equal(name, expected);
  });
}
