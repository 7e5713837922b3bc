/** What a server has of the store's tables, and whether they are this store's. */
import { type AppError, conflict } from '#model/error';
import type { Cluster } from './cluster.ts';
import type { ClickHouseOptions } from './options.ts';
import type { Server } from './server.ts';

/** What the tables look like; a store with a greater number was made by a newer release. */
export const schemaNumber = 1;

/** The columns of the points, by name. */
const pointColumns = 'signal UInt64, time Int64, value Float64, version UInt64';

/** What there is. */
export interface FoundTables {
  names: ReadonlySet<string>;
  /** Whether a node can work with them. */
  isComplete: boolean;
}

/**
 * Looks at the tables of one server. Fails with `conflict` where they belong to another program, to a newer release or to other
 * shards, where points were lost, or where their table is not what the settings say; changes nothing.
 */
export async function findTables(
  { database, slots }: Cluster,
  server: Server,
  { isReplicated }: Pick<ClickHouseOptions, 'isReplicated'>,
): Promise<FoundTables> {
  const sql = `SELECT name, engine FROM system.tables WHERE database = '${database}' FORMAT TabSeparated`;
  const engines = new Map((await server.table(sql)).map(([name, engine]) => [name, engine]));
  const engine = engines.get('points');
  const refuse = refusal(server, database);
  if (engine !== undefined && !engines.has('layout'))
    throw refuse('has a table "points" of another program: use another database');
  const layout = engines.has('layout')
    ? await server.table(`SELECT DISTINCT schema, slots FROM ${database}.layout FORMAT TabSeparated`)
    : [];
  if (layout.length > 0) requireLayout(layout, slots, server);
  if (layout.length > 0 && engine === undefined)
    throw refuse(
      'has lost its table "points", which it had: restore it, or drop the table "layout" too to begin without points',
    );
  if (engine !== undefined) {
    requireEngine(engine, isReplicated, refuse);
    await requireColumns(server, database, refuse);
  }
  return { names: new Set(engines.keys()), isComplete: layout.length > 0 };
}

type Refuse = (what: string) => AppError;

function refusal({ origin }: Server, database: string): Refuse {
  return (what) => conflict(`The database "${database}" of ${origin} ${what}`);
}

function requireLayout(layout: string[][], slots: readonly number[], { origin }: Server): void {
  const [[schema, stored]] = layout;
  if (layout.length > 1 || Number(schema) > schemaNumber)
    throw conflict(`The tables of ${origin} were made by a newer release (schema ${schema})`);
  if (stored !== slots.join())
    throw conflict(
      `The cluster has shards with other weights (${slots.join()}) than when the points of ${origin} were stored (${stored}): their points must be moved first`,
    );
}

/** Writes of which no replica knows, or reads of a replica that lags, would lose points. */
function requireEngine(engine: string, isReplicated: boolean, refuse: Refuse): void {
  if (!engine.endsWith('ReplacingMergeTree'))
    throw refuse(`has a table "points" with the engine ${engine}, which does not replace points`);
  if ((engine !== 'ReplacingMergeTree') === isReplicated) return;
  throw refuse(
    isReplicated
      ? `has a table "points" without replicas (${engine}), and --series-replicated is set`
      : `has a table "points" with replicas (${engine}): set --series-replicated`,
  );
}

async function requireColumns(server: Server, database: string, refuse: Refuse): Promise<void> {
  const found = await server.table(
    `SELECT name, type FROM system.columns WHERE database = '${database}' AND table = 'points' ORDER BY name FORMAT TabSeparated`,
  );
  const columns = found.map((column) => column.join(' ')).join(', ');
  if (columns !== pointColumns)
    throw refuse(`has a table "points" with the columns ${columns}, the service needs ${pointColumns}`);
}
