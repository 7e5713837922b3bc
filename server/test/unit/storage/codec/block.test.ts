/** Blocks of typical measurements: what they cost, and that awkward ones come back bit by bit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Points } from '#model/frame';
import { decodeBlock, encodeBlock } from '#storage/codec/block';
import { SeededRandom } from '../../../support/world.ts';

const count = 16_384;
const startUs = 1_700_000_000_000_000;

/** Chance in [0, 1), from a seed. */
function chance(seed: number): () => number {
  const random = new SeededRandom(seed);
  return () => {
    const [a, b, c] = random.bytes(3);
    return ((a << 16) | (b << 8) | c) / 2 ** 24;
  };
}

function column(length: number, value: (i: number) => number): Float64Array {
  return Float64Array.from({ length }, (_, i) => value(i));
}

const everySecond = column(count, (i) => startUs + i * 1e6);

/** A walk of 2 decimals whose steps have 41 values, 5.36 bits. */
function walk(): Float64Array {
  const next = chance(1);
  let level = 5000;
  return column(count, () => {
    level += Math.floor(next() * 41) - 20;
    return level / 100;
  });
}

/** Minutes, each off by up to a second in units of `unitUs`. */
function jittering(unitUs: number): Float64Array {
  const next = chance(2);
  return column(count, (i) => startUs + i * 6e7 + Math.floor((next() * 1e6) / unitUs) * unitUs);
}

/** A daily cycle with noise, 3 decimals. */
function cycle(): Float64Array {
  const next = chance(3);
  return column(count, (i) => {
    const level = 100 + 30 * Math.sin((i / 1440) * 2 * Math.PI) + (next() - 0.5) * 2;
    return Math.round(level * 1000) / 1000;
  });
}

/** Six states, of which one comes every 200 points. */
function states(): Float64Array {
  const next = chance(4);
  let state = 0;
  return column(count, () => {
    if (next() < 0.005) state = Math.floor(next() * 6);
    return state;
  });
}

/** Bytes a point, after making sure that it comes back. */
function cost(points: Points): number {
  const bytes = encodeBlock(points);
  assert.deepEqual(decodeBlock(bytes, 'b'), points);
  return bytes.length / points.timesUs.length;
}

const noisy = chance(5);
const doubles = column(count, (i) => Math.sin(i / 100) * 50 + noisy());
const ascending = column(count, (i) => i * i);

/** Name, points, bytes a point at most. */
const sets: [string, Points, number][] = [
  ['a 2-decimal walk every second', { timesUs: everySecond, values: walk() }, 0.7],
  ['3 decimals with microsecond jitter', { timesUs: jittering(1), values: cycle() }, 4.4],
  ['3 decimals with millisecond jitter', { timesUs: jittering(1000), values: cycle() }, 3.4],
  ['rare states', { timesUs: everySecond, values: states() }, 0.016],
  ['one value', { timesUs: everySecond, values: new Float64Array(count).fill(21.5) }, 0.003],
  ['an even counter', { timesUs: everySecond, values: column(count, (i) => i * 3) }, 0.003],
  ['an accelerating counter', { timesUs: everySecond, values: ascending }, 2],
  ['3 decimals as 32-bit floats', { timesUs: everySecond, values: cycle().map(Math.fround) }, 1.7],
  ['32-bit floats', { timesUs: everySecond, values: doubles.map(Math.fround) }, 3.9],
  ['doubles without a pattern', { timesUs: everySecond, values: doubles }, 6.6],
];

/** Columns on the edges of an encoding. */
const edges: [string, number[]][] = [
  ['zeros of both signs', [0, -0, 0, -0, -0, 0]],
  ['the smallest and the largest', [5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 1]],
  ['integers around 2^51', [2 ** 51 - 1, 2 ** 51, -(2 ** 51), 2 ** 51 + 1]],
  ['integers around 2^53', [2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 53)]],
  ['17 digits among short ones', [0.1, 0.2, 0.1 + 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1]],
  ['32-bit floats of decimals, and others', [21.3, 21.4, 21.5, -0, 1 / 3, 1e-7, 3.5].map(Math.fround)],
  ['very small decimals', [1e-18, 2e-18, 1e-19, 3e-7]],
  ['one outlier', [1, 2, 3, 4, 5, 6, 7, 8, 9, 1e12, 11, 12, 13, 14, 15, 16]],
  ['a single value', [-273.15]],
];

describe('blocks', () => {
  for (const [name, points, most] of sets) {
    it(`of ${name} take at most ${most} bytes a point`, () => {
      const found = cost(points);
      assert.ok(found <= most, `${found}`);
    });
  }

  for (const [name, values] of edges) {
    it(`keep ${name}`, () => {
      const points = { timesUs: everySecond.slice(0, values.length), values: Float64Array.from(values) };
      assert.deepEqual(decodeBlock(encodeBlock(points), 'b'), points);
      const [last] = values.slice(-1);
      const long = { timesUs: everySecond, values: column(count, (i) => values[i % values.length] ?? last) };
      assert.deepEqual(decodeBlock(encodeBlock(long), 'b'), long);
    });
  }

  for (const start of [0, -5000, 2 ** 31 - 5000, 2 ** 31 + 5000, -(2 ** 31), 2 ** 40, 2 ** 51 - 100_000]) {
    it(`keep small steps, up and down or only up, around ${start}`, () => {
      const random = chance(start % 1000);
      let level = start;
      const walks = column(count, () => {
        level += Math.round((random() - 0.5) * 20);
        return level + 0;
      });
      level = start;
      const climbs = column(count, () => {
        level += Math.round(random() * 3);
        return level;
      });
      for (const values of [walks, climbs, walks.map((value) => value / 100 + 0)]) {
        assert.deepEqual(decodeBlock(encodeBlock({ timesUs: everySecond, values }), 'b').values, values);
      }
    });
  }

  it('are decoded to the front of arrays that are there already', () => {
    const points = { timesUs: everySecond.slice(0, 100), values: walk().slice(0, 100) };
    const into = { timesUs: new Float64Array(65_536).fill(7), values: new Float64Array(65_536).fill(7) };
    for (const values of [
      points.values,
      doubles.slice(0, 100),
      states().slice(0, 100),
      ascending.slice(0, 100),
    ]) {
      const found = decodeBlock(encodeBlock({ ...points, values }), 'b', into);
      assert.deepEqual(found, { ...points, values });
      assert.equal(found.values.buffer, into.values.buffer);
    }
  });

  it('of another version are refused by name', () => {
    const bytes = encodeBlock({ timesUs: Float64Array.of(1), values: Float64Array.of(2) });
    bytes[0] = 2;
    assert.throws(
      () => decodeBlock(bytes, '5 of signal 6'),
      /block 5 of signal 6 is damaged: its version is 2, known is 1/,
    );
  });
});
