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

/** What is broken, and how that is mended. */
interface Fault {
  begin(round: number): unknown;
  end(round: number): unknown;
  /** How long it lasts where nothing needs to fail; default: until something has failed. */
  lastsMs?: number;
}

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

  /** What becomes of the connections between it and a store. */
  setNetwork(store: 'meta' | 'series', mode: ProxyMode): void {
    for (const proxy of store === 'meta' ? [this.meta] : this.series) proxy.set(mode);
  }

  signal(name: NodeJS.Signals): void {
    this.#serving?.child.kill(name);
  }

  /** Ends its process as an operator does. */
  async stop(): Promise<void> {
    await this.#serving?.stop();
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

  /** Breaks something while clients write and read, and mends it when they have noticed, or after `lastsMs`; `rounds` times. */
  async function underLoad({ begin, end, lastsMs }: Fault): Promise<void> {
    const client = await cluster.newClient();
    const load = new NodeLoad({ urls: () => nodes.map(({ url }) => url), ...client });
    await load.start();
    try {
      for (let round = 0; round < rounds; round++) {
        await load.goesOn();
        await begin(round);
        await (lastsMs === undefined ? load.fails() : wait(lastsMs)).finally(() => end(round));
        await load.goesOn();
      }
    } finally {
      const points = await load.stop();
      console.log(`# ${points} points; ${JSON.stringify([...load.failures])}`);
    }
  }

  /** Every other element, by the round. */
  const one = <T>(all: readonly T[], round: number): T => all[round % all.length];

  it('R9 a shard or a replica that is killed', () =>
    underLoad({
      begin: (round) => one(cluster.clickhouse.servers, round).kill(),
      end: (round) => one(cluster.clickhouse.servers, round).start(),
    }));

  it('R9 a shard or a replica that stands still', () =>
    underLoad({
      begin: (round) => one(cluster.clickhouse.servers, round).signal('SIGSTOP'),
      end: (round) => one(cluster.clickhouse.servers, round).signal('SIGCONT'),
    }));

  it('R9 PostgreSQL that is killed', () =>
    underLoad({ begin: () => cluster.postgres.kill(), end: () => cluster.postgres.resume() }));

  it('R9 PostgreSQL that stands still', () =>
    underLoad({
      begin: () => cluster.postgres.signal('SIGSTOP'),
      end: () => cluster.postgres.signal('SIGCONT'),
      lastsMs: stillMs,
    }));

  it('R9 a node that is killed', () =>
    underLoad({
      begin: (round) => one(nodes, round).kill(),
      end: (round) => one(nodes, round).serve(),
    }));

  it('R9 a node that is replaced', () =>
    underLoad({
      begin: (round) => one(nodes, round).stop(),
      end: (round) => one(nodes, round).serve(),
    }));

  it('R9 a node that stands still', () =>
    underLoad({
      begin: (round) => one(nodes, round).signal('SIGSTOP'),
      end: (round) => one(nodes, round).signal('SIGCONT'),
      lastsMs: stillMs,
    }));

  for (const store of ['meta', 'series'] as const) {
    const name = store === 'meta' ? 'PostgreSQL' : 'ClickHouse';
    for (const mode of ['cut', 'silent'] satisfies ProxyMode[])
      it(`R9 a network between a node and ${name} that is ${mode}`, () =>
        underLoad({
          begin: (round) => one(nodes, round).setNetwork(store, mode),
          end: (round) => one(nodes, round).setNetwork(store, 'open'),
        }));
  }
});
