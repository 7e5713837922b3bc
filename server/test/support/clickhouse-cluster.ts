/** The three clusters of ClickHouse on which the store of points is tested, each of real servers on this machine. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClickHouseServer, type ClickHouseVersion, missingClickHouse } from './clickhouse-server.ts';
import { startZooKeeper, type ZooKeeper, zookeeperArchive } from './clickhouse-zookeeper.ts';
import { freePorts } from './server-process.ts';

/** The name of every cluster, as in `system.clusters`. */
export const clusterName = 'points';

/** A shape of a cluster. */
export interface ClusterShape {
  name: string;
  version: ClickHouseVersion;
  shardCount: number;
  replicaCount: number;
}

/** All shapes. */
export const clusterShapes: readonly ClusterShape[] = [
  { name: 'ClickHouse 26.7, two shards', version: '26.7', shardCount: 2, replicaCount: 1 },
  { name: 'ClickHouse 18.16, two shards', version: '18.16', shardCount: 2, replicaCount: 1 },
  { name: 'ClickHouse 18.16, two replicas', version: '18.16', shardCount: 1, replicaCount: 2 },
];

/** A running cluster. */
export interface Cluster {
  /** Shard after shard, the replicas of each behind one another. */
  servers: readonly ClickHouseServer[];
  /** Their addresses, separated by commas. */
  urls: string;
  isReplicated: boolean;
  close(): Promise<void>;
}

/**
 * Why a cluster of this shape cannot be started here; null when it can. With `MACHINE_TOOLS=required` in the environment, as
 * in .ci/run, it fails instead.
 */
export function missingForCluster({ version, replicaCount }: ClusterShape): string | null {
  const isWithoutZooKeeper = replicaCount > 1 && !existsSync(zookeeperArchive);
  const reason = isWithoutZooKeeper
    ? 'ZooKeeper is not installed on this machine'
    : missingClickHouse(version);
  if (reason !== null) assert.notEqual(process.env.MACHINE_TOOLS, 'required', reason);
  return reason;
}

/** Starts a cluster with empty servers. */
export async function startCluster(shape: ClusterShape): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-clickhouse-'));
  const isReplicated = shape.replicaCount > 1;
  const zookeeper = isReplicated ? await startZooKeeper(join(directory, 'zookeeper')) : null;
  const servers = await newServers(shape, directory, zookeeper);
  const close = async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await zookeeper?.process.kill();
    await rm(directory, { recursive: true });
  };
  try {
    await Promise.all(servers.map((server) => server.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return { servers, urls: servers.map(({ url }) => url).join(), isReplicated, close };
}

async function newServers(
  { version, shardCount, replicaCount }: ClusterShape,
  directory: string,
  zookeeper: ZooKeeper | null,
): Promise<ClickHouseServer[]> {
  const count = shardCount * replicaCount;
  const ports = await freePorts(3 * count);
  const all = Array.from({ length: count }, (_, i) => ({
    ...{ tcp: ports[3 * i], http: ports[3 * i + 1], interserver: ports[3 * i + 2] },
  }));
  const replica = (i: number) => `<replica><host>127.0.0.1</host><port>${all[i].tcp}</port></replica>`;
  const shards = Array.from({ length: shardCount }, (_, shard) => {
    const replicas = Array.from({ length: replicaCount }, (_, i) => replica(shard * replicaCount + i));
    return `<shard><internal_replication>true</internal_replication>${replicas.join('')}</shard>`;
  });
  const common = `<remote_servers><${clusterName}>${shards.join('')}</${clusterName}></remote_servers>`;
  return all.map((own, i) => {
    const macros = `<macros><shard>${Math.floor(i / replicaCount)}</shard><replica>${i}</replica></macros>`;
    const cluster = zookeeper === null ? common : `${common}${zookeeperXml(zookeeper)}${macros}`;
    return new ClickHouseServer({
      ...{ version, directory: join(directory, `server-${i}`), ports: own, cluster },
    });
  });
}

/**
 * As docs/scale-out.md says: a server that stood still for longer than its session notices after five seconds, and statements that
 * wait for the session meanwhile give up after three.
 */
function zookeeperXml({ port }: ZooKeeper): string {
  const node = `<node index="1"><host>127.0.0.1</host><port>${port}</port></node>`;
  const times =
    '<session_timeout_ms>10000</session_timeout_ms><operation_timeout_ms>3000</operation_timeout_ms>';
  const session = '<zookeeper_session_expiration_check_period>5</zookeeper_session_expiration_check_period>';
  return `<zookeeper>${node}${times}</zookeeper><merge_tree>${session}</merge_tree>`;
}
