/** The contract of MetaStore on PostgreSQL. */
import { after, before, describe } from 'node:test';
import { limitDefaults } from '#model/limits';
import type { MetaStore } from '#storage/meta-store';
import { openPostgres, type PostgresStore } from '#storage/postgres/store';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.ts';
import { KeptLog } from '../support/world.ts';
import { metaAdministrationContract } from './meta-administration.ts';
import { metaPeopleContract } from './meta-people.ts';
import { metaStoreContract } from './meta-store.ts';
import type { UnderTest } from './under-test.ts';

const programs = postgresPrograms();
const options = programs === null ? { skip: 'postgresql is not installed on this machine' } : {};

describe('MetaStore on PostgreSQL', options, () => {
  let server: PostgresServer;
  let count = 0;
  before(async () => {
    server = await PostgresServer.start(programs ?? '');
  });
  after(() => server.close());

  /** Each store has a schema of its own. */
  function postgres(): UnderTest<MetaStore> {
    const schema = `contract_${count++}`;
    let store: PostgresStore | null = null;
    const open = async () => {
      store = await openPostgres({ url: server.url(), log: new KeptLog(), limits: limitDefaults, schema });
      return store.meta;
    };
    const close = async () => store?.close();
    const reopen = async () => {
      await close();
      return open();
    };
    return { open, reopen, close };
  }

  metaStoreContract('PostgreSQL', postgres);
  metaAdministrationContract('PostgreSQL', postgres);
  metaPeopleContract('PostgreSQL', postgres);
});
