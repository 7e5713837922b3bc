/** Data queries from the wire: both shapes, clients' zero values, problems by path (Q1-Q3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataQuery } from '#domain/query/request';
import * as dataQuery from '#methods/data-query';
import { AppError } from '#model/error';
import type { ProblemList } from '#model/problem-list';
import { problemsOf, readWith } from '../../support/problems.ts';

const whole = {
  fromUs: null,
  beforeUs: null,
  rollup: null,
  timeZone: 'UTC',
  firstDayOfWeek: 1,
  originUs: null,
  last: 0,
  outsidePoints: false,
  series: null,
};

/** Reads a data query, and fails with what is wrong with it. */
function reader<T>(parse: (data: T, problems: ProblemList) => DataQuery): (data: T) => DataQuery {
  return (data) => readWith((problems) => parse(data, problems));
}

const parseDataQuery = reader(dataQuery.parseDataQuery);
const parseFlatDataQuery = reader(dataQuery.parseFlatDataQuery);

test('Q1 absent and empty queries ask for everything by default', () => {
  assert.deepEqual(parseDataQuery(undefined), whole);
  assert.deepEqual(parseDataQuery({ filter: { times: {}, series: {} } }), whole);
  assert.deepEqual(parseFlatDataQuery(undefined), whole);
});

test('Q1 zero values of a client count as missing', () => {
  const zero = '0001-01-01T00:00:00Z';
  const query = {
    filter: { times: { $gte: zero, $lt: zero } },
    rollup: '',
    timeZone: '',
    origin: '',
  };
  assert.deepEqual(parseDataQuery(query), whole);
  assert.deepEqual(parseFlatDataQuery({ notBefore: zero, before: zero, rollup: '' }), whole);
});

test('Q1 bounds are RFC 3339 or UNIX seconds', () => {
  const { fromUs, beforeUs } = parseDataQuery({
    filter: { times: { $gte: '1970-01-01T01:00:00+01:00', $lt: 60 } },
  });
  assert.deepEqual([fromUs, beforeUs], [0, 60_000_000]);
  const flat = parseFlatDataQuery({ notBefore: 1, before: '1970-01-01T00:00:02Z', rollup: 'window' });
  assert.deepEqual(flat, { ...whole, fromUs: 1_000_000, beforeUs: 2_000_000, rollup: 'window' });
});

test('Q1a a bound beyond the range, of a year that RFC 3339 has, is the end of the range', () => {
  const far = { $gte: '0001-01-01T00:00:01Z', $lt: '9999-12-31T23:59:59.999999Z' };
  const { fromUs, beforeUs } = parseDataQuery({ filter: { times: far } });
  assert.deepEqual([fromUs, beforeUs], [-(2 ** 53), 2 ** 53]);
  const flat = parseFlatDataQuery({ notBefore: -62_135_596_799, before: 253_402_300_799 });
  assert.deepEqual([flat.fromUs, flat.beforeUs], [-(2 ** 53), 2 ** 53]);
  // Milliseconds are a mistake.
  assert.throws(
    () => parseFlatDataQuery({ before: 253_402_300_800 }),
    (error) => error instanceof AppError,
  );
});

test('Q11 an empty list of series asks for none', () => {
  assert.deepEqual(parseDataQuery({ filter: { series: { $in: [] } } }).series, []);
  assert.equal(parseDataQuery({ filter: { series: {} } }).series, null);
});

test('Q2 rollups: window, fixed, calendar', () => {
  assert.equal(parseDataQuery({ rollup: 'window' }).rollup, 'window');
  assert.deepEqual(parseDataQuery({ rollup: 'P1D' }).rollup, { kind: 'fixed', us: 86_400_000_000 });
  assert.deepEqual(parseDataQuery({ rollup: 'P1Y2M' }).rollup, { kind: 'calendar', months: 14 });
  assert.deepEqual(parseDataQuery({ rollup: 'P0DT0H15M0.000000S' }).rollup, {
    kind: 'fixed',
    us: 900_000_000,
  });
});

test('Q8 Q11 Q13 every other member is passed on', () => {
  const data = {
    filter: { series: { $in: ['a'] } },
    timeZone: 'Europe/Oslo',
    firstDayOfWeek: 7,
    origin: 3600,
    last: 5,
    outsidePoints: true,
  };
  assert.deepEqual(parseDataQuery(data), {
    ...whole,
    timeZone: 'Europe/Oslo',
    firstDayOfWeek: 7,
    originUs: 3_600_000_000,
    last: 5,
    outsidePoints: true,
    series: ['a'],
  });
});

test('Q1 every problem is named with its path', () => {
  const problems = problemsOf(() =>
    parseDataQuery({ filter: { times: { $gte: 'yesterday', $lt: 1e15 } }, rollup: 'hour', origin: 'x' }),
  );
  assert.deepEqual(Object.keys(problems), [
    'data.filter.times.$gte',
    'data.filter.times.$lt',
    'data.rollup',
    'data.origin',
  ]);
  assert.match(problems['data.rollup'][0], /^must be "window" or a duration such as .*got "hour"$/);
  assert.match(problems['data.filter.times.$lt'][0], /^must be between/);
  const flat = problemsOf(() => parseFlatDataQuery({ notBefore: 'x', before: 'y' }));
  assert.deepEqual(Object.keys(flat), ['data.notBefore', 'data.before']);
});
