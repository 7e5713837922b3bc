/** Bytes that are joined in steps: the same bytes, a little at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinInSteps } from '#protocol/join-in-steps';

test('parts are joined in their order, and a pause follows each piece of a large one', () => {
  const large = Buffer.from(Uint8Array.from({ length: 1_000_003 }, (_, i) => i % 251));
  const parts = [Buffer.from('before'), large, Buffer.alloc(0), Buffer.from('after')];
  const steps = joinInSteps(parts);
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    pauses++;
    assert.ok(step.value <= 150_000, 'the work of a piece, ns');
  }
  assert.ok(step.value.equals(Buffer.concat(parts)));
  assert.equal(pauses, 2 + Math.ceil(large.length / (128 * 1024)));
});
