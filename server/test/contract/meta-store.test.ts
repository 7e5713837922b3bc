/** The contract of MetaStore on the stores that need nothing but this machine. */
import { join } from 'node:path';
import { limitDefaults } from '#model/limits';
import { sqliteDialect } from '#storage/meta/dialect';
import { openSqlMetaStore } from '#storage/meta/sql-meta-store';
import type { MetaStore } from '#storage/meta-store';
import { openSqlite } from '#storage/sqlite/store';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { DatabaseSyncRunner } from '../support/database-sync-runner.ts';
import { FixedClock, KeptLog } from '../support/world.ts';
import { metaAdministrationContract } from './meta-administration.ts';
import { metaPeopleContract } from './meta-people.ts';
import { metaStoreContract } from './meta-store.ts';
import { inDirectory, inMemory, type UnderTest } from './under-test.ts';

type ChangePlan = ConstructorParameters<typeof DatabaseSyncRunner>[1];

/** SQL in this thread; `changePlan` changes how searches proceed. */
function inThread(changePlan?: ChangePlan): UnderTest<MetaStore> {
  return inDirectory(async (directory) => {
    const runner = new DatabaseSyncRunner(join(directory, 'meta.db'), changePlan);
    const store = await openSqlMetaStore({ runner, dialect: sqliteDialect, log: new KeptLog() });
    const close = async () => {
      await store.close();
      runner.close();
    };
    return { store, close };
  });
}

function inFile(serving: boolean): UnderTest<MetaStore> {
  return inDirectory(async (directory) => {
    const options = {
      directory,
      clock: new FixedClock(),
      log: new KeptLog(),
      limits: limitDefaults,
      serving,
    };
    const { meta, close } = await openSqlite(options);
    return { store: meta, close };
  });
}

const kinds: Record<string, () => UnderTest<MetaStore>> = {
  memory: () => inMemory(() => new MemoryMetaStore()),
  'SQL in this thread': () => inThread(),
  sqlite: () => inFile(false),
  'sqlite, in a service': () => inFile(true),
};

for (const [name, kind] of Object.entries(kinds)) {
  metaStoreContract(name, kind);
  metaAdministrationContract(name, kind);
  metaPeopleContract(name, kind);
}

metaStoreContract('SQL in this thread, a hundred rows of a search at a time', () =>
  inThread((plan) => ({ ...plan, direct: null, rows: 100 })),
);
