/** A second process on a store's file: registers an integration named by the second argument, and one signal of it. */
import { sqliteDialect } from '#storage/meta/dialect';
import { openSqlMetaStore } from '#storage/meta/sql-meta-store';
import { DatabaseSyncRunner } from './database-sync-runner.ts';
import { integration, signal } from './resources.ts';
import { KeptLog } from './world.ts';

const [path, name] = process.argv.slice(2);
const runner = new DatabaseSyncRunner(path);
const store = await openSqlMetaStore({ runner, dialect: sqliteDialect, log: new KeptLog() });
const mine = integration({ id: name, name });
await store.write(async (tx) => {
  await tx.integrations.insert(mine);
  await tx.signals.insert([signal(mine.id, 'x', { id: `${name.slice(1)}x` })]);
});
await store.close();
runner.close();
