/** The contract of MetaStore on the stores that need nothing but this machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
import { type MetaStoreUnderTest, metaStoreContract } from './meta-store.ts';

const everyContract = (name: string, underTest: () => MetaStoreUnderTest) => {
  metaStoreContract(name, underTest);
  metaAdministrationContract(name, underTest);
  metaPeopleContract(name, underTest);
};

everyContract('memory', () => ({
  open: async () => new MemoryMetaStore(),
  reopen: null,
  cleanUp: async () => {},
}));

everyContract('SQL in this thread', () =>
  inDirectory(async (directory) => {
    const runner = new DatabaseSyncRunner(join(directory, 'meta.db'));
    const meta = await openSqlMetaStore({ runner, dialect: sqliteDialect, log: new KeptLog() });
    return { meta, close: async () => runner.close() };
  }),
);

metaStoreContract('SQL in this thread, a hundred rows of a search at a time', () =>
  inDirectory(async (directory) => {
    const runner = new DatabaseSyncRunner(join(directory, 'meta.db'), (plan) => ({
      ...plan,
      direct: null,
      rows: 100,
    }));
    const meta = await openSqlMetaStore({ runner, dialect: sqliteDialect, log: new KeptLog() });
    return { meta, close: async () => runner.close() };
  }),
);

everyContract('sqlite', () =>
  inDirectory((directory) =>
    openSqlite({ directory, clock: new FixedClock(), log: new KeptLog(), limits: limitDefaults }),
  ),
);

/** Stores in a directory of their own; closing the MetaStore closes what is under it too. */
function inDirectory(
  openIn: (directory: string) => Promise<{ meta: MetaStore; close(): Promise<void> }>,
): MetaStoreUnderTest {
  let directory = '';
  let closeUnder = async () => {};
  const open = async () => {
    const { meta, close } = await openIn(directory);
    closeUnder = close;
    return meta;
  };
  const closeAll = async (store: MetaStore) => {
    await store.close();
    await closeUnder();
    closeUnder = async () => {};
  };
  return {
    open: async () => {
      directory = await mkdtemp(join(tmpdir(), 'tidemark-meta-'));
      return open();
    },
    reopen: async (store) => {
      await closeAll(store);
      return open();
    },
    cleanUp: async () => {
      await closeUnder();
      await rm(directory, { recursive: true });
    },
  };
}
