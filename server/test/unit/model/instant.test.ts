/** Timestamps in and out (R3, Q1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantProblem, instantUsMax, parseBound, parseInstant } from '#model/instant';
import { instantBytesMax, printInstant, writeInstant } from '#model/instant-printer';

const readable: [string | number, number][] = [
  ['1970-01-01T00:00:00Z', 0],
  ['2024-01-31T12:00:00Z', 1_706_702_400_000_000],
  ['2024-01-31t12:00:00z', 1_706_702_400_000_000],
  ['2024-01-31T12:00:00.5Z', 1_706_702_400_500_000],
  ['2024-01-31T12:00:00.123456Z', 1_706_702_400_123_456],
  ['2024-01-31T12:00:00.123456999999Z', 1_706_702_400_123_456],
  ['2024-01-31T12:00:00+01:00', 1_706_698_800_000_000],
  ['2024-01-31T12:00:00.25-05:30', 1_706_722_200_250_000],
  ['2024-01-31T12:00:00-00:00', 1_706_702_400_000_000],
  ['2024-02-29T00:00:00Z', 1_709_164_800_000_000],
  ['2000-02-29T23:59:59Z', 951_868_799_000_000],
  ['1969-12-31T23:59:59.9999999Z', -1],
  ['1969-12-31T23:59:59.0000009Z', -1_000_000],
  ['2255-06-05T23:47:34.740992Z', instantUsMax],
  ['1684-07-28T00:12:25.259008Z', -instantUsMax],
  ['2016-12-31T23:59:60Z', 1_483_228_800_000_000],
  ['2017-01-01T05:29:60.5+05:30', 1_483_228_800_500_000],
  [0, 0],
  [1_706_702_400, 1_706_702_400_000_000],
  [-1, -1_000_000],
];
for (const [text, us] of readable) {
  test(`R3 reads ${JSON.stringify(text)}`, () => assert.equal(parseInstant(text), us));
}

const malformed: unknown[] = [
  '',
  '2024',
  '2024-01-31',
  '2024-01-31T12:00Z',
  '2024-01-31T12:00:00',
  '2024-01-31 12:00:00Z',
  '2024-01-31T12:00:00.Z',
  '2024-01-31T12:00:00,5Z',
  '2024-01-31T12:00:00ZZ',
  '2024-01-31T12:00:00+0100',
  '2024-01-31T12:00:00+01',
  '2024-01-31T12:00:00+24:00',
  '2024-01-31T12:00:00+01:60',
  '2024-01-31T12:00:00 01:00',
  '2024-01-31T24:00:00Z',
  '2024-01-31T12:60:00Z',
  '2024-01-31T12:00:61Z',
  '2024-01-31T12:00:60Z',
  '2016-12-31T23:59:60+01:00',
  '2024-00-31T12:00:00Z',
  '2024-13-31T12:00:00Z',
  '2024-17-01T12:00:00Z',
  '2024-01-00T12:00:00Z',
  '2024-01-32T12:00:00Z',
  '2024-01-64T12:00:00Z',
  '2024-04-31T12:00:00Z',
  '2023-02-29T12:00:00Z',
  '1900-02-29T12:00:00Z',
  '2024/01/31T12:00:00Z',
  '2024-01-31T12-00-00Z',
  '٢٠٢٤-01-31T12:00:00Z',
  '+2024-01-31T12:00:00Z',
  '1706702400',
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  null,
  undefined,
  true,
  {},
  ['2024-01-31T12:00:00Z'],
];
for (const value of malformed) {
  test(`R3 refuses ${JSON.stringify(value)}`, () => {
    assert.ok(Number.isNaN(parseInstant(value)));
    assert.match(instantProblem(value), /must be an RFC 3339 timestamp .*, got /);
  });
}

for (const value of [
  '2255-06-05T23:47:34.740993Z',
  '1684-07-28T00:12:25.259007Z',
  '9999-12-31T23:59:59Z',
  '0001-01-01T00:00:00Z',
  9_007_199_255,
  -9_007_199_255,
]) {
  test(`R3 ${value} is out of range`, () => {
    assert.ok(Number.isNaN(parseInstant(value)));
    assert.match(instantProblem(value), /must be between 1684-07-28T00:12:25.259008Z and 2255-06-05/);
  });
}

test('R3 many timestamps: the date of the one before never leaks', () => {
  const times = ['2024-01-31T00:00:00Z', '2024-02-30T00:00:00Z', '2024-01-31T00:00:01Z', 5];
  const expected = [1_706_659_200_000_000, Number.NaN, 1_706_659_201_000_000, 5_000_000];
  assert.deepEqual(times.map(parseInstant), expected);
});

test('Q1 a zero value as a bound counts as missing', () => {
  assert.equal(parseBound('0001-01-01T00:00:00Z'), null);
  assert.equal(parseBound('0001-01-01T01:00:00.000+01:00'), null);
  assert.equal(parseBound(null), null);
  assert.equal(parseBound(undefined), null);
  assert.equal(parseBound('1970-01-01T00:00:00Z'), 0);
  assert.equal(parseBound(0), 0);
  assert.ok(Number.isNaN(parseBound('0001-01-02T00:00:00Z')));
});

const printed: [number, string][] = [
  [0, '1970-01-01T00:00:00Z'],
  [-1, '1969-12-31T23:59:59.999999Z'],
  [500_000, '1970-01-01T00:00:00.5Z'],
  [1_000_010, '1970-01-01T00:00:01.00001Z'],
  [1, '1970-01-01T00:00:00.000001Z'],
  [1_709_164_799_000_000, '2024-02-28T23:59:59Z'],
  [instantUsMax, '2255-06-05T23:47:34.740992Z'],
  [-instantUsMax, '1684-07-28T00:12:25.259008Z'],
];
test('R3 prints UTC with a fraction only when it is not zero', () => {
  const bytes = new Uint8Array(instantBytesMax);
  for (const [us, text] of printed) {
    assert.equal(printInstant(us), text);
    const end = writeInstant(us, new DataView(bytes.buffer), 0);
    assert.equal(Buffer.from(bytes.subarray(0, end)).toString('latin1'), text);
  }
  assert.deepEqual(
    printed.map(([us]) => printInstant(us)),
    printed.map(([, text]) => text),
  );
});
