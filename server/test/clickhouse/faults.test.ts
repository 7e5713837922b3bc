/**
 * Servers of ClickHouse that end, stand still or cannot be reached while points are written and read: nothing that was
 * acknowledged is lost, no answer is short, and everything goes on without the store being opened again.
 */
import assert from 'node:assert/strict';
import { env } from 'node:process';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '#model/error';
import { openClickHouse } from '#storage/clickhouse/store';
import type { SeriesStore } from '#storage/store';
import type { Cluster } from '../support/clickhouse-cluster.ts';
import { onEachCluster, storeOptions } from '../support/clickhouse-store.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

/** How often each fault happens. */
const rounds = Number(env.CLICKHOUSE_ROUNDS ?? 1);

/** Odd and even numbers: on two shards some are on each. */
const signals = [1, 2, 3, 4, 5, 6, 7, 8];

/** How long something may take that does not happen at once: replicas notice a lost session after ten seconds. */
const waitMsMax = 120_000;

const everything = { startUs: 0, endUs: 2 ** 50 };

/** Writes and reads until it is told to stop. Errors other than `unavailable` end the test. */
class Load {
  readonly #store: SeriesStore;
  readonly #acknowledged: number[] = [];
  #nextUs = 0;
  #isStopped = false;
  #failureCount = 0;

  constructor(store: SeriesStore) {
    this.#store = store;
  }

  /** Runs until {@link stop}. */
  async run(): Promise<void> {
    await Promise.all([this.#write(), this.#write(), this.#read()]);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Waits until something that was written after now is acknowledged. */
  async goesOn(): Promise<void> {
    const count = this.#acknowledged.length + 4;
    for (const deadlineMs = performance.now() + waitMsMax; this.#acknowledged.length < count; await wait(10))
      assert.ok(performance.now() < deadlineMs, 'nothing is written any more');
  }

  /** Waits until a write or read has failed after now. */
  async fails(): Promise<void> {
    const count = this.#failureCount;
    for (const deadlineMs = performance.now() + waitMsMax; this.#failureCount === count; await wait(10))
      assert.ok(performance.now() < deadlineMs, 'nothing has failed');
  }

  /** Reads everything that was acknowledged; true when it was answered. */
  async check(): Promise<boolean> {
    const expected = [...this.#acknowledged];
    const sources = signals.map((one) => ({
      signals: [one],
      window: everything,
      before: false,
      after: false,
    }));
    const found = await this.#tried(() => this.#store.scan({ sources }));
    if (found === null) return false;
    for (const { timesUs, values } of found) {
      const stored = new Map(Array.from(timesUs, (timeUs, i) => [timeUs, values[i]]));
      assert.deepEqual(
        expected.filter((timeUs) => stored.get(timeUs) !== timeUs),
        [],
      );
    }
    return true;
  }

  async #write(): Promise<void> {
    while (!this.#isStopped) {
      const timeUs = ++this.#nextUs;
      const values = new Float64Array(signals.length).fill(timeUs);
      const batch = { timesUs: Float64Array.of(timeUs), signals, values };
      while ((await this.#tried(async () => this.#store.append(batch).then(() => true))) === null) {
        if (this.#isStopped) return;
      }
      this.#acknowledged.push(timeUs);
    }
  }

  /** What the store remembers is answered without waiting for anything, so the event loop gets its turn between reads. */
  async #read(): Promise<void> {
    for (; !this.#isStopped; await wait(1)) await this.check();
  }

  /** Null where it failed in the way that clients are told of. */
  async #tried<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      assert.ok(error instanceof AppError && error.kind === 'unavailable', `${error}`);
      this.#failureCount++;
      await wait(20);
      return null;
    }
  }
}

/** Puts a store under load, does something to it, and checks that all that was acknowledged is there at the end. */
async function underLoad(
  cluster: Cluster,
  urls: readonly string[],
  disturb: (load: Load) => Promise<void>,
): Promise<void> {
  const options = storeOptions(cluster, { pingMs: 1000, insertMsMax: 10_000 });
  const database = options.urls.slice(options.urls.lastIndexOf('/'));
  const store = await openClickHouse({ ...options, urls: urls.map((url) => url + database).join() });
  const load = new Load(store);
  const running = load.run();
  try {
    await load.goesOn();
    await disturb(load);
    await load.goesOn();
  } finally {
    load.stop();
    await running;
    const deadlineMs = performance.now() + waitMsMax;
    while (!(await load.check())) assert.ok(performance.now() < deadlineMs, 'no read is answered any more');
    await store.close();
  }
}

onEachCluster(({ name, shardCount }, clusterOf) => {
  const urlsOf = () => clusterOf().servers.map(({ url }) => url);

  if (shardCount > 1)
    it(`R9 ${name}: while a shard is down, writes to the other one are acknowledged, in the same group too`, async () => {
      const store = await openClickHouse(storeOptions(clusterOf(), { pingMs: 1000 }));
      const [, second] = clusterOf().servers;
      await second.kill();
      const one = (signal: number) =>
        store.append({
          timesUs: Float64Array.of(signal),
          signals: [signal],
          values: Float64Array.of(signal),
        });
      const results = await Promise.allSettled([2, 1, 4, 3, 6].map(one));
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual((await store.partProblems())[0], null);
      assert.match(String((await store.partProblems())[1]), /^Shard 2 of the store of points/);
      await second.start();
      await store.close();
    });

  it(`R9 ${name}: a server that is killed under load loses nothing that was acknowledged`, async () => {
    await underLoad(clusterOf(), urlsOf(), async (load) => {
      for (let round = 0; round < rounds; round++) {
        const server = clusterOf().servers[round % clusterOf().servers.length];
        await server.kill();
        await load.fails();
        await server.start();
        await load.goesOn();
      }
    });
  });

  it(`R9 ${name}: a server that stands still is noticed, and goes on where it was`, async () => {
    await underLoad(clusterOf(), urlsOf(), async (load) => {
      for (let round = 0; round < rounds; round++) {
        const server = clusterOf().servers[(round + 1) % clusterOf().servers.length];
        server.signal('SIGSTOP');
        try {
          await load.fails();
        } finally {
          server.signal('SIGCONT');
        }
        await load.goesOn();
      }
    });
  });

  it(`R9 ${name}: a network that is cut or silent is noticed, and used again`, async () => {
    const ports = urlsOf().map((url) => Number(new URL(url).port));
    const proxies = await Promise.all(ports.map((port) => TcpProxy.start(port)));
    try {
      const urls = proxies.map(({ url }) => url);
      await underLoad(clusterOf(), urls, async (load) => {
        for (let round = 0; round < rounds; round++) {
          for (const mode of ['cut', 'silent'] as const) {
            for (const proxy of proxies) proxy.set(mode);
            await load.fails();
            for (const proxy of proxies) proxy.set('open');
            await load.goesOn();
          }
        }
      });
    } finally {
      await Promise.all(proxies.map((proxy) => proxy.close()));
    }
  });
});
