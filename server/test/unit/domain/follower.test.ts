/** Copies that follow the store: loads one at a time, retries after failures, nothing after closing. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Follower } from '#domain/follower';
import type { MetaTopic } from '#storage/meta-store';
import { KeptLog } from '../../support/world.ts';

/** A store with subscribers, and how its copy was loaded. */
class Store {
  readonly listeners = new Set<(topic: MetaTopic) => void>();
  stored = 1;

  subscribe(listener: (topic: MetaTopic) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  revision(): number {
    return this.stored;
  }

  async refresh(): Promise<void> {}

  change(topic: MetaTopic): void {
    this.stored++;
    for (const listener of this.listeners) listener(topic);
  }
}

class Copy extends Follower {
  readonly #store: Store;
  copied = 0;
  loads = 0;
  loading = 0;
  failures = 0;

  constructor(store: Store, log = new KeptLog()) {
    super({ meta: store, topics: ['plans'], warning: 'no copy', log });
    this.#store = store;
  }

  protected override async load(): Promise<void> {
    this.loads++;
    assert.equal(++this.loading, 1, 'one load at a time');
    const { stored } = this.#store;
    await wait(1);
    this.loading--;
    if (this.failures-- > 0) throw new Error('no answer');
    this.copied = stored;
  }
}

/** Waits until a condition holds, for at most 10 s. */
async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !holds(); i++) await wait(10);
  assert.ok(holds());
}

it('a reload has what was stored before it; calls during a load share the next one', async () => {
  const store = new Store();
  const copy = new Copy(store);
  const first = copy.reload();
  await wait(0);
  store.stored = 2;
  await Promise.all([copy.reload(), copy.reload(), first]);
  assert.equal(copy.copied, 2);
  assert.ok(copy.loads <= 2);
  await copy.close();
});

it('the copy follows its topics only', async () => {
  const store = new Store();
  const copy = new Copy(store);
  store.change('signals');
  await wait(0);
  assert.equal(copy.loads, 0);
  store.change('plans');
  await until(() => copy.copied === 3);
  await copy.close();
  store.change('plans');
  await wait(0);
  assert.equal(copy.loads, 1);
});

it('a failed load is logged and tried again', async () => {
  const store = new Store();
  const log = new KeptLog();
  const copy = new Copy(store, log);
  copy.failures = 1;
  store.change('plans');
  await until(() => copy.copied === 2);
  assert.deepEqual(
    log.lines.map(({ message }) => message),
    ['no copy'],
  );
  await copy.close();
});

it('catching up loads what another thread has changed, and does nothing when the copy has everything', async () => {
  const store = new Store();
  const copy = new Copy(store);
  await copy.catchUp();
  assert.equal(copy.catchUp(), null);
  store.stored = 2;
  await copy.catchUp();
  assert.deepEqual([copy.copied, copy.loads, copy.catchUp()], [2, 2, null]);
  await copy.close();
});
