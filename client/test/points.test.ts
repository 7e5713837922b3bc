/** Points: what a writer gathers, how it is cut into frames, and its records in files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeRecord, encodeRecord, findRecord } from '../src/point-bytes.ts';
import { countFrame, cutFrames, halveFrame } from '../src/point-frames.ts';
import { countPoints, joinPoints, PointGatherer, type Points } from '../src/points.ts';

/** key → time → value. */
type Plain = Record<string, Record<string, number>>;

function plain(points: Points): Plain {
  const columns = [...points].map(([key, { timesUs, values }]) => [
    key,
    Object.fromEntries(Array.from(timesUs, (us, i) => [us, values[i]])),
  ]);
  return Object.fromEntries(columns);
}

const written = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b/c', 'd#e', 'f'),
    s: fc.integer({ min: 0, max: 40 }),
    value: fc.integer(),
  }),
  { maxLength: 200 },
);

/** What was written, and what a plain map keeps of it. */
function gather(list: readonly { key: string; s: number; value: number }[]): { points: Points; kept: Plain } {
  const gatherer = new PointGatherer();
  const kept: Plain = {};
  for (const { key, s, value } of list) {
    gatherer.add(key, value, s);
    kept[key] ??= {};
    kept[key][s * 1e6] = value;
  }
  assert.equal(gatherer.count, list.length);
  return { points: gatherer.take(), kept };
}

test('gathered points are sorted, and of several at one time the last is kept', () => {
  fc.assert(
    fc.property(written, (list) => {
      const { points, kept } = gather(list);
      assert.deepEqual(plain(points), kept);
      for (const { timesUs } of points.values()) assert.deepEqual(timesUs, timesUs.toSorted());
    }),
  );
});

test('points that are joined are as if they had been written one after the other', () => {
  fc.assert(
    fc.property(written, written, (first, second) => {
      const joined = joinPoints([gather(first).points, gather(second).points]);
      assert.deepEqual(plain(joined), gather([...first, ...second]).kept);
    }),
  );
});

test('frames have every point once, and no more cells than allowed but in a single row', () => {
  fc.assert(
    fc.property(written, fc.integer({ min: 1, max: 30 }), (list, cellsMax) => {
      const { points, kept } = gather(list);
      const found: Plain = {};
      for (const { timesUs, series } of cutFrames(points, cellsMax)) {
        assert.ok(timesUs.length === 1 || timesUs.length * series.size <= cellsMax);
        for (const [key, values] of series) {
          found[key] ??= {};
          for (const [row, value] of values.entries()) {
            if (Number.isNaN(value)) continue;
            assert.ok(!(timesUs[row] in found[key]), 'a point is in two frames');
            found[key][timesUs[row]] = value;
          }
        }
      }
      assert.deepEqual(found, kept);
    }),
  );
});

test('halves of a frame have its points together; a single cell has none', () => {
  const { points } = gather([
    { key: 'a', s: 1, value: 1 },
    { key: 'b', s: 1, value: 2 },
    { key: 'b', s: 2, value: 3 },
  ]);
  const [frame] = cutFrames(points, 100);
  const rows = halveFrame(frame)!;
  assert.deepEqual(rows.map(countFrame), [2, 1]);
  const cells = halveFrame(rows[0])!;
  assert.deepEqual(cells.map(countFrame), [1, 1]);
  assert.equal(halveFrame(cells[0]), null);
});

test('a record gives its points back; torn or changed it is not found', () => {
  fc.assert(
    fc.property(written, fc.nat(), fc.integer({ min: 1, max: 255 }), (list, at, flip) => {
      const { points, kept } = gather(list);
      const record = encodeRecord(points);
      assert.deepEqual(findRecord(record, 0), { end: record.length, points: countPoints(points) });
      assert.deepEqual(plain(decodeRecord(record, 0, record.length)), kept);
      assert.equal(findRecord(record.subarray(0, at % record.length), 0), null);
      const changed = Buffer.from(record);
      // The number of points, at 4 to 7, is a figure for people.
      const byte = 8 + (at % (record.length - 8));
      changed[byte] ^= flip;
      assert.equal(findRecord(changed, 0), null);
    }),
  );
});

test('what the service would refuse is refused where it is written, with the key, and nothing of its frame is kept', () => {
  const gatherer = new PointGatherer();
  assert.throws(() => gatherer.add('a b', 1, 0), /an input key has 1 to 128 .* got "a b"/);
  assert.throws(() => gatherer.add('a', Number.NaN, 0), /"a": a value must be a finite number, got NaN/);
  assert.throws(
    () => gatherer.add('a', 1, 1_772_355_600_000),
    /"a": a time must be between 1684-07-28 and 2255/,
  );
  assert.throws(() => gatherer.add('a', 1, 'yesterday'), /not a time: "yesterday"/);
  assert.throws(() => gatherer.add('a', 1, new Date('')), /a time must be between/);
  assert.throws(() => gatherer.addFrame({ times: [0], series: { ok: [1], 'a b': [1] } }), /an input key/);
  assert.equal(gatherer.count, 0);
  assert.equal(gatherer.addFrame({ times: [0, '1970-01-01T00:00:01Z'], series: { ok: [null, 1] } }), 1);
});
