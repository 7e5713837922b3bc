/** Stores of points of tests in a cluster of ClickHouse: each in a database of its own, so that tests do not meet. */
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { ClickHouseOptions, ClickHouseTuning } from '#storage/clickhouse/store';
import { openClickHouse } from '#storage/clickhouse/store';
import type { PointChangesSince, TimeRange, WriteNumbers } from '#storage/coordination';
import type { SeriesStore } from '#storage/store';
import type { UnderTest } from '../contract/under-test.ts';
import {
  type Cluster,
  type ClusterShape,
  clusterName,
  clusterShapes,
  missingForCluster,
  startCluster,
} from './clickhouse-cluster.ts';
import { KeptLog, SeededRandom } from './world.ts';

/** Batches are gathered for a moment only: tests mostly wait for each. */
const quick: Partial<ClickHouseTuning> = { gatherMs: 1, deleteMsMax: 60_000 };

/** Numbers of writes from a counter, as if all stores that use it were nodes of one service. */
export class CountedWrites implements WriteNumbers {
  readonly mark = 7;
  silentMsMax = 15_000;
  #last = 0;
  readonly #open = new Map<number, TimeRange>();
  readonly #changes: { number: number; range: TimeRange }[] = [];

  async next(): Promise<number> {
    return ++this.#last;
  }

  async begin(range: TimeRange): Promise<number> {
    this.#open.set(++this.#last, range);
    this.#changes.push({ number: this.#last, range });
    return this.#last;
  }

  async hold(number: number): Promise<boolean> {
    return this.#open.has(number);
  }

  async end(number: number): Promise<void> {
    this.#open.delete(number);
  }

  async settled(): Promise<number> {
    return Math.min(this.#last, ...[...this.#open.keys()].map((number) => number - 1));
  }

  async deleted(range: TimeRange): Promise<void> {
    this.#changes.push({ number: ++this.#last, range });
  }

  async changes(since: string | null): Promise<PointChangesSince> {
    const changed = since === null ? null : this.#changes.slice(Number(since));
    return { place: `${this.#changes.length}`, changed, open: [...this.#open.values()] };
  }
}

/** What a store of tests is opened with. */
export function storeOptions(cluster: Cluster, tuning: Partial<ClickHouseTuning> = {}): ClickHouseOptions {
  const database = `test_${randomBytes(8).toString('hex')}`;
  return {
    urls: cluster.urls
      .split(',')
      .map((url) => `${url}/${database}`)
      .join(),
    cluster: clusterName,
    isReplicated: cluster.isReplicated,
    numbers: new CountedWrites(),
    random: new SeededRandom(randomBytes(4).readUInt32LE()),
    log: new KeptLog(),
    tuning: { ...quick, ...tuning },
  };
}

/** A store in a running cluster, for the suites of contracts. */
export function inCluster(clusterOf: () => Cluster): UnderTest<SeriesStore> {
  let options: ClickHouseOptions;
  let store: SeriesStore;
  const open = async () => {
    store = await openClickHouse(options);
    return store;
  };
  return {
    async open() {
      options = storeOptions(clusterOf());
      return open();
    },
    async reopen() {
      await store.close();
      return open();
    },
    close: () => store.close(),
  };
}

/** Declares tests for each kind of cluster, which is started for them; where one is not installed, a test says so. */
export function onEachCluster(declare: (shape: ClusterShape, clusterOf: () => Cluster) => void): void {
  for (const shape of clusterShapes) {
    describe(shape.name, () => {
      const missing = missingForCluster(shape);
      if (missing !== null) {
        it('is tested where it is installed', (t) => t.skip(missing));
        return;
      }
      let cluster: Cluster;
      before(async () => {
        cluster = await startCluster(shape);
      });
      after(() => cluster.close());
      declare(shape, () => cluster);
    });
  }
}
