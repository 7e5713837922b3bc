/**
 * The stores on which the tests of the whole service run where the environment says so: `TEST_NODES` names a cluster of
 * ClickHouse (`26.7`, `18.16` or `replicated`), and each service of a test is then two nodes over it and a PostgreSQL, behind a
 * proxy that gives each call to the next node. Without it a service keeps everything in memory.
 */
import { randomBytes } from 'node:crypto';
import { newSetupCode } from '#domain/people/sign-ins';
import type { Environment } from '#model/environment';
import type { Limits } from '#model/limits';
import { type ClusterAddresses, type ClusterStore, openCluster } from '#open-cluster';
import type { Coordination } from '#storage/coordination';
import { threadCoordination } from '#threads/coordination';
import { FirstMember } from '#threads/members';
import { NumberTables } from '#threads/number-table';
import {
  type Cluster,
  type ClusterShape,
  clusterName,
  clusterShapes,
  missingForCluster,
  startCluster,
} from './clickhouse-cluster.ts';
import { PostgresServer, postgresPrograms } from './postgres-server.ts';

const names = ['26.7', '18.16', 'replicated'];

/** The kind of cluster that the environment wants; null: services of tests are alone, in memory. */
export const nodesOn: string | null = process.env.TEST_NODES || null;

/** The cluster of a name of `TEST_NODES`. */
export function shapeOf(name: string): ClusterShape {
  const shape = clusterShapes[names.indexOf(name)];
  if (shape === undefined) throw new Error(`TEST_NODES must be one of ${names.join(', ')}`);
  return shape;
}

/** One node's stores, and what it has in common with the others. */
export interface NodeStore extends ClusterStore {
  coordination: Coordination;
  /** The same on all nodes. */
  setupCode: string;
}

interface Servers {
  postgres: PostgresServer;
  clickhouse: Cluster;
}

let servers: Promise<Servers> | null = null;

/** What is open, also of services that could not be started: it ends before the servers. */
const stores = new Set<ClusterStore>();

/** The servers of this process, which are started when they are first wanted. */
async function startServers(): Promise<Servers> {
  const shape = shapeOf(nodesOn ?? '');
  const programs = postgresPrograms();
  const missing = programs === null ? 'postgresql is not installed' : missingForCluster(shape);
  if (missing !== null) throw new Error(missing);
  const [postgres, clickhouse] = await Promise.all([
    PostgresServer.start(programs ?? '', ['max_connections=600']),
    startCluster(shape),
  ]);
  return { postgres, clickhouse };
}

/** New empty databases on the servers of this process. */
export async function newDatabases(): Promise<ClusterAddresses> {
  servers ??= startServers();
  const { postgres, clickhouse } = await servers;
  const database = `test_${randomBytes(8).toString('hex')}`;
  await postgres.run([`create database ${database}`]);
  const seriesUrl = clickhouse.urls
    .split(',')
    .map((url) => `${url}/${database}`)
    .join();
  const metaUrl = postgres.url(database);
  return { metaUrl, seriesUrl, seriesCluster: clusterName, isReplicated: clickhouse.isReplicated };
}

/** Opens them as a node does. */
export async function openNodeStore(
  addresses: ClusterAddresses,
  limits: Limits,
  environment: Pick<Environment, 'log' | 'random' | 'stopwatch'>,
): Promise<NodeStore> {
  const tables = new NumberTables();
  const store = await openCluster({ addresses, limits, tables }, environment);
  stores.add(store);
  const { stopwatch } = environment;
  const threads = threadCoordination({ tables, members: new FirstMember(), stopwatch });
  const setupCode = await store.shareSecret('set-up code', newSetupCode(environment.random));
  return { ...store, setupCode, coordination: await store.coordinate(threads) };
}

/** IDs, and the hashes that are made of them; statistics and states follow an ID. */
const ids = /(?<![0-9a-z])(?:[0-9a-v]{20}|[0-9a-f]{40})(?![0-9a-z])/g;

/**
 * An answer as it is compared with what is expected: where there are several nodes, which IDs are given depends on which of them
 * makes what, and only their order of appearance is compared.
 */
export function withoutIds<T>(answer: T): T {
  if (nodesOn === null || answer === undefined) return answer;
  const places = new Map<string, number>();
  const text = JSON.stringify(answer).replace(ids, (id) => {
    const place = places.get(id) ?? places.size;
    places.set(id, place);
    return `ID ${place}`;
  });
  return JSON.parse(text);
}

/** Ends the servers of this process. */
export async function closeServers(): Promise<void> {
  if (servers === null) return;
  const { postgres, clickhouse } = await servers;
  servers = null;
  await Promise.all([...stores].map((store) => store.close()));
  await postgres.close();
  await clickhouse.close();
}
