/** Small columns that share slabs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newColumn } from '#model/small-columns';

test('columns of any length are zeros, and none has a value of another', () => {
  const lengths = [0, 1, 168, 1024, 1025, 168, 1024, 1000, 1024, 1024, 1024, 1024, 1024, 1024, 1024, 7, 1e5];
  const columns = lengths.map((length, i) => {
    const column = newColumn(length);
    assert.ok(column.every((value) => value === 0));
    return column.fill(i + 1);
  });
  assert.deepEqual(
    columns.map((column) => [column.length, column.every((value) => value === columns.indexOf(column) + 1)]),
    lengths.map((length) => [length, true]),
  );
});
