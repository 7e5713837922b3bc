/** The store is killed at random moments under load, again and again: nothing that was acknowledged is lost, nothing is half there. */
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
import type { Points } from '#model/frame';
import { limitDefaults } from '#model/limits';
import { openForReading } from '#storage/sqlite/connection';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { silentLog as quiet } from '../support/world.ts';
import { pointsThrough, signalsOf } from './numbered-batch.ts';

/** Rounds: 10 by default; the full run sets 50 or more. */
const rounds = Number(process.env.FAULT_ROUNDS ?? 10);
const writerCount = 4;

/** How a child is run. */
interface Life {
  /** After which time it is killed, once it has opened the store, ms. */
  ms: number;
  /** Whether sealing begins early; else it waits while the processors are busy. */
  sealsOften: boolean;
}

/** Runs the child until it is killed; the last batch that each writer had acknowledged. */
async function runAndKill(directory: string, stored: readonly number[], life: Life): Promise<number[]> {
  const program = join(import.meta.dirname, 'store-child.ts');
  const args = [program, directory, ...stored.map((last) => String(last + 1))];
  const env = life.sealsOften ? { ...process.env, SEALS_OFTEN: '1' } : process.env;
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const said = text(child.stderr);
  const acknowledged = [...stored];
  const lines = createInterface({ input: child.stdout });
  const ended = once(lines, 'close');
  lines.on('line', (line) => {
    const [writer, batch] = line.split(' ').map(Number);
    if (line !== 'open') acknowledged[writer] = batch;
    else sleep(life.ms).then(() => child.kill('SIGKILL'));
  });
  const [code, signal] = await once(child, 'exit');
  await ended;
  assert.equal(signal, 'SIGKILL', `the child ended by itself with ${code}: ${await said}`);
  return acknowledged;
}

async function openAfter<T>(directory: string, work: (series: SeriesStore) => Promise<T>): Promise<T> {
  const clock = { nowUs: () => 0 };
  const { series, close } = await openSqlite({ directory, clock, log: quiet, limits: limitDefaults });
  try {
    return await work(series);
  } finally {
    await close();
  }
}

function countBlocks(directory: string): number {
  const db = openForReading(directory);
  const row = db.prepare('select count(*) as count from series_directory').get();
  db.close();
  return Number(row?.count);
}

async function readSignal(series: SeriesStore, signal: number): Promise<Points> {
  const window = { startUs: 0, endUs: 2 ** 53 };
  const [points] = await series.scan({
    sources: [{ signals: [signal], window, before: false, after: false }],
  });
  return points;
}

/** Checks a writer's signals: all hold the batches up to the acknowledged one, or all the one that was under way too. */
async function checkWriter(series: SeriesStore, writer: number, acknowledged: number): Promise<number> {
  let stored: number | null = null;
  for (const signal of signalsOf(writer)) {
    const points = await readSignal(series, signal);
    const last = points.timesUs.length / 100 - 2;
    stored ??= last;
    assert.equal(last, stored, `signal ${signal} is not at the batch of its neighbours`);
    assertSame(points, pointsThrough(signal, Math.max(last, -1)), signal);
  }
  const found = Math.max(stored ?? -1, -1);
  const isWhole = found === acknowledged || found === acknowledged + 1;
  assert.ok(isWhole, `writer ${writer} has batch ${found}, acknowledged was ${acknowledged}`);
  return found;
}

function assertSame(found: Points, expected: Points, signal: number): void {
  assert.equal(found.timesUs.length, expected.timesUs.length, `points of signal ${signal}`);
  for (let i = 0; i < expected.timesUs.length; i++) {
    if (found.timesUs[i] === expected.timesUs[i] && found.values[i] === expected.values[i]) continue;
    assert.fail(`signal ${signal} at ${i}: ${found.values[i]}, not ${expected.values[i]}`);
  }
}

/** A directory grows, and so does reading it back: after so many rounds another one is begun. */
const roundsPerDirectory = 10;

/** In this time a child that seals often has stored several of the blocks of a cycle, on a machine that does little else, ms. */
const sealingMs = 2500;

/** In this time it has stored some also where other tests take most of the time. */
const certainlySealingMs = 15_000;

/** Rounds on one directory; the batches stored by each writer. */
async function killAgainAndAgain(directory: string, roundCount: number): Promise<number[]> {
  let stored = new Array<number>(writerCount).fill(-1);
  for (let round = 0; round < roundCount; round++) {
    const sealsOften = round % 2 === 0;
    stored = await killOnce(directory, stored, { ms: randomInt(sealsOften ? sealingMs : 700), sealsOften });
  }
  // All lives may have been too short by chance.
  if (countBlocks(directory) > 0) return stored;
  return killOnce(directory, stored, { ms: certainlySealingMs, sealsOften: true });
}

/** Runs and kills the child, and checks what is stored: the last batch of each writer. */
async function killOnce(directory: string, stored: readonly number[], life: Life): Promise<number[]> {
  const acknowledged = await runAndKill(directory, stored, life);
  return openAfter(directory, (series) =>
    Promise.all(acknowledged.map((last, writer) => checkWriter(series, writer, last))),
  );
}

describe('kill -9 under load', () => {
  const timeout = 150_000 + rounds * 20_000;
  it(`R9 loses nothing acknowledged in ${rounds} rounds`, { timeout }, async (t) => {
    let blockCount = 0;
    for (let done = 0; done < rounds; done += roundsPerDirectory) {
      const directory = await mkdtemp(join(tmpdir(), 'tidemark-kill-'));
      try {
        const stored = await killAgainAndAgain(directory, Math.min(roundsPerDirectory, rounds - done));
        blockCount += countBlocks(directory);
        t.diagnostic(`batches stored by each writer: ${stored.join(', ')}; ${blockCount} blocks`);
      } finally {
        await rm(directory, { recursive: true });
      }
    }
    assert.ok(blockCount > 0, 'sealing was never under way');
  });
});
