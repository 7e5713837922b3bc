/** Requests that fail in a reader: their slot is free again. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import { silentLog as log } from '../support/world.ts';

const always = { startUs: -(2 ** 53), endUs: 2 ** 53 };

/** More than the requests that one reader works on concurrently. */
const requestCount = 12;

describe('the slots of a reader', () => {
  let directory: string;
  let store: SqliteStore;
  let file: DatabaseSync;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tidemark-slots-'));
    const options = { directory, clock: { nowUs: () => 0 }, log, limits: limitDefaults };
    store = await openSqlite({ ...options, serving: true, readerCount: 1 });
    file = new DatabaseSync(join(directory, 'tidemark.db'), { timeout: 5000 });
  });
  after(async () => {
    file.close();
    await store.close();
    await rm(directory, { recursive: true });
  });

  const source = { signals: [1], window: always, before: false, after: false };
  const scan = () => store.series.scan({ sources: [source] });

  it('requests whose snapshot cannot begin fail each, and leave all slots free', async () => {
    await store.series.append({ timesUs: Float64Array.of(1), signals: [1], values: Float64Array.of(1) });
    file.exec('alter table series_log rename to renamed');
    const failed = await Promise.allSettled(Array.from({ length: requestCount }, () => scan()));
    assert.deepEqual(new Set(failed.map(({ status }) => status)), new Set(['rejected']));
    file.exec('alter table renamed rename to series_log');
    const answers = await Promise.all(Array.from({ length: requestCount }, () => scan()));
    for (const [points] of answers) assert.deepEqual([...points.timesUs], [1]);
  });
});
