/** A copy of a store reports its progress, and respects its rate limit. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { backUp } from '#storage/sqlite/backup';
import { openSqlite } from '#storage/sqlite/store';
import { temporaryDirectory } from '../../../support/directory.ts';
import { stoppedClock as clock, silentLog as log } from '../../../support/world.ts';

test('a backup reports each step up to the whole, and is not faster than its rate', async (t) => {
  const directory = await temporaryDirectory(t);
  const { series, close } = await openSqlite({
    ...{ directory: join(directory, 'data'), clock, log, limits: limitDefaults },
  });
  const rows = 400_000;
  const timesUs = Float64Array.from({ length: rows }, (_, i) => i);
  await series.append({ timesUs, signals: [1], values: timesUs.map(Math.sin) });
  const path = join(directory, 'copy.db');
  const steps: [number, number][] = [];
  const bytesPerSMax = 8 * 1024 * 1024;
  const startMs = performance.now();
  const bytes = await backUp(join(directory, 'data'), path, {
    bytesPerSMax,
    onProgress: (copied, total) => steps.push([copied, total]),
  });
  const seconds = (performance.now() - startMs) / 1000;
  await close();
  assert.ok(bytes > rows * 8);
  assert.equal((await stat(path)).size, bytes);
  // The last step is not waited for.
  assert.ok(seconds > (0.9 * (bytes - 1024 * 1024)) / bytesPerSMax, `${bytes} bytes in ${seconds} s`);
  assert.ok(steps.length >= 3);
  for (const [i, [copied, total]] of steps.entries()) {
    assert.equal(total, bytes);
    assert.ok(copied <= total && copied > (steps[i - 1]?.[0] ?? 0), `${copied} of ${total}`);
  }
});
