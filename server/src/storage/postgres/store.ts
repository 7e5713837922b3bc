/** Opens the metadata in PostgreSQL. */
import type { Log } from '#model/environment';
import type { Limits } from '#model/limits';
import type { Notices } from '../coordination.ts';
import { requireComplete, SqlMetaRows } from '../meta/rows.ts';
import { openSqlMetaStore } from '../meta/sql-meta-store.ts';
import type { MetaRows, MetaStore, MetaTopic } from '../meta-store.ts';
import { addressesIn } from './addresses.ts';
import { requireCompleteSchema } from './complete-schema.ts';
import { Connection, type ConnectOptions } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { lockNumber } from './lock-number.ts';
import { openingError } from './opening-error.ts';
import { defaultSchema, prepareSchema } from './schema.ts';
import { requireGiven } from './sequences.ts';
import { type SoleUse, takeSoleUse } from './sole-use.ts';
import { PostgresRunner } from './sql-runner.ts';
import { PostgresWriteNumbers } from './write-numbers.ts';

/** How often changes of other nodes are looked for, ms: usually they are told of before. */
const pollMs = 600;

/** Options of {@link openPostgres}. */
export interface PostgresOptions {
  /** One or several URLs, separated by commas. */
  url: string;
  log: Log;
  limits: Pick<Limits, 'patternWorkMax'>;
  /** The revisions that the threads of this process know; default: there is one thread. */
  notices?: Notices;
  /** Called after a write with what it has changed: other nodes should be told. */
  onChanged?: (topic: MetaTopic, revision: number) => void;
  /** Connections at most, besides one for what is followed; default 8. */
  connectionsMax?: number;
  /** Whether the store is opened to be filled from another one, and may be an unfinished copy. Default false. */
  isTransfer?: boolean;
  /** Default {@link defaultSchema}. */
  schema?: string;
}

/** The metadata in PostgreSQL, and what else is counted there. */
export interface PostgresStore {
  meta: MetaStore;
  rows: MetaRows;
  /** Excludes nodes. Fails with `conflict` while one is alive. */
  takeSoleUse(): Promise<SoleUse>;
  /** The numbers of writes of points, for the process of this name; `close` forgets the name. */
  writeNumbers(writer: string, secret: string): PostgresWriteNumbers;
  /** Fails with `conflict` where points carry numbers of signals or of writes that were not given out yet. */
  requireGiven(signal: number, write: number): Promise<void>;
  /** How to connect in addition. */
  connect: ConnectOptions;
  /** The secret of a name, which is `fresh` if there is none yet: the same on all nodes. */
  shareSecret(name: string, fresh: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * Opens the metadata, creating the tables if they are missing. Fails with `conflict`, and says what to do, when the server or the
 * database is not what this program needs; with `unavailable` when no address answers.
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const { url, connectionsMax = 8, schema = defaultSchema } = options;
  const addresses = addressesIn(url);
  const connect = { addresses, schema };
  await prepare(connect);
  const runner = new PostgresRunner({ ...connect, connectionsMax, line: lockNumber(schema, 'line') });
  try {
    const meta = await openSqlMetaStore({ ...options, runner, dialect: postgresDialect, pollMs });
    const rows = new SqlMetaRows(runner, postgresDialect);
    if (options.isTransfer !== true)
      await requireComplete(rows).catch(async (error: unknown) => {
        await meta.close();
        throw error;
      });
    const close = async () => {
      await meta.close();
      runner.close();
    };
    return {
      meta,
      rows,
      connect,
      requireGiven: (signal, write) => requireGiven(runner, schema, { signal, write }),
      takeSoleUse: () => takeSoleUse(connect),
      writeNumbers: (writer, secret) =>
        new PostgresWriteNumbers({
          ...{ writer, secret, lock: lockNumber(schema, 'write numbers') },
          take: (sql, params) => runner.take(sql, params),
        }),
      shareSecret: (name, fresh) => shareSecret(runner, name, fresh),
      close,
    };
  } catch (error) {
    runner.close();
    throw openingError(error, addresses);
  }
}

/** Fails where the operator has to act. */
async function prepare({ addresses, schema }: { addresses: string[]; schema: string }): Promise<void> {
  let connection: Connection | null = null;
  try {
    connection = await Connection.open({ addresses, schema });
    await prepareSchema(connection, schema);
    await requireCompleteSchema(connection, schema);
  } catch (error) {
    throw openingError(error, addresses);
  } finally {
    connection?.close();
  }
}

async function shareSecret(runner: PostgresRunner, name: string, fresh: string): Promise<string> {
  await runner.take('insert into secret (name, value) values ($1, $2) on conflict do nothing', [name, fresh]);
  const [row] = await runner.read('select value from secret where name = $1', [name]);
  return String(row.value);
}
