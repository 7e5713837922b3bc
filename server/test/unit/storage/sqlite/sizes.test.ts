/** Sizes of signals: estimated while points wait in the log, known when they are in blocks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { temporaryDirectory } from '../../../support/directory.ts';
import { sealed, statsOf } from '../../../support/sealed.ts';
import { stoppedClock as clock, silentLog as log } from '../../../support/world.ts';

test('what is sealed takes the bytes of its blocks, what came after it 16 a point', async (t) => {
  const directory = await temporaryDirectory(t);
  const { series, close } = await openSqlite({ directory, clock, log, limits: limitDefaults });
  const rows = 100_000;
  const timesUs = Float64Array.from({ length: rows }, (_, i) => i);
  const values = Float64Array.from({ length: 2 * rows }, (_, i) => (i < rows ? 7 : Math.sin(i)));
  await series.append({ timesUs, signals: [1, 2], values });
  await sealed(directory);
  const [even, wild] = await series.sizes([1, 2]);
  const { blockBytes, largest } = statsOf(directory, 2);
  assert.deepEqual([even.points, wild.points], [rows, rows]);
  assert.equal(even.bytes + wild.bytes, blockBytes);
  assert.ok(even.bytes < wild.bytes / 100);
  assert.deepEqual([largest[0].signal, largest[0].bytes], [2, wild.bytes]);
  await series.append({
    timesUs: Float64Array.of(rows, rows + 1),
    signals: [2],
    values: Float64Array.of(1, 2),
  });
  assert.deepEqual(await series.sizes([2]), [{ points: rows + 2, bytes: wild.bytes + 32 }]);
  const many = Array.from({ length: 5000 }, (_, i) => i + 1);
  const sizes = await series.sizes(many);
  assert.deepEqual([sizes.length, sizes[0], sizes[4999]], [5000, even, { points: 0, bytes: 0 }]);
  await close();
});
