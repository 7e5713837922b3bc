/** Several processes on one file of metadata: each notices the others' changes, and no write is lost. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { limitDefaults } from '#model/limits';
import type { MetaTopic } from '#storage/meta-store';
import { databasePath } from '#storage/sqlite/paths';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import { newId } from '../support/resources.ts';
import { FixedClock, KeptLog } from '../support/world.ts';

const writer = fileURLToPath(new URL('../support/meta-writer.ts', import.meta.url));
let directory = '';
let store: SqliteStore;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-meta-'));
  store = await openSqlite({ directory, clock: new FixedClock(), log: new KeptLog(), limits: limitDefaults });
});

after(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function writeElsewhere(id: string): Promise<void> {
  await promisify(execFile)(process.execPath, [writer, databasePath(directory), id]);
}

it('A1 a change of another process is heard of within a second', async () => {
  const topics = new Set<MetaTopic>();
  const heard = new Promise<void>((resolve) => {
    store.meta.subscribe((topic) => {
      topics.add(topic);
      if (topics.size === 2) resolve();
    });
  });
  const id = newId();
  await writeElsewhere(id);
  await Promise.race([heard, lateAfter(1000)]);
  assert.ok((await store.meta.integrations.all()).some((integration) => integration.id === id));
});

it('R9 processes that write at once get different numbers', async () => {
  const ids = [newId(), newId(), newId()];
  const here = store.meta.write((tx) => tx.signingKeys.all());
  await Promise.all([...ids.map(writeElsewhere), here]);
  const signals = await Promise.all(ids.map((id) => store.meta.signals.byInput(id, ['x'])));
  const numbers = signals.flat().map(({ number }) => number);
  assert.equal(new Set(numbers).size, 3);
});

async function lateAfter(ms: number): Promise<never> {
  await setTimeout(ms, undefined, { ref: false });
  throw new Error(`not heard within ${ms} ms`);
}
