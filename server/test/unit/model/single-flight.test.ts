/** Callers share the result of work that is under way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { singleFlight } from '#model/single-flight';

test('calls share what is under way, also where it fails; the next call begins anew', async () => {
  let count = 0;
  const call = singleFlight(async () => {
    count++;
    await Promise.resolve();
    if (count === 2) throw new Error('fails');
    return count;
  });
  assert.deepEqual(await Promise.all([call(), call(), call()]), [1, 1, 1]);
  const failed = await Promise.allSettled([call(), call()]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await call(), 3);
});
