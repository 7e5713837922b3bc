/** Runs of points become one, the newest point at a time winning. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Points } from '#model/frame';
import { lowerBound } from '#model/lower-bound';
import { clip, mergeGathered, mergeRuns } from '#storage/sqlite/runs';
import { SeededRandom } from '../../../support/world.ts';

function run(...pairs: [number, number][]): Points {
  return {
    timesUs: Float64Array.from(pairs, ([timeUs]) => timeUs),
    values: Float64Array.from(pairs, ([, value]) => value),
  };
}

function pairs({ timesUs, values }: Points): [number, number][] {
  return Array.from(timesUs, (timeUs, i) => [timeUs, values[i]]);
}

const cases: [string, Points[], [number, number][]][] = [
  ['nothing', [], []],
  ['empty runs', [run(), run()], []],
  ['one', [run([1, 1])], [[1, 1]]],
  [
    'followers',
    [run([1, 1]), run([2, 2]), run([3, 3])],
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  ],
  [
    'an earlier one',
    [run([5, 5], [6, 6]), run([1, 1])],
    [
      [1, 1],
      [5, 5],
      [6, 6],
    ],
  ],
  [
    'the same time',
    [run([1, 1], [2, 2]), run([2, 22])],
    [
      [1, 1],
      [2, 22],
    ],
  ],
  ['three at one time', [run([1, 1]), run([1, 11]), run([1, 111])], [[1, 111]]],
  [
    'interleaved',
    [run([1, 1], [5, 5]), run([2, 2], [4, 4]), run([3, 3])],
    [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
      [5, 5],
    ],
  ],
  [
    'an overwritten chain',
    [run([1, 1]), run([2, 2]), run([1, 9], [2, 8])],
    [
      [1, 9],
      [2, 8],
    ],
  ],
];

describe('runs', () => {
  for (const [name, runs, expected] of cases) {
    it(`R9 merge: ${name}`, () => assert.deepEqual(pairs(mergeRuns(runs)), expected));
  }

  it('are clipped to a half-open window', () => {
    const points = run([10, 1], [20, 2], [30, 3]);
    assert.deepEqual(pairs(clip(points, 10, 30)), [
      [10, 1],
      [20, 2],
    ]);
    assert.deepEqual(pairs(clip(points, 11, 20)), []);
    assert.equal(clip(points, -Infinity, Infinity), points);
  });

  it('find the first time at or after another', () => {
    const timesUs = Float64Array.of(10, 20, 30);
    assert.deepEqual(
      [5, 10, 11, 30, 31].map((timeUs) => lowerBound(timesUs, timeUs)),
      [0, 0, 1, 2, 3],
    );
  });
});

describe('runs behind one another', () => {
  const forms = { 'a row at a time': 3, 'far apart': 300, 'equal times': 1 };
  for (const [name, spread] of Object.entries(forms)) {
    it(`are merged as their points say: ${name}`, () => {
      const random = new SeededRandom(spread);
      for (let round = 0; round < 100; round++) {
        const times = Array.from(random.bytes(1 + (round % 50) * 4), (byte, i) =>
          Math.floor(i / 2 + (byte * spread) / 256),
        );
        const breaks = [...times.keys()].filter((i) => i > 0 && times[i] <= times[i - 1]);
        const expected = new Map(times.map((timeUs, i) => [timeUs, i]));
        const merged = mergeGathered(run(...times.map((timeUs, i): [number, number] => [timeUs, i])), breaks);
        assert.deepEqual(
          pairs(merged),
          [...expected].sort(([a], [b]) => a - b),
        );
      }
    });
  }
});
