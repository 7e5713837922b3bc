/** Counts by key in bounded memory. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { WindowCounts, windowMs } from '#protocol/window-counts';
import { FixedClock } from '../../support/world.ts';

it('counts by key, and says how long the window still is', () => {
  const counts = new WindowCounts(new FixedClock());
  assert.deepEqual(counts.look('a'), { count: 0, leftS: 0 });
  assert.deepEqual([counts.add('a'), counts.add('a'), counts.add('b')], [1, 2, 1]);
  assert.equal(counts.look('a').count, 2);
  assert.equal(counts.look('a').leftS, 60);
});

it('begins anew when the minute is over, and forgets those that have ended', () => {
  const clock = new FixedClock();
  const counts = new WindowCounts(clock);
  for (let i = 0; i < 5; i++) counts.add('a');
  clock.advance(windowMs / 2000);
  assert.deepEqual(counts.look('a'), { count: 5, leftS: 30 });
  counts.add('b');
  clock.advance(windowMs / 2000);
  assert.deepEqual(counts.look('a'), { count: 0, leftS: 0 });
  assert.equal(counts.look('b').count, 1);
  assert.equal(counts.add('a'), 1);
  assert.equal(counts.keyCount, 2);
});

it('L4e a wall clock that is set back lengthens no window', () => {
  const clock = new FixedClock();
  const counts = new WindowCounts(clock);
  counts.add('a');
  clock.setBack(3600);
  assert.deepEqual(counts.look('a'), { count: 1, leftS: 60 });
  clock.advance(windowMs / 1000);
  assert.deepEqual(counts.look('a'), { count: 0, leftS: 0 });
});

it('holds so many keys at most: the oldest goes', () => {
  const counts = new WindowCounts(new FixedClock(), 1000);
  for (let i = 0; i < 5000; i++) counts.add(`key ${i}`);
  assert.equal(counts.keyCount, 1000);
  assert.deepEqual(
    [counts.look('key 3999').count, counts.look('key 4000').count, counts.look('key 4999').count],
    [0, 1, 1],
  );
});
