/** A full disk: inserts are rejected, reads continue, and inserts succeed again when space is free, without a restart. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it, test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { silentLog as quiet } from '../support/world.ts';
import { batchNumbered, pointsThrough, signalsOf } from './numbered-batch.ts';

/** About 100 batches, each of which is a write that waits for the disk. */
const fileBytesMax = 1024 * 1024;

/** Appends until the store refuses; the last batch that it took. */
async function fill(series: SeriesStore, writer: number, first: number): Promise<number> {
  for (let batch = first; ; batch++) {
    try {
      await series.append(batchNumbered(writer, batch));
    } catch (error) {
      assert.equal((error as { kind?: string }).kind, 'unavailable', String(error));
      assert.match((error as Error).message, /Nothing was stored: the disk is full/);
      return batch - 1;
    }
  }
}

async function check(series: SeriesStore, writer: number, last: number): Promise<void> {
  const window = { startUs: 0, endUs: 2 ** 53 };
  for (const signal of signalsOf(writer)) {
    const [points] = await series.scan({
      sources: [{ signals: [signal], window, before: false, after: false }],
    });
    assert.deepEqual(points, pointsThrough(signal, last));
  }
}

describe('a full disk', () => {
  it('R9 refuses inserts as unavailable, stores nothing of them, and recovers', {
    timeout: 120_000,
  }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-full-'));
    const clock = { nowUs: () => 0 };
    const options = { directory, clock, log: quiet, limits: limitDefaults };
    try {
      const small = await openSqlite({ ...options, fileBytesMax });
      const last = await fill(small.series, 0, 0);
      assert.ok(last > 10);
      await check(small.series, 0, last);
      assert.equal(await fill(small.series, 0, last + 1), last);
      await small.close();

      const larger = await openSqlite({ ...options, fileBytesMax: 2 * fileBytesMax });
      await check(larger.series, 0, last);
      const later = await fill(larger.series, 0, last + 1);
      assert.ok(later > last);
      await check(larger.series, 0, later);
      await larger.close();
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('R9 takes inserts again once the disk does, in the same process', { timeout: 120_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-full-'));
    const child = spawnWithFileLimit(directory);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const errors = text(child.stderr);
    try {
      const refusal = await lineLike(lines, /^refused /, errors);
      assert.match(refusal, /Nothing was stored: the disk/);
      await liftFileLimit(child.pid!);
      await lineLike(lines, /^0 \d+$/, errors);
      const last = await lineLike(lines, /^0 \d+$/, errors);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const clock = { nowUs: () => 0 };
      const store = await openSqlite({ directory, clock, log: quiet, limits: limitDefaults });
      await checkAtLeast(store.series, 0, Number(last.split(' ')[1]));
      await store.close();
    } finally {
      child.kill('SIGKILL');
      await rm(directory, { recursive: true });
    }
  });
});

test('R9 a store that was closed opens and is read on a disk without a free byte', async (t) => {
  const disk = await mkdtemp(join(tmpdir(), 'tidemark-disk-'));
  t.after(() => rm(disk, { recursive: true }));
  const program = join(import.meta.dirname, 'full-disk-child.ts');
  const script = 'mount -t tmpfs -o size=24m tmpfs "$0" || exit 99; exec "$@"';
  const child = spawn('unshare', ['-rm', 'sh', '-c', script, disk, process.execPath, program, disk], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  const closed = Promise.race([once(child, 'close'), once(child, 'error')]);
  const said = await Array.fromAsync(createInterface({ input: child.stdout }));
  const [code] = await closed;
  if (code !== 0 && said.length === 0) return t.skip('this user may not mount a file system');
  assert.equal(code, 0, `the child said: ${await errors}`);
  const [stored, read, refused, written] = said;
  assert.equal(stored.replace('stored', 'read'), read);
  assert.match(refused, /^refused Nothing was stored: the disk (is full|reports an error)/);
  assert.equal(written, 'written true');
});

/** Starts the writing child so that no file of it can grow beyond 4 MiB: a write beyond that fails as on a broken disk. */
function spawnWithFileLimit(directory: string) {
  const program = join(import.meta.dirname, 'store-child.ts');
  const script = 'ulimit -S -f 8192; exec "$0" "$@"';
  return spawn('sh', ['-c', script, process.execPath, program, directory, '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function liftFileLimit(pid: number): Promise<void> {
  const child = spawn('prlimit', ['--pid', String(pid), '--fsize=unlimited'], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, 'prlimit (util-linux) failed');
}

async function lineLike(
  lines: AsyncIterator<string>,
  pattern: RegExp,
  errors: Promise<string>,
): Promise<string> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) assert.fail(`the child has ended: ${await errors}`);
    if (pattern.test(value)) return value;
  }
}

/** A batch more than was acknowledged may be there as a whole. */
async function checkAtLeast(series: SeriesStore, writer: number, last: number): Promise<void> {
  const window = { startUs: 0, endUs: 2 ** 53 };
  const signals = signalsOf(writer);
  const sources = signals.map((signal) => ({ signals: [signal], window, before: false, after: false }));
  const found = await series.scan({ sources });
  const stored = found[0].timesUs.length / 100 - 2;
  assert.ok(stored >= last, `${stored} batches, of ${last} acknowledged`);
  for (const [i, signal] of signals.entries()) assert.deepEqual(found[i], pointsThrough(signal, stored));
}
