/** Checks whether the points can be kept in a ClickHouse: its servers by shard, their clocks, and which tables are missing. */
import type { Clock } from '#model/environment';
import { clockFinding, type StoreFinding } from '#model/store-finding';
import { Cluster, type Shard } from './cluster.ts';
import { type FoundTables, findTables } from './found-tables.ts';
import { type ClickHouseOptions, tuningDefaults } from './options.ts';
import { rightsFindings } from './rights.ts';
import { requireRelease, schemaStatements, settingStatements } from './schema.ts';
import type { Server, ServerFacts } from './server.ts';

/** What a check needs to know. */
export type CheckOptions = Omit<ClickHouseOptions, 'numbers'>;

/** Checks every server that the addresses and the cluster name. Does not change anything. */
export async function checkClickHouse(options: CheckOptions, clock: Clock): Promise<StoreFinding[]> {
  const cluster = await openCluster(options);
  if (typeof cluster === 'string') return [{ place: 'ClickHouse', kind: 'problem', text: cluster, sql: [] }];
  try {
    const findings = cluster.shards.map((shard) => checkShard(cluster, shard, options, clock));
    return (await Promise.all(findings)).flat();
  } finally {
    await cluster.close();
  }
}

/** The statements that make the tables, by server. Fails as opening the store does. */
export async function clickHouseScript(options: CheckOptions): Promise<{ place: string; sql: string[] }[]> {
  const cluster = await Cluster.open(withoutNumbers(options), tuningDefaults);
  try {
    const servers = cluster.shards.flatMap((shard) => shard.servers);
    return await Promise.all(
      servers.map(async (server) => ({
        place: server.origin,
        sql: schemaStatements(options, cluster.database, cluster.slots, await server.facts()),
      })),
    );
  } finally {
    await cluster.close();
  }
}

async function openCluster(options: CheckOptions): Promise<Cluster | string> {
  try {
    return await Cluster.open(withoutNumbers(options), tuningDefaults);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Nothing is written. */
function withoutNumbers(options: CheckOptions): ClickHouseOptions {
  const none = () => Promise.reject(new Error('BUG: a check writes nothing'));
  const promises = {
    next: none,
    begin: none,
    hold: none,
    end: none,
    settled: none,
    deleted: none,
    changes: none,
  };
  return { ...options, numbers: { mark: 1, silentMsMax: 1, ...promises } };
}

async function checkShard(
  cluster: Cluster,
  shard: Shard,
  options: CheckOptions,
  clock: Clock,
): Promise<StoreFinding[]> {
  const findings = await Promise.all(
    shard.servers.map((server) => checkServer(cluster, shard, server, options, clock)),
  );
  const missing = shard.replicaCount - shard.servers.length;
  if (missing <= 0) return findings.flat();
  const place = `ClickHouse, shard ${shard.number}`;
  const text = `${missing} of its ${shard.replicaCount} replicas ${missing === 1 ? 'has' : 'have'} no address: reads do not use them`;
  return [...findings.flat(), { place, kind: 'note', text, sql: [] }];
}

async function checkServer(
  cluster: Cluster,
  shard: Shard,
  server: Server,
  options: CheckOptions,
  clock: Clock,
): Promise<StoreFinding[]> {
  const place = `ClickHouse ${server.origin}, shard ${shard.number}`;
  try {
    const facts = await server.facts();
    requireRelease(server, facts);
    const tables = await findTables(cluster, server, options);
    const lacking = tables.isComplete ? await settingStatements(server, cluster.database, facts) : [];
    const rights = await rightsFindings(server, cluster.database, tables);
    const [[seconds]] = await server.table('SELECT toUnixTimestamp(now()) FORMAT TabSeparated');
    return [
      { place, kind: 'good', text: `version ${facts.version}, database ${cluster.database}`, sql: [] },
      {
        place,
        ...(lacking.length > 0 ? settingsFinding(lacking) : tablesFinding(tables, cluster, options, facts)),
      },
      ...rights.map((finding) => ({ place, ...finding })),
      clockFinding(place, Number(seconds) * 1000 + 500, clock.nowUs() / 1000),
    ];
  } catch (error) {
    return [
      { place, kind: 'problem', text: error instanceof Error ? error.message : String(error), sql: [] },
    ];
  }
}

function settingsFinding(sql: string[]): Omit<StoreFinding, 'place'> {
  const text =
    'the tables are there, without settings of this release: the next node that starts sets them, if its user may';
  return { kind: 'note', text, sql };
}

function tablesFinding(
  { names, isComplete }: FoundTables,
  { database, slots }: Cluster,
  options: CheckOptions,
  facts: ServerFacts,
): Omit<StoreFinding, 'place'> {
  if (isComplete) return { kind: 'good', text: 'the tables are there', sql: [] };
  const text = names.has('layout')
    ? 'the tables are half made: the first node that starts completes them, if its user may'
    : 'there are no tables yet: the first node that starts makes them, if its user may';
  return { kind: 'note', text, sql: schemaStatements(options, database, slots, facts) };
}
