/** The tables that a copy of a whole store takes with it. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sqliteDialect } from '#storage/meta/dialect';
import { migrate } from '#storage/meta/migrations';
import { metaTables } from '#storage/meta/rows';
import { DatabaseSyncRunner } from '../../../support/database-sync-runner.ts';

/** Tables of which a copy has its own: versions, the next number, changes that others follow, the copy itself, and what processes note. */
const ownTables = ['meta_version', 'revision', 'sequence', 'transfer', 'usage_flush'];

test('every table of metadata is copied by its primary key, or named as one that each store has for itself', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-rows-'));
  const runner = new DatabaseSyncRunner(join(directory, 'meta.db'));
  t.after(async () => {
    runner.close();
    await rm(directory, { recursive: true });
  });
  await migrate(runner, sqliteDialect);
  const tables = await runner.read("select name from sqlite_schema where type = 'table' order by name", []);
  const known = [...metaTables.map(({ name }) => name), ...ownTables].sort();
  assert.deepEqual(
    tables.map(({ name }) => name),
    known,
  );
  for (const { name, key } of metaTables) {
    const columns = await runner.read('select name from pragma_table_info(?) where pk > 0 order by pk', [
      name,
    ]);
    assert.deepEqual(
      columns.map((column) => column.name),
      key,
      name,
    );
  }
});
