/** When the statistics that a server computes are taken, and when points are read instead. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsFor, partsFor, statisticOf } from '#storage/clickhouse/statistic-columns';

const of = (parts: Record<string, number>) => (part: string) => parts[part];

test('Q6 a sum is taken unless the values nearly cancel, or are too large to be added', () => {
  assert.equal(statisticOf('sum', of({ sum: 12, size: 12 })), 12);
  assert.equal(statisticOf('sum', of({ sum: -1, size: 900 })), -1);
  assert.equal(statisticOf('sum', of({ sum: 1, size: 1100 })), null);
  assert.equal(statisticOf('sum', of({ sum: 0, size: 0 })), 0);
  assert.equal(statisticOf('sum', of({ sum: Number.NaN, size: Number.POSITIVE_INFINITY })), null);
  assert.equal(statisticOf('avg', of({ count: 4, sum: 12, size: 12 })), 3);
  assert.equal(statisticOf('avg', of({ count: 4, sum: 0.001, size: 12 })), null);
});

test('Q6 a deviation is taken unless it is lost in the rounding of the mean', () => {
  const spread = { count: 4, min: 1, max: 3, size: 8, squares: 4 };
  assert.equal(statisticOf('stddev', of(spread)), 1);
  assert.equal(statisticOf('stddev', of({ ...spread, min: 3 })), 0, 'all values are equal');
  assert.equal(statisticOf('stddev', of({ ...spread, size: 4e9, squares: 1e-9 })), null);
  assert.equal(statisticOf('stddev', of({ ...spread, squares: Number.POSITIVE_INFINITY })), null);
});

test('Q6 a percentile lies between two values', () => {
  assert.equal(statisticOf('median', of({ count: 3, medianBelow: 5, medianAbove: 9 })), 5);
  assert.equal(statisticOf('median', of({ count: 4, medianBelow: 5, medianAbove: 9 })), 7);
  assert.equal(statisticOf('p95', of({ count: 1, p95Below: 5, p95Above: 5 })), 5);
});

test('each part is a column once', () => {
  const parts = partsFor(['avg', 'sum', 'count', 'max']);
  assert.deepEqual(parts, ['count', 'sum', 'size', 'max']);
  assert.deepEqual(columnsFor(['count', 'max']), ['toFloat64(count()) AS c0', 'max(value) AS c1']);
});
