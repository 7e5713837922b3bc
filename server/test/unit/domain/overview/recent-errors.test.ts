/** Recent errors: failures grouped by kind, bounded, the newest first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentErrors } from '#domain/overview/recent-errors';
import type { Failure } from '#model/failure';
import { FixedClock } from '../../../support/world.ts';

function failure(changes: Partial<Failure> = {}): Failure {
  return {
    integration: 'plant',
    method: 'integration.insert',
    code: -32602,
    message: 'Invalid params',
    path: 'data.times.0',
    problem: 'must be a timestamp',
    address: '192.0.2.1',
    traceId: 'a'.repeat(32),
    ...changes,
  };
}

test('A5h failures of one kind count together, with place and trace of the last', async () => {
  const clock = new FixedClock();
  const errors = new RecentErrors({ clock, limits: { recentErrorsMax: 10 } });
  const startMs = clock.nowUs() / 1000;
  assert.deepEqual([await errors.list('plant'), await errors.sums()], [[], new Map()]);
  errors.note(failure());
  clock.advance(5);
  errors.note(failure({ path: 'data.series' }));
  clock.advance(5);
  errors.note(failure({ address: '192.0.2.9', traceId: 'b'.repeat(32) }));
  const [last, other] = await errors.list('plant');
  const again = { address: '192.0.2.9', traceId: 'b'.repeat(32), count: 2 };
  assert.deepEqual(last, {
    ...failure(),
    ...again,
    firstAtMs: startMs,
    lastAtMs: startMs + 10_000,
  });
  assert.deepEqual([other.path, other.count], ['data.series', 1]);
  assert.deepEqual((await errors.sums()).get('plant'), { count: 3, lastAtMs: startMs + 10_000 });
});

test('a flood of one kind hides no other; of more kinds than there may be the oldest goes', async () => {
  const clock = new FixedClock();
  const limits = { recentErrorsMax: 3 };
  const errors = new RecentErrors({ clock, limits });
  errors.note(failure({ path: 'rare' }));
  for (let i = 0; i < 1000; i++) errors.note(failure());
  assert.deepEqual(
    (await errors.list('plant')).map(({ path, count }) => [path, count]),
    [
      ['data.times.0', 1000],
      ['rare', 1],
    ],
  );
  for (const path of ['x', 'y']) errors.note(failure({ path }));
  assert.deepEqual(
    (await errors.list('plant')).map(({ path }) => path),
    ['y', 'x', 'data.times.0'],
  );
  limits.recentErrorsMax = 1;
  errors.note(failure({ path: 'z' }));
  assert.equal((await errors.list('plant')).length, 1);
  assert.equal((await errors.sums()).get('plant')?.count, 1004);
});

test('each integration has its own, until it is forgotten', async () => {
  const errors = new RecentErrors({ clock: new FixedClock(), limits: { recentErrorsMax: 3 } });
  errors.note(failure({ integration: 'a' }));
  errors.note(failure({ integration: 'b' }));
  await errors.forget('a');
  assert.deepEqual([await errors.list('a'), (await errors.list('b')).length], [[], 1]);
});
