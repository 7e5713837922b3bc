/** Counts by key in bounded memory. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NumberTables } from '#threads/number-table';
import { SharedWindows, windowMs } from '#threads/windows';
import { FixedClock } from '../../support/world.ts';

function countsOf(clock: FixedClock, keysMax?: number): SharedWindows {
  return new SharedWindows(new NumberTables(), clock, 'test', keysMax);
}

it('counts by key, and says how long the window still is', () => {
  const counts = countsOf(new FixedClock());
  assert.deepEqual(counts.look('a'), { count: 0, leftS: 0 });
  assert.deepEqual([counts.add('a'), counts.add('a'), counts.add('b')], [1, 2, 1]);
  assert.equal(counts.look('a').count, 2);
  assert.equal(counts.look('a').leftS, 60);
});

it('begins anew when the minute is over, and forgets those that have ended', () => {
  const clock = new FixedClock();
  const counts = countsOf(clock);
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
  const counts = countsOf(clock);
  counts.add('a');
  clock.setBack(3600);
  assert.deepEqual(counts.look('a'), { count: 1, leftS: 60 });
  clock.advance(windowMs / 1000);
  assert.deepEqual(counts.look('a'), { count: 0, leftS: 0 });
});

it('holds so many keys at most: of those that could make room the oldest goes', () => {
  const counts = countsOf(new FixedClock(), 1024);
  for (let i = 0; i < 5000; i++) counts.add(`key ${i}`);
  assert.ok(counts.keyCount > 900 && counts.keyCount <= 1024, `${counts.keyCount} keys`);
  const known = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => counts.look(`key ${from + i}`).count).filter(Boolean).length;
  assert.equal(known(4995, 5000), 5);
  assert.ok(known(0, 2000) < 20, 'old keys are forgotten');
});
