/**
 * Two nodes, each a process, under load while a server or a node is killed, stands still, or is cut off: what was acknowledged is
 * there, no answer is short, every refusal says when to come back, and all goes on without anything being started again by hand.
 */
import { env } from 'node:process';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Serving, serve } from '../cli/process.ts';
import { ClusterNodes, missingForNodes, nodeShape } from '../support/cluster-nodes.ts';
import { NodeLoad } from '../support/node-load.ts';
import { type ProxyMode, TcpProxy } from '../support/tcp-proxy.ts';

/** How often each fault happens. */
const rounds = Number(env.NODE_FAULT_ROUNDS ?? 1);

/** How long a process stands still, ms. */
const stillMs = 3000;

const nodeCount = 2;

/** A node, and the network between it and the stores. */
class Node {
  readonly #environment: Record<string, string>;
  readonly meta: TcpProxy;
  readonly series: readonly TcpProxy[];
  #serving: Serving | null = null;
  #end: () => Promise<void> = async () => {};

  private constructor(environment: Record<string, string>, meta: TcpProxy, series: readonly TcpProxy[]) {
    this.#environment = environment;
    this.meta = meta;
    this.series = series;
  }

  /** A node whose process is not started yet. */
  static async over({ environment, postgres, clickhouse }: ClusterNodes): Promise<Node> {
    const ports = clickhouse.servers.map(({ url }) => Number(new URL(url).port));
    const meta = await TcpProxy.start(postgres.port);
    const series = await Promise.all(ports.map((port) => TcpProxy.start(port)));
    return new Node(environment, meta, series);
  }

  /** Where it is; while it is down, where it was. */
  url = '';

  /** Starts its process. */
  async serve(): Promise<void> {
    const { TIDEMARK_META_URL: url } = this.#environment;
    const settings = {
      ...this.#environment,
      TIDEMARK_META_URL: url.replace(/127\.0\.0\.1:\d+/, new URL(this.meta.url).host),
      TIDEMARK_SERIES_URL: this.series.map(({ url }) => `${url}/tidemark`).join(),
      TIDEMARK_THREADS: '1',
    };
    const ending = { after: (end: () => Promise<void>) => (this.#end = end) };
    this.#serving = await serve(ending, '/nowhere', [], { env: settings });
    this.url = this.#serving.url;
  }

  signal(name: NodeJS.Signals): void {
    this.#serving?.child.kill(name);
  }

  /** Kills its process, which may not listen yet. */
  async kill(): Promise<void> {
    await this.#end();
  }

  async close(): Promise<void> {
    await this.kill();
    await Promise.all([this.meta, ...this.series].map((proxy) => proxy.close()));
  }
}

const missing = missingForNodes();

describe(`nodes on PostgreSQL and ${nodeShape.name}`, missing === null ? {} : { skip: missing }, () => {
  const started = new AsyncDisposableStack();
  const nodes: Node[] = [];
  let cluster: ClusterNodes;

  before(async () => {
    cluster = await ClusterNodes.start(1);
    started.defer(() => cluster.close());
    for (let i = 0; i < nodeCount; i++) {
      const node = await Node.over(cluster);
      started.defer(() => node.close());
      nodes.push(node);
      await node.serve();
    }
  });
  after(() => started.disposeAsync());

  /** Does something to the nodes or stores while clients write and read, `rounds` times. */
  async function underLoad(disturb: (load: NodeLoad, round: number) => Promise<void>): Promise<void> {
    const client = await cluster.newClient();
    const load = new NodeLoad({ urls: () => nodes.map(({ url }) => url), ...client });
    await load.start();
    try {
      for (let round = 0; round < rounds; round++) {
        await load.goesOn();
        await disturb(load, round);
        await load.goesOn();
      }
    } finally {
      const points = await load.stop();
      console.log(`# ${points} points; ${JSON.stringify([...load.failures])}`);
    }
  }

  /** Every other element, by the round. */
  const one = <T>(all: readonly T[], round: number): T => all[round % all.length];

  it('R9 a shard or a replica that is killed', async () => {
    await underLoad(async (load, round) => {
      const server = one(cluster.clickhouse.servers, round);
      await server.kill();
      await load.fails();
      await server.start();
    });
  });

  it('R9 a shard or a replica that stands still', async () => {
    await underLoad(async (load, round) => {
      const server = one(cluster.clickhouse.servers, round);
      server.signal('SIGSTOP');
      try {
        await load.fails();
      } finally {
        server.signal('SIGCONT');
      }
    });
  });

  it('R9 PostgreSQL that is killed', async () => {
    await underLoad(async (load) => {
      await cluster.postgres.kill();
      await load.fails();
      await cluster.postgres.resume();
    });
  });

  it('R9 PostgreSQL that stands still', async () => {
    await underLoad(async () => {
      await cluster.postgres.signal('SIGSTOP');
      try {
        await wait(stillMs);
      } finally {
        await cluster.postgres.signal('SIGCONT');
      }
    });
  });

  it('R9 a node that is killed', async () => {
    await underLoad(async (load, round) => {
      const node = one(nodes, round);
      await node.kill();
      await load.fails();
      await node.serve();
    });
  });

  it('R9 a node that stands still', async () => {
    await underLoad(async (_, round) => {
      const node = one(nodes, round);
      node.signal('SIGSTOP');
      try {
        await wait(stillMs);
      } finally {
        node.signal('SIGCONT');
      }
    });
  });

  for (const store of ['meta', 'series'] as const) {
    const name = store === 'meta' ? 'PostgreSQL' : 'ClickHouse';
    for (const mode of ['cut', 'silent'] satisfies ProxyMode[]) {
      it(`R9 a network between a node and ${name} that is ${mode}`, async () => {
        await underLoad(async (load, round) => {
          const node = one(nodes, round);
          const proxies = store === 'meta' ? [node.meta] : node.series;
          for (const proxy of proxies) proxy.set(mode);
          await load.fails();
          for (const proxy of proxies) proxy.set('open');
        });
      });
    }
  }
});
