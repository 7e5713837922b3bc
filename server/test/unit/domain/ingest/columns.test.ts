/** The arrays of a frame: what is taken, and what is said of what is not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { checkLengths, readTimes, readValues } from '#domain/ingest/columns';
import type { ParamProblems } from '#model/error';

function timesOf(times: unknown[]): { us: number[]; problems: ParamProblems } {
  const problems: ParamProblems = {};
  return { us: [...readTimes(times, problems)], problems };
}

function valuesOf(
  values: unknown,
  rowCount: number,
): { column: number[]; points: number; problems: ParamProblems } {
  const problems: ParamProblems = {};
  const column = new Float64Array(rowCount);
  const fits = checkLengths({ times: Array(rowCount).fill(0), series: { a: values } }, problems);
  const points = fits ? readValues('a', values as unknown[], column, 0, problems) : 0;
  return { column: [...column], points, problems };
}

test('R3 times are RFC 3339 text or whole UNIX seconds, mixed', () => {
  const { us, problems } = timesOf(['1970-01-01T00:00:01.000001Z', 2, '1969-12-31T23:59:59Z']);
  assert.deepEqual(us, [1_000_001, 2_000_000, -1_000_000]);
  assert.deepEqual(problems, {});
});

test('R3 a wrong time is named by its row', () => {
  const { problems } = timesOf([1, 'yesterday', 1.5, null]);
  assert.deepEqual(Object.keys(problems), ['data.times.1', 'data.times.2', 'data.times.3']);
  assert.match(problems['data.times.1'][0], /RFC 3339.*got "yesterday"/);
});

test('R9 null is kept apart from every number, and minus zero stays minus zero', () => {
  const { column, points, problems } = valuesOf([0, null, -0, 1e308], 4);
  assert.equal(points, 3);
  assert.deepEqual(column, [0, Number.NaN, -0, 1e308]);
  assert.deepEqual(problems, {});
});

test('E2 a series of wrong length says so in the agreed words', () => {
  assert.deepEqual(valuesOf([1, 2], 3).problems, { 'data.series.a': ['not same length as times'] });
  assert.deepEqual(valuesOf([], 1).problems, { 'data.series.a': ['not same length as times'] });
});

for (const [what, value] of [
  ['text', '1'],
  ['an infinite number', Number.POSITIVE_INFINITY],
  ['a truth value', true],
  ['an array', [1]],
  ['an object', {}],
] as const) {
  test(`R9 ${what} is no value`, () => {
    assert.deepEqual(Object.keys(valuesOf([1, value], 2).problems), ['data.series.a.1']);
  });
}

test('E2 many wrong values are counted, the first three are described', () => {
  const { problems } = valuesOf(Array(100).fill('x'), 100);
  assert.deepEqual(Object.keys(problems), [
    'data.series.a.0',
    'data.series.a.1',
    'data.series.a.2',
    'data.series.a',
  ]);
  assert.match(problems['data.series.a'][0], /^100 elements are wrong/);
});

test('R9 a series that is no array is named', () => {
  assert.match(valuesOf({ 0: 1 }, 1).problems['data.series.a'][0], /must be an array/);
  assert.match(valuesOf('11', 2).problems['data.series.a'][0], /must be an array/);
});
