/** Which blocks are written anew when points come in, and how large they become. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blockPointsMax, decodeBlock } from '#storage/codec/block';
import { cutBlocks, isFull, readBack, summarise } from '#storage/sqlite/cut';
import type { BlockEntry } from '#storage/sqlite/directory';
import { planGroups } from '#storage/sqlite/seal-plan';

/** A block over `[firstUs, lastUs]`; full ones fill a page. */
function entry(firstUs: number, lastUs: number, count = 20_000, bytes = 16_200): BlockEntry {
  const values = { sum: 0, sumLow: 0, min: 0, max: 0, first: 0, last: 0, m2: 0 };
  return { ...values, firstUs, lastUs, count, crc: null, bytes, block: firstUs };
}

function points(...timesUs: number[]) {
  return { timesUs: Float64Array.from(timesUs), values: new Float64Array(timesUs.length) };
}

/** Groups as `[blocks by their first time], [new points]`. */
function plan(entries: BlockEntry[], ...timesUs: number[]) {
  const groups = planGroups(entries, points(...timesUs));
  return groups.map(({ entries: joined, from, to }) => [
    joined.map(({ firstUs }) => firstUs),
    timesUs.slice(from, to),
  ]);
}

describe('the plan of sealing', () => {
  it('leaves full blocks alone that points only follow', () => {
    assert.deepEqual(plan([entry(0, 10)], 11, 12), [[[], [11, 12]]]);
    assert.deepEqual(plan([], 1, 2), [[[], [1, 2]]]);
  });

  it('writes each block anew that points fall into, and only those', () => {
    const entries = [entry(0, 10), entry(20, 30), entry(40, 50)];
    assert.deepEqual(plan(entries, 5, 45), [
      [[0], [5]],
      [[40], [45]],
    ]);
    assert.deepEqual(plan(entries, 10, 20), [
      [[0], [10]],
      [[20], [20]],
    ]);
  });

  it('puts points between blocks to the touched block before them, or by themselves', () => {
    const entries = [entry(0, 10), entry(20, 30)];
    assert.deepEqual(plan(entries, 5, 15, 35), [
      [[0], [5, 15]],
      [[], [35]],
    ]);
    assert.deepEqual(plan(entries, 15, 25), [
      [[], [15]],
      [[20], [25]],
    ]);
  });

  it('takes small neighbours in, as long as they are not much larger', () => {
    const small = [entry(0, 9, 8, 90), entry(10, 19, 4, 60), entry(20, 29, 2, 50)];
    assert.deepEqual(plan(small, 30), [[[0, 10, 20], [30]]]);
    assert.deepEqual(plan([entry(0, 9, 100, 200), entry(10, 19, 2, 50)], 30), [[[10], [30]]]);
    assert.deepEqual(plan([entry(20, 29, 2, 50), entry(30, 39, 3, 50)], 10), [[[20, 30], [10]]]);
  });

  it('never takes a block twice', () => {
    const entries = [entry(0, 9, 2, 50), entry(20, 29, 2, 50), entry(40, 49, 2, 50)];
    const groups = plan(entries, 5, 15, 25, 35, 45, 55);
    const taken = groups.flatMap(([joined]) => joined);
    assert.deepEqual(taken, [0, 20, 40]);
    assert.deepEqual(
      groups.flatMap(([, timesUs]) => timesUs),
      [5, 15, 25, 35, 45, 55],
    );
  });
});

describe('the cut into blocks', () => {
  const regular = (count: number) => Float64Array.from({ length: count }, (_, i) => i * 1_000_000);

  it('fills pages, and keeps every point', () => {
    let level = 2000;
    const values = Float64Array.from({ length: 100_000 }, (_, i) => {
      level += ((i * 7919) % 41) - 20 + ((i * 104_729) % 13) - 6;
      return level / 100;
    });
    const blocks = cutBlocks({ timesUs: regular(values.length), values }, 2);
    const joined = blocks.flatMap(({ data }) => [...decodeBlock(data, 'x').values]);
    assert.deepEqual(Float64Array.from(joined), values);
    for (const { data, summary } of blocks.slice(0, -1)) {
      assert.ok(isFull(data.length, summary.count), `${data.length} bytes, ${summary.count} points`);
      assert.ok(data.length <= 16_384 - 48);
    }
  });

  it('makes blocks as long as they may be of what hardly changes', () => {
    const blocks = cutBlocks({ timesUs: regular(200_000), values: new Float64Array(200_000) }, 2);
    assert.deepEqual(
      blocks.map(({ summary }) => summary.count).slice(-2),
      [blockPointsMax, 200_000 - 65_536 * 2 - blocks[0].summary.count].sort((a, b) => b - a),
    );
  });

  it('gives doubles without a pattern several pages', () => {
    const values = Float64Array.from({ length: 20_000 }, (_, i) => Math.sin(i * i));
    const [block] = cutBlocks({ timesUs: regular(values.length), values }, 2);
    assert.ok(block.summary.count >= 4000, `${block.summary.count}`);
  });

  it('R15 fails when a block does not hold the points, before these leave the log', () => {
    const points = { timesUs: regular(1000), values: Float64Array.from({ length: 1000 }, (_, i) => i / 100) };
    const { data } = cutBlocks(points, 2)[0];
    assert.deepEqual(readBack(data, points, null).summary, summarise(points));
    const others = [
      { ...points, values: points.values.with(0, 0.04) },
      { ...points, values: points.values.with(0, -0) },
      { ...points, timesUs: points.timesUs.with(999, 999_000_001) },
    ];
    for (const other of others) {
      assert.throws(() => readBack(data, other, null), /BUG: a block of 1000 points from 0 µs differs/);
    }
  });

  it('Q6 summarises: sums keep what rounding took, squares are those of the distances', () => {
    const values = Float64Array.of(1e16, 1, -1e16, 2);
    const { sum, sumLow, min, max, first, last, count } = summarise({ timesUs: regular(4), values });
    assert.deepEqual(
      { total: sum + sumLow, min, max, first, last, count },
      {
        total: 3,
        min: -1e16,
        max: 1e16,
        first: 1e16,
        last: 2,
        count: 4,
      },
    );
    const far = summarise({ timesUs: regular(3), values: Float64Array.of(1e9 + 1, 1e9 + 2, 1e9 + 3) });
    assert.ok(Math.abs(far.m2 - 2) < 1e-9, `${far.m2}`);
  });
});
