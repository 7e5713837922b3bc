/** Points of a stream, and how they are added to what was loaded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LivePoints, withLive } from '../src/features/explorer/live-rows.ts';
import type { Loaded } from '../src/features/explorer/plot.ts';
import { newer } from '../src/pages/items/newer.ts';

const loaded: Loaded = {
  rows: {
    timesMs: [1000, 3000],
    columns: new Map([
      ['a', [1, 3]],
      ['b', [undefined, 30]],
    ]),
  },
  ...{ rollup: null, widthMs: 0, span: { fromMs: 0, toMs: 4000 }, nowMs: 4000 },
  ...{ statistic: 'avg', hasBand: false, compares: '', ids: ['a', 'b'] },
  last: new Map([
    ['a', { ms: 3000, value: 3 }],
    ['b', { ms: 3000, value: 30 }],
  ]),
};

function event(items: Record<string, [string, number][]>) {
  const points = Object.entries(items).map(([item, pairs]) => {
    return [item, { times: pairs.map(([time]) => time), values: pairs.map(([, value]) => value) }] as const;
  });
  return { kind: 'points', position: '', items: Object.fromEntries(points) } as const;
}

const at = (second: number) => `1970-01-01T00:00:0${second}Z`;

test('new, late and overwritten points are added in the order of time; the window and the present move on', () => {
  const points = new LivePoints();
  points.add(
    event({
      a: [
        [at(2), 2],
        [at(5), 5],
      ],
    }),
    0,
  );
  points.add(event({ a: [[at(3), 33]], b: [[at(1), 10]] }), 1);
  const present = { span: { fromMs: 500, toMs: 6000 }, nowMs: 6000 };
  const { rows, last, span, nowMs } = withLive(loaded, points.within(present.span), present);
  assert.deepEqual([...Array.from(rows.timesMs)], [1000, 2000, 3000, 5000]);
  assert.deepEqual(rows.columns.get('a'), [1, 2, 33, 5]);
  assert.deepEqual(rows.columns.get('b'), [10, undefined, 30, undefined]);
  assert.deepEqual(
    [last.get('a'), last.get('b')],
    [
      { ms: 5000, value: 5 },
      { ms: 3000, value: 30 },
    ],
  );
  assert.deepEqual({ span, nowMs }, present);
});

test('points outside of the window are not drawn, and what came before an instant can be forgotten', () => {
  const points = new LivePoints();
  points.add(
    event({
      a: [
        [at(1), 1],
        [at(9), 9],
      ],
    }),
    100,
  );
  points.add(event({ a: [[at(2), 2]] }), 200);
  assert.equal(points.count, 3);
  assert.deepEqual(points.within({ fromMs: 0, toMs: 5000 }).get('a'), [
    { ms: 1000, value: 1 },
    { ms: 2000, value: 2 },
  ]);
  points.forget(200);
  assert.equal(points.count, 1);
  assert.deepEqual([...points.within({ fromMs: 0, toMs: 10_000 })], [['a', [{ ms: 2000, value: 2 }]]]);
});

test('of two statuses the one with the later point is shown', () => {
  const [early, late] = [1, 2].map((second) => ({ lastTime: at(second), lastValue: second }));
  assert.equal(newer(early, late!), late);
  assert.equal(newer(late, early!), late);
  assert.equal(newer(null, early!), early);
  const same = { lastTime: at(2), lastValue: 7 };
  assert.equal(newer(late, same), same);
});
