/** What is decoded on a service thread: little while code is new, more when decoding has turned out to be fast. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DecodePace } from '#storage/sqlite/decode-pace';

test('large blocks are decoded when smaller ones have been fast, and no longer when they were slow', () => {
  const pace = new DecodePace(2);
  assert.ok(pace.allows('block', 4000));
  assert.ok(!pace.allows('block', 65_536), 'nothing is known yet');
  for (let i = 0; i < 10; i++) pace.note('block', 4000, 0.04);
  assert.ok(pace.allows('block', 65_536), '10 ns for a value');
  assert.ok(!pace.allows('row', 65_536), 'rows of the log are decoded by other code');
  pace.note('block', 65_536, 20);
  assert.ok(!pace.allows('block', 65_536));
});

test('what was never fast is tried after a while, since it may be by then', () => {
  const pace = new DecodePace(2);
  let refused = 0;
  while (!pace.allows('row', 50_000)) refused++;
  assert.ok(refused > 5 && refused < 50, `${refused} times`);
});

test('a few values say nothing, since what comes with them takes as long', () => {
  const pace = new DecodePace(2);
  for (let i = 0; i < 10; i++) pace.note('row', 3, 0.1);
  assert.ok(pace.allows('row', 4000));
});
