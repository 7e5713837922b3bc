/** Results that move to another thread take nothing else with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newColumn } from '#model/small-columns';
import { rollupColumns } from '#storage/sqlite/transfer';

test('small columns of a rollup that share a buffer move, and what else is in it stays', () => {
  const [avg, count, stays] = [1, 2, 3].map((value) => newColumn(10).fill(value));
  const rollup = {
    statistics: new Map([['avg', avg] as const, ['count', count] as const]),
    states: new Map(),
  };
  const { result, move } = rollupColumns([rollup]);
  assert.equal(result[0].statistics.get('avg'), avg, 'on this thread nothing is copied');
  const moved = move();
  const [there] = structuredClone(moved.result, { transfer: moved.buffers });
  assert.deepEqual([...there.statistics], [...rollup.statistics]);
  assert.equal(there.statistics.get('count')?.buffer.byteLength, 80);
  assert.deepEqual(stays, new Float64Array(10).fill(3));
  assert.deepEqual(avg, new Float64Array(10).fill(1));
});
