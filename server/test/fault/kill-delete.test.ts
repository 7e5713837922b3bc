/** The store is killed at random moments while points are deleted: what was deleted stays away, and nothing else goes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { statsOf } from '../support/sealed.ts';
import { silentLog as quiet } from '../support/world.ts';
import { deletedSignals, deletedWindow, rowCount, valueAt } from './deleted-windows.ts';

const rounds = Number(process.env.FAULT_ROUNDS ?? 10);

/** What is known of one process's life and those before it. */
interface Known {
  /** The last batch that was acknowledged; -1: none. */
  stored: number;
  /** The batches whose windows were deleted; `open`: those that may be deleted in part. */
  deleted: number[];
  open: number[];
}

/** Runs the child and kills it a while after it has opened the store, `lifeMs`, but not before `hasSeenAll`. */
async function runAndKill(
  directory: string,
  known: Known,
  { lifeMs, hasSeenAll }: { lifeMs: number; hasSeenAll: () => boolean },
): Promise<void> {
  const program = join(import.meta.dirname, 'delete-child.ts');
  const args = [program, directory, String(known.stored + 1)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = text(child.stderr);
  const lines = createInterface({ input: child.stdout });
  const ended = once(lines, 'close');
  const kill = async () => {
    await sleep(lifeMs);
    while (child.exitCode === null && !hasSeenAll()) await sleep(50 + randomInt(100));
    child.kill('SIGKILL');
  };
  let killed: Promise<void> | null = null;
  lines.on('line', (line) => {
    const [word, number] = line.split(' ');
    const batch = Number(number);
    if (word === 'open') killed = kill();
    else if (word === 'stored') known.stored = batch;
    else if (word === 'deleting') known.open.push(batch);
    else if (word === 'deleted') known.deleted.push(batch);
  });
  const [code, signal] = await once(child, 'exit');
  await ended;
  await killed;
  assert.equal(signal, 'SIGKILL', `the child ended by itself with ${code}: ${await said}`);
  known.open = known.open.filter((batch) => !known.deleted.includes(batch));
}

/** 0: must be there; 1: may be there; 2: must not. */
function expectations({ stored, deleted, open }: Known, count: number): Uint8Array {
  const expected = new Uint8Array(count);
  expected.fill(1, (stored + 1) * rowCount);
  for (const [batches, mark] of [
    [open, 1],
    [deleted, 2],
  ] as const) {
    for (const batch of batches) {
      const { startUs, endUs } = deletedWindow(batch);
      expected.fill(mark, Math.max(0, startUs), Math.max(0, endUs));
    }
  }
  return expected;
}

async function check(series: SeriesStore, known: Known): Promise<void> {
  const count = (known.stored + 2) * rowCount;
  const expected = expectations(known, count);
  for (const signal of deletedSignals) {
    const window = { startUs: 0, endUs: 2 ** 53 };
    const [points] = await series.scan({
      sources: [{ signals: [signal], window, before: false, after: false }],
    });
    const isThere = new Uint8Array(count);
    points.timesUs.forEach((timeUs, i) => {
      isThere[timeUs] = 1;
      if (points.values[i] !== valueAt(timeUs))
        assert.fail(`signal ${signal} has a wrong value at ${timeUs}`);
    });
    for (let timeUs = 0; timeUs < count; timeUs++) {
      if (expected[timeUs] === 0 && isThere[timeUs] === 0) assert.fail(`signal ${signal} lost ${timeUs}`);
      if (expected[timeUs] === 2 && isThere[timeUs] === 1)
        assert.fail(`signal ${signal} has ${timeUs} again`);
    }
  }
}

describe('kill -9 while points are deleted', () => {
  it(`R15 leaves no deleted point, and loses no other, in ${rounds} rounds`, {
    timeout: 120_000 + rounds * 20_000,
  }, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-kill-delete-'));
    const known: Known = { stored: -1, deleted: [], open: [] };
    let blockCount = 0;
    try {
      for (let round = 0; round < rounds; round++) {
        // Where a disk is slow, all lives may have been too short; the last one is long enough.
        const isLast = round === rounds - 1;
        const hasSeenAll = () => !isLast || (known.deleted.length > 0 && statsOf(directory).blocks > 0);
        await runAndKill(directory, known, { lifeMs: 300 + randomInt(1500), hasSeenAll });
        const clock = { nowUs: () => 0 };
        const { series, close } = await openSqlite({ directory, clock, log: quiet, limits: limitDefaults });
        try {
          await check(series, known);
          blockCount = statsOf(directory).blocks;
        } finally {
          await close();
        }
      }
      const { stored, deleted, open } = known;
      t.diagnostic(
        `${stored + 1} batches, ${deleted.length} deletions, ${open.length} cut; ${blockCount} blocks`,
      );
      assert.ok(deleted.length > 0, 'nothing was ever deleted');
      assert.ok(blockCount > 0, 'sealing was never under way');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
