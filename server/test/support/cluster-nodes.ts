/** Nodes of one service on a PostgreSQL and a ClickHouse of the test's own, in the test's process. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Service, startService } from '#main';
import type { Clock } from '#model/environment';
import { type Limits, limitDefaults } from '#model/limits';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { type Cluster, clusterName, missingForCluster, startCluster } from './clickhouse-cluster.ts';
import { basicAuthorization } from './http.ts';
import { nodesOn, shapeOf } from './node-stores.ts';
import { PostgresServer, postgresPrograms } from './postgres-server.ts';
import { KeptLog, testAct } from './world.ts';

/** The cluster that `TEST_NODES` names; default: ClickHouse as Debian has it, in two shards. */
export const nodeShape = shapeOf(nodesOn ?? '18.16');

/** Why such nodes cannot be started here; null when they can. */
export function missingForNodes(): string | null {
  if (postgresPrograms() === null) return 'postgresql is not installed on this machine';
  return missingForCluster(nodeShape);
}

/** One role needs a password. */
const passwordRule = 'host all locked 127.0.0.1/32 scram-sha-256';

/** An answer to a call. */
export interface NodeAnswer {
  status: number;
  headers: Headers;
  body: { result?: Record<string, never>; error?: { code: number; message: string } };
}

/** The two stores, and the nodes over them. */
export class ClusterNodes {
  readonly postgres: PostgresServer;
  readonly clickhouse: Cluster;
  readonly nodes: Service[] = [];

  private constructor(postgres: PostgresServer, clickhouse: Cluster) {
    this.postgres = postgres;
    this.clickhouse = clickhouse;
  }

  /** Starts the servers, and so many nodes. */
  static async start(
    count: number,
    options: Partial<Limits> & { threads?: number; clock?: (node: number) => Clock } = {},
  ): Promise<ClusterNodes> {
    await using starting = new AsyncDisposableStack();
    const postgres = await PostgresServer.start(postgresPrograms() ?? '', [], [passwordRule]);
    starting.defer(() => postgres.close());
    const clickhouse = await startCluster(nodeShape);
    starting.defer(() => clickhouse.close());
    const started = new ClusterNodes(postgres, clickhouse);
    starting.defer(() => started.stopNodes());
    const { threads = 1, clock = () => systemClock, ...limits } = options;
    for (let i = 0; i < count; i++) await started.startNode(threads, limits, clock(i));
    starting.move();
    return started;
  }

  /** Where both are. */
  get addresses() {
    const seriesUrl = this.clickhouse.urls
      .split(',')
      .map((url) => `${url}/tidemark`)
      .join();
    return {
      metaUrl: this.postgres.url(),
      seriesUrl,
      seriesCluster: clusterName,
      isReplicated: this.clickhouse.isReplicated,
    };
  }

  /** The same as environment variables of a command. */
  get environment(): Record<string, string> {
    const { metaUrl, seriesUrl, seriesCluster, isReplicated } = this.addresses;
    return {
      TIDEMARK_META_URL: metaUrl,
      TIDEMARK_SERIES_URL: seriesUrl,
      TIDEMARK_SERIES_CLUSTER: seriesCluster,
      ...(isReplicated ? { TIDEMARK_SERIES_REPLICATED: 'true' } : {}),
    };
  }

  /** Starts one more node. */
  async startNode(threads = 1, limits: Partial<Limits> = {}, clock: Clock = systemClock): Promise<Service> {
    const environment = {
      ...{ clock, stopwatch: systemStopwatch, random: systemRandom, log: new KeptLog() },
    };
    const options = {
      ...{ directory: '/nowhere', cluster: this.addresses, host: '127.0.0.1', port: 0, baseUrl: null },
      ...{ namespaces: ['service'], limits: { ...limitDefaults, ...limits }, version: '0', threads },
    };
    const node = await startService(options, environment);
    this.nodes.push(node);
    return node;
  }

  /** Ends all nodes; the servers stay. */
  async stopNodes(): Promise<void> {
    await Promise.all(this.nodes.splice(0).map((node) => node.close()));
  }

  /** Makes an integration on the first node, with its password, and waits until all nodes know it. */
  async newClient() {
    const { identity } = this.nodes[0].domain;
    const { id: integration } = await identity.createIntegration(testAct, 'Plant', ['admin', 'service']);
    const { credential, secret } = await identity.createCredential(testAct, integration, 'basic-auth', '');
    const authorization = basicAuthorization(integration, secret);
    const params = { integration, query: {} };
    for (let node = 0; node < this.nodes.length; )
      if ((await this.call(node, authorization, 'admin.selectSignals', params)).status === 200) node++;
      else await delay(50);
    return { integration, credential: credential.id, secret, authorization };
  }

  /** Calls a method of a node. */
  async call(node: number, authorization: string, method: string, params: object): Promise<NodeAnswer> {
    const response = await fetch(`${this.nodes[node].url}/v1/rpc`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        'x-api-version': '1.2',
        connection: 'close',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await response.text();
    const body = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, body };
  }

  /** The result of a call that must succeed. */
  async result(node: number, authorization: string, method: string, params: object) {
    const { status, body } = await this.call(node, authorization, method, params);
    assert.deepEqual([status, body.error], [200, undefined], JSON.stringify(body));
    return body.result;
  }

  /** Ends nodes and servers. */
  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
    await this.postgres.close();
    await this.clickhouse.close();
  }
}
