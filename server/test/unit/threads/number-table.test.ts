/** Numbers that threads share: like a map in one thread, exact over several. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { NumberTable, NumberTables, type TableLayout } from '#threads/number-table';
import { Shares } from '#threads/shares';
import { SeededRandom } from '../../support/world.ts';

const layout: TableLayout = { records: 1024, fields: 2, evicts: false };

function newTable(of: TableLayout = layout): NumberTable {
  return new NumberTable(NumberTable.create(of, new SeededRandom()), of);
}

test('a table gives what was last written under a key, like a map', () => {
  const step = fc.record({
    key: fc.integer({ min: 0, max: 40 }).map((key) => `client ${key}`),
    amount: fc.integer({ min: -3, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const table = newTable();
      const expected = new Map<string, number>();
      for (const { key, amount } of steps) {
        const sum = (expected.get(key) ?? 0) + amount;
        if (sum === 0) expected.delete(key);
        else expected.set(key, sum);
        assert.equal(
          table.update(key, (numbers, at) => (numbers[at] += amount)),
          sum,
        );
      }
      assert.equal(table.count, expected.size);
      for (let key = 0; key <= 40; key++) {
        const known = table.peek(`client ${key}`, (numbers, at) => numbers[at]);
        assert.equal(known, expected.get(`client ${key}`) ?? null);
      }
    }),
  );
});

test('looking at an unknown key changes nothing, and a record of zeros is removed', () => {
  const table = newTable();
  assert.equal(
    table.peek('a', () => 1),
    null,
  );
  table.update('a', (numbers, at) => numbers.fill(7, at, at + 2));
  table.update('a', (numbers, at) => numbers.fill(0, at, at + 2));
  assert.equal(table.count, 0);
  table.update('a', (numbers, at) => assert.deepEqual([numbers[at], numbers[at + 1]], [0, 0]));
});

test('a change that throws leaves the table usable', () => {
  const table = newTable();
  assert.throws(() =>
    table.update('a', () => {
      throw new Error('no');
    }),
  );
  assert.equal(
    table.update('a', (numbers, at) => ++numbers[at]),
    1,
  );
});

test('without eviction a full table refuses new keys and keeps the old ones; half full it takes them all', () => {
  const table = newTable({ ...layout, records: 16 });
  const add = (key: number) => table.update(`${key}`, (numbers, at) => ++numbers[at]);
  const taken = Array.from({ length: 40 }, (_, key) => add(key)).filter((sum) => sum !== null).length;
  assert.equal(taken, 16);
  assert.equal(add(0), 2);
  const large = newTable();
  for (let key = 0; key < 512; key++) large.update(`${key}`, (numbers, at) => ++numbers[at]);
  assert.equal(large.count, 512);
});

test('threads that count at the same time lose nothing', async () => {
  const tables = new NumberTables();
  const shares = new Shares(tables, 'test');
  const module = (name: string) =>
    JSON.stringify(new URL(`../../../src/threads/${name}.ts`, import.meta.url));
  const code = `
    import { workerData } from 'node:worker_threads';
    const { NumberTables } = await import(${module('number-table')});
    const { Shares } = await import(${module('shares')});
    const shares = new Shares(new NumberTables(null, workerData), 'test');
    let taken = 0;
    for (let i = 0; i < 20_000; i++) {
      shares.add('all', 1);
      shares.add('client ' + (i % 7), 1);
      if (shares.take('few', 1, (own) => own < 1000)) taken++;
    }`;
  const workers = Array.from(
    { length: 4 },
    () =>
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: tables.buffers }),
  );
  const ends = await Promise.all(workers.map((worker) => once(worker, 'exit')));
  assert.deepEqual(ends.flat(), [0, 0, 0, 0]);
  assert.equal(shares.of('all'), 80_000);
  assert.equal(shares.of('few'), 1000);
  assert.equal(shares.total, 80_000 + 80_000 + 1000);
  assert.equal(shares.clientCount, 9);
});

test('a thread that waits is woken by another that gives back, also when that was just before', async () => {
  const tables = new NumberTables();
  const [mine, other] = [
    new Shares(tables, 'test'),
    new Shares(new NumberTables(null, tables.buffers), 'test'),
  ];
  let wakeCount = 0;
  mine.waitForOthers(() => wakeCount++);
  other.wakeOthers(false);
  for (let i = 0; i < 100 && wakeCount === 0; i++) await wait(10);
  assert.equal(wakeCount, 1);
  other.wakeOthers(false);
  await wait(20);
  assert.equal(wakeCount, 1, 'nobody waits any more');
});
