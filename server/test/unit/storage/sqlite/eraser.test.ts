/** Deletions of more blocks than one step takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openForReading } from '#storage/sqlite/connection';
import { Eraser } from '#storage/sqlite/eraser';
import { EraseProgress } from '#storage/sqlite/erasing';
import { SharedIndex } from '#storage/sqlite/snapshot';
import { openSqlite } from '#storage/sqlite/store';
import { temporaryDirectory } from '../../../support/directory.ts';
import { sealed, statsOf } from '../../../support/sealed.ts';
import { stoppedClock as clock, silentLog as log } from '../../../support/world.ts';

test('R15 a signal that is done in part is taken up where it was left, and the next from its beginning', () => {
  const window = { startUs: 10, endUs: 100 };
  const progress = new EraseProgress([1, 2, 3], window);
  assert.deepEqual(progress.next(), { signals: [1, 2, 3], window });
  progress.note({ step: null, counts: [5, 7], doneCount: 1, startUs: 40 });
  assert.deepEqual(progress.next(), { signals: [2], window: { startUs: 40, endUs: 100 } });
  progress.note({ step: null, counts: [1], doneCount: 0, startUs: 60 });
  assert.deepEqual(progress.next(), { signals: [2], window: { startUs: 60, endUs: 100 } });
  progress.note({ step: null, counts: [2], doneCount: 1, startUs: null });
  assert.deepEqual(progress.next(), { signals: [3], window });
  progress.note({ step: null, counts: [0], doneCount: 1, startUs: null });
  assert.ok(progress.isDone);
  assert.deepEqual(progress.counts, [5, 10, 0]);
});

test('R15 a step takes so many blocks of a signal and says how far it came', async (t) => {
  const directory = await temporaryDirectory(t);
  const { series, close } = await openSqlite({ directory, clock, log, limits: limitDefaults });
  const rows = 100_000;
  const timesUs = Float64Array.from({ length: rows }, (_, i) => i);
  const values = Float64Array.from({ length: 2 * rows }, (_, i) => Math.sin(i));
  await series.append({ timesUs, signals: [1, 2], values });
  await sealed(directory);
  const { blocks } = statsOf(directory);
  assert.ok(blocks >= 8);
  const db = openForReading(directory);
  const eraser = new Eraser(db, new SharedIndex(0, 0), 3);
  const window = { startUs: 100, endUs: rows };
  const answer = eraser.plan({ signals: [1, 2], window, pointsMax: 1e9, mayDefer: false });
  db.close();
  assert.ok(answer?.step);
  const { step, counts, doneCount, startUs } = answer;
  assert.deepEqual([step.removed.length, doneCount, counts.length], [3, 0, 1]);
  assert.ok(startUs !== null && startUs > 100);
  assert.equal(counts[0], startUs - 100);
  assert.deepEqual(await series.deletePoints([1, 2], window), [rows - 100, rows - 100]);
  assert.deepEqual(await series.countPoints([1, 2], { startUs: 0, endUs: rows }), [100, 100]);
  await close();
});
