/** A restore that is killed at any moment leaves no store behind, or the whole one, and can be started again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { bin, serve, temporaryDirectory, tidemark } from '../cli/process.ts';
import { FixedClock, KeptLog } from '../support/world.ts';
import { batchNumbered, pointsThrough, signalsOf } from './numbered-batch.ts';

/** Rounds: a few by default; the full run sets 50 or more. */
const rounds = Number(process.env.FAULT_ROUNDS ?? 4);
const batchCount = 200;
const everything = { startUs: 0, endUs: 2 ** 53 };

function openStore(directory: string) {
  return openSqlite({ directory, clock: new FixedClock(), log: new KeptLog(), limits: limitDefaults });
}

/** A backup of a store with points. */
async function makeBackup(directory: string): Promise<string> {
  const data = join(directory, 'data');
  const { series, close } = await openStore(data);
  for (let batch = 0; batch < batchCount; batch++) await series.append(batchNumbered(0, batch));
  await close();
  const file = join(directory, 'backup.db');
  const { code, stderr } = await tidemark(['backup', file, '--data', data]);
  assert.equal(code, 0, stderr);
  return file;
}

/** Kills a restore so many milliseconds after it has begun to write; whether it was still running. */
async function killRestore(file: string, directory: string, afterMs: number): Promise<boolean> {
  const args = [bin, 'restore', file, '--no-verify', '--data', directory];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!existsSync(join(directory, 'restoring')) && child.exitCode === null) await turn();
  await wait(afterMs);
  child.kill('SIGKILL');
  const [, signal] = await ended;
  return signal === 'SIGKILL';
}

async function assertWhole(directory: string): Promise<void> {
  const { series, close } = await openStore(directory);
  for (const signal of signalsOf(0)) {
    const source = { signals: [signal], window: everything, before: false, after: false };
    const [points] = await series.scan({ sources: [source] });
    assert.deepEqual(points, pointsThrough(signal, batchCount - 1));
  }
  await close();
}

test('R9 a restore that was killed can be run again, and no empty store takes its place', {
  timeout: 60_000 + rounds * 20_000,
}, async (t) => {
  const root = await temporaryDirectory(t);
  const file = await makeBackup(root);
  let interruptedCount = 0;
  for (let round = 0; round < rounds; round++) {
    const directory = join(root, `restored-${round}`);
    const wasRunning = await killRestore(file, directory, round * 25);
    if (wasRunning && !existsSync(join(directory, 'tidemark.db'))) {
      interruptedCount++;
      const files = await readdir(directory);
      const refused = await tidemark(['serve', '--port', '0', '--data', directory]);
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr,
        /has no store: a restore into it was interrupted.*"tidemark restore" again/,
      );
      assert.deepEqual(await readdir(directory), files, 'the refusal changed nothing');
      const again = await tidemark(['restore', file, '--data', directory]);
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(await readdir(directory), ['tidemark.db']);
    }
    await assertWhole(directory);
  }
  assert.ok(interruptedCount > 0, 'every restore was complete before it was killed');
  const service = await serve(t, join(root, 'restored-0'));
  assert.equal(await service.stop(), 0);
});

test('R9 two restores into one directory at a time: one is refused', async (t) => {
  const root = await temporaryDirectory(t);
  const file = await makeBackup(root);
  const directory = join(root, 'restored');
  const both = await Promise.all(
    [1, 2].map(() => tidemark(['restore', file, '--no-verify', '--data', directory])),
  );
  assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1]);
  const refused = both.find(({ code }) => code === 1)!;
  assert.match(refused.stderr, /another restore into this directory is running|is not empty/);
  await assertWhole(directory);
});

test('R9 what an interrupted restore left is no reason to refuse another one; any other file is', async (t) => {
  const root = await temporaryDirectory(t);
  const file = await makeBackup(root);
  const directory = join(root, 'restored');
  await mkdir(join(directory, 'restoring', 'more'), { recursive: true });
  await mkdir(join(directory, 'other'));
  const refused = await tidemark(['restore', file, '--data', directory]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /is not empty/);
  assert.deepEqual((await readdir(directory)).sort(), ['other', 'restoring']);
});
