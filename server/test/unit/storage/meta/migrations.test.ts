/** Schema versions of the metadata: created once, kept, and never changed if they are newer. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { AppError } from '#model/error';
import { sqliteDialect } from '#storage/meta/dialect';
import { migrate, schemaVersion } from '#storage/meta/migrations';
import { openSqlMetaStore } from '#storage/meta/sql-meta-store';
import { DatabaseSyncRunner } from '../../../support/database-sync-runner.ts';
import { KeptLog } from '../../../support/world.ts';

let directory = '';
let runner: DatabaseSyncRunner;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-meta-'));
  runner = new DatabaseSyncRunner(join(directory, 'meta.db'));
});

afterEach(async () => {
  runner.close();
  await rm(directory, { recursive: true });
});

const objects = () => runner.read('select type, name, sql from sqlite_schema order by name', []);

it('an empty database gets all tables; a second time changes nothing', async () => {
  assert.equal(await migrate(runner, sqliteDialect), 0);
  const made = await objects();
  assert.ok(made.some(({ name }) => name === 'signal'));
  assert.equal(await migrate(runner, sqliteDialect), schemaVersion);
  assert.deepEqual(await objects(), made);
});

it('a database of a newer release is refused with both versions, and stays as it is', async () => {
  await migrate(runner, sqliteDialect);
  await runner.transaction((execute) => execute('update meta_version set version = 99', []));
  await assert.rejects(
    openSqlMetaStore({ runner, dialect: sqliteDialect, log: new KeptLog() }),
    (error: unknown) =>
      error instanceof AppError && error.kind === 'conflict' && /99.*newer one/s.test(error.message),
  );
  const [{ version }] = await runner.read('select version from meta_version', []);
  assert.equal(version, 99);
});

it('a migration that fails half-way leaves nothing', async () => {
  await runner.transaction((execute) => execute('create table item_label (x)', []));
  await assert.rejects(migrate(runner, sqliteDialect));
  assert.deepEqual(
    (await objects()).map(({ name }) => name),
    ['item_label'],
  );
});
