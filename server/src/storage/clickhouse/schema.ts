/** The tables of the store, created on each server that has none. */
import { type AppError, conflict } from '#model/error';
import type { Cluster, Shard } from './cluster.ts';
import { isRefusal, ServerFailure } from './failures.ts';
import { findTables, schemaNumber } from './found-tables.ts';
import type { ClickHouseOptions } from './options.ts';
import { partitionUs } from './partition.ts';
import type { Server, ServerFacts } from './server.ts';

/** The oldest release with mutations, which deletion needs. */
const oldestRelease = 18.16;

/** Settings of tables that make an insert wait for the disk, where the release has them. */
const durableSettings = ['fsync_after_insert', 'fsync_part_directory'];

/**
 * How much larger a merged part must be than the largest of its parts, about, where the release has that. The server lowers it with
 * the number of parts of a partition, and with their age: with 60 about 30 parts are merged at once, and fewer when nothing is
 * written any more. With 5, its default, each row was written four times in the first seconds.
 */
const mergeSettings: Readonly<Record<string, number>> = { merge_selector_base: 60 };

/** What a node of an older release has set in its place. */
const formerSettings: Readonly<Record<string, string>> = { merge_selector_base: '10' };

/** In releases that have indexes of this kind. */
const versionIndex = 'INDEX version_range version TYPE minmax GRANULARITY 1';

/** What the statements depend on. */
type SchemaOptions = Pick<ClickHouseOptions, 'cluster' | 'isReplicated'>;

/** The statements that create the tables on one server of a shard; each may be repeated. */
export function schemaStatements(
  { cluster, isReplicated }: SchemaOptions,
  database: string,
  slots: readonly number[],
  facts: ServerFacts,
): string[] {
  const isModern = releaseOf(facts) >= 20;
  const codec = (name: string) => (isModern ? ` CODEC(${name})` : '');
  const columns = [
    `signal UInt64${codec('Delta, ZSTD(1)')}`,
    `time Int64${codec('DoubleDelta, ZSTD(1)')}`,
    `value Float64${codec('Delta, ZSTD(1)')}`,
    `version UInt64${codec('Delta, ZSTD(1)')}`,
    // What was written last is found without reading all that its signals have.
    ...(isModern ? [versionIndex] : []),
  ];
  const engine = isReplicated
    ? `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/${database}/points', '{replica}', version)`
    : 'ReplacingMergeTree(version)';
  const settings = assigned([['index_granularity', 8192], ...changeableSettings(facts)]);
  const distributed = `Distributed(${cluster}, ${database}, points, signal)`;
  // The row of the layout comes last: with it the tables are complete.
  return [
    `CREATE DATABASE IF NOT EXISTS ${database}`,
    `CREATE TABLE IF NOT EXISTS ${database}.layout (schema UInt32, slots String) ENGINE = TinyLog`,
    `CREATE TABLE IF NOT EXISTS ${database}.points (${columns.join(', ')}) ENGINE = ${engine} PARTITION BY intDiv(time, ${partitionUs}) ORDER BY (signal, time) SETTINGS ${settings}`,
    ...(cluster === null
      ? []
      : [`CREATE TABLE IF NOT EXISTS ${database}.points_all AS ${database}.points ENGINE = ${distributed}`]),
    `INSERT INTO ${database}.layout VALUES (${schemaNumber}, '${slots.join()}')`,
  ];
}

/** Settings that a table may get at any time. */
function changeableSettings({ tableSettings }: ServerFacts): [string, number][] {
  const wanted = { ...Object.fromEntries(durableSettings.map((name) => [name, 1])), ...mergeSettings };
  return Object.entries(wanted).filter(([name]) => tableSettings.has(name));
}

function assigned(settings: readonly (readonly [string, number])[]): string {
  return settings.map((one) => one.join(' = ')).join(', ');
}

/**
 * The statement that gives the points settings which this release would make them with, and which only an older one has set, or
 * nobody; none where there is nothing to do.
 */
export async function settingStatements(
  server: Server,
  database: string,
  facts: ServerFacts,
): Promise<string[]> {
  const wanted = changeableSettings(facts);
  if (wanted.length === 0) return [];
  const sql = `SELECT engine_full FROM system.tables WHERE database = '${database}' AND name = 'points' FORMAT TabSeparated`;
  const [[engine]] = await server.table(sql);
  const set = new Map(Array.from(engine.matchAll(/ (\w+) = (\w+)/g), ([, name, value]) => [name, value]));
  const missing = wanted.filter(([name]) => !set.has(name) || set.get(name) === formerSettings[name]);
  return missing.length === 0 ? [] : [`ALTER TABLE ${database}.points MODIFY SETTING ${assigned(missing)}`];
}

/**
 * Creates what is missing on all servers that answer, and checks what is there. Fails with `conflict` where the database is not
 * this store's, or the user may not create tables.
 */
export async function prepareSchema(cluster: Cluster, options: SchemaOptions): Promise<void> {
  const all = cluster.shards.flatMap((shard) => shard.servers.map((server) => ({ shard, server })));
  await Promise.all(all.map(({ shard, server }) => prepareServer(cluster, options, shard, server)));
}

async function prepareServer(
  cluster: Cluster,
  options: SchemaOptions,
  shard: Shard,
  server: Server,
): Promise<void> {
  try {
    const facts = await server.facts();
    requireRelease(server, facts);
    if ((await findTables(cluster, server, options)).isComplete)
      return await completeSettings(cluster, server, facts);
    for (const sql of schemaStatements(options, cluster.database, cluster.slots, facts))
      await server.command(sql);
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    if (isRefusal(error) && !error.message.includes('assword')) throw forbidden(server, error);
    // Another replica is enough to go on; this one is prepared when the next node starts.
    if (!error.isUnanswered || shard.servers.length === 1) throw shard.explain(error);
  }
}

/** Points can be kept without these settings: where the user may not change them, `check-stores` says what to run. */
async function completeSettings({ database }: Cluster, server: Server, facts: ServerFacts): Promise<void> {
  try {
    for (const sql of await settingStatements(server, database, facts)) await server.command(sql);
  } catch (error) {
    if (!(error instanceof ServerFailure) || !isRefusal(error)) throw error;
  }
}

/** Fails with `conflict` for a release that is too old. */
export function requireRelease({ origin }: Server, facts: ServerFacts): void {
  if (releaseOf(facts) >= oldestRelease) return;
  throw conflict(`${origin} runs ClickHouse ${facts.version}, the service needs ${oldestRelease} or newer`);
}

function forbidden({ origin }: Server, cause: ServerFailure): AppError {
  return conflict(
    `The user of ${origin} may not create the service's tables: grant it CREATE, or create them`,
    { detail: cause.message, cause },
  );
}

/** `26.7.2.1` → 26.07, `18.16.1` → 18.16. */
function releaseOf({ version }: ServerFacts): number {
  const [year = '0', month = '0'] = version.split('.');
  return Number(year) + Number(month) / 100;
}
