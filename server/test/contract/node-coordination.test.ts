/** Coordination between nodes: who is alive, who leads, and what counts on all of them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { NodeCoordination } from '#storage/postgres/node-coordination';
import { openPostgres } from '#storage/postgres/store';
import { soleCoordination } from '#threads/coordination';
import { NumberTables } from '#threads/number-table';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.ts';
import { FixedClock, KeptLog } from '../support/world.ts';
import { Things } from './coordination.ts';

const programs = postgresPrograms();
const options = programs === null ? { skip: 'postgresql is not installed on this machine' } : {};

/** Until a condition holds, up to a minute. */
async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1200 && !condition(); tries++) await delay(50);
  assert.ok(condition(), 'the condition did not come to hold');
}

/** A node whose stopwatch differs from those of the others. */
class TestNode {
  readonly coordination: NodeCoordination;
  isLeading = false;
  begun = 0;

  constructor(connect: { addresses: readonly string[]; schema: string }, id: string) {
    const clock = new FixedClock();
    clock.advance(id.length * 1000);
    this.coordination = new NodeCoordination({
      threads: soleCoordination(clock),
      tables: new NumberTables(),
      nodes: { ...connect, id, version: '0', stopwatch: clock, log: new KeptLog() },
    });
  }

  async start(): Promise<void> {
    await this.coordination.start();
    const begin = () => {
      this.isLeading = true;
      this.begun++;
    };
    this.coordination.lead(begin, () => {
      this.isLeading = false;
    });
  }
}

describe('coordination of nodes', options, () => {
  let server: PostgresServer;
  let nodes: TestNode[];
  let connect: { addresses: readonly string[]; schema: string };
  const leaders = () => nodes.filter(({ isLeading }) => isLeading);

  before(async () => {
    server = await PostgresServer.start(programs ?? '');
    const store = await openPostgres({ url: server.url(), log: new KeptLog(), limits: limitDefaults });
    connect = store.connect;
    nodes = ['a', 'bb', 'ccc'].map((id) => new TestNode(connect, id));
    await store.close();
    for (const node of nodes) await node.start();
  });
  after(async () => {
    for (const { coordination } of nodes) await coordination.close();
    await server.close();
  });

  it('presence: every node comes to know how many are alive', async () => {
    await until(() => nodes.every(({ coordination }) => coordination.nodeCount === 3));
  });

  it('L4d a rate is divided by the nodes that are alive', async () => {
    await until(() => nodes.every(({ coordination }) => coordination.nodeCount === 3));
    const rate = { perSecond: 1, burst: 30 };
    const taken = nodes.map(({ coordination }) => {
      const rates = coordination.rates('plan');
      return Array.from({ length: 30 }, () => rates.take('a', rate).waitS).filter((waitS) => waitS === 0)
        .length;
    });
    assert.deepEqual(taken, [10, 10, 10]);
  });

  it('L4e wrong secrets and attempts count on all nodes', async () => {
    const windows = nodes.map(({ coordination }) => coordination.windows('wrong secrets'));
    const attempts = nodes.map(({ coordination }) => coordination.attempts('name'));
    for (const window of windows) window.add('x');
    for (const one of attempts) one.note('x', 60_000);
    await until(() => windows.every((window) => window.look('x').count === 3));
    await until(() => attempts.every((one) => one.of('x', 60_000).count === 3));
    assert.ok(windows.every((window) => window.lastMs() > 0 && window.look('y').count === 0));
    attempts[1].forget('x');
    await until(() => attempts.every((one) => one.of('x', 60_000).count === 0));
  });

  it('A1 a change that one node tells of is known to all', async () => {
    const revisions = () => nodes.map(({ coordination }) => coordination.notices.revision('plans'));
    for (const revision of [7, 9]) nodes[1].coordination.tellChange('plans', revision);
    nodes[2].coordination.tellChange('plans', 8);
    await until(() => revisions()[0] === 9);
    assert.equal(nodes[0].coordination.notices.revision('identity'), 0);
  });

  it('a question reaches all nodes, and long answers arrive whole', async () => {
    const text = 'ü"\\\n🌊'.repeat(5000);
    for (const [i, { coordination }] of nodes.entries())
      coordination.members.answer('echo', (detail: string) => `${i} ${detail} ${text}`);
    for (const { coordination } of nodes) {
      const found = await coordination.nodes.ask<string>('echo', 'ä');
      assert.deepEqual(
        found.map(({ id, version, answers }) => [id, version, answers]),
        ['a', 'bb', 'ccc'].map((id, i) => [id, '0', [`${i} ä ${text}`]]),
      );
      assert.ok(found.every(({ silentMs, startedAtMs }) => silentMs < 15_000 && startedAtMs > 1e12));
    }
  });

  it('a node that does not answer in time is named, and the others are heard', async () => {
    const [first, second, third] = nodes.map(({ coordination }) => coordination);
    for (const { members } of [first, third]) members.answer('slow', () => 'here');
    second.members.answer('slow', () => new Promise(() => {}));
    const silent = new Set<string>();
    assert.deepEqual(await first.nodes.askAll('slow', undefined, silent), ['here', 'here']);
    assert.deepEqual([...silent], ['bb']);
  });

  it('M6 things are divided evenly, each has one node, and those of a node that ends are taken over', async () => {
    const things = new Things(16);
    const further = new TestNode(connect, 'dddd');
    await further.start();
    const all = [further, ...nodes];
    all[0].coordination.divide('sessions', 16, things.sharer(0));
    await until(() => things.counts(4)[0] === 16);
    for (const at of [1, 2, 3]) all[at].coordination.divide('sessions', 16, things.sharer(at));
    await until(() => things.counts(4).every((count) => count === 4));
    await further.coordination.close();
    const isTakenOver = ([ended, ...others]: number[]) => {
      return ended === 0 && others.reduce((sum, count) => sum + count) === 16 && Math.max(...others) === 6;
    };
    await until(() => isTakenOver(things.counts(4)));
    things.end();
  });

  it('exactly one node leads; another one takes over when it has lost PostgreSQL, or has ended', async () => {
    assert.equal(leaders().length, 1);
    const [first] = leaders();
    await server.run([
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()",
    ]);
    await until(() => !first.isLeading);
    await until(() => leaders().length === 1);
    const [second] = leaders();
    await second.coordination.close();
    assert.equal(second.isLeading, false);
    await until(() => leaders().length === 1);
    assert.notEqual(leaders()[0], second);
    const rest = nodes.filter((node) => node !== second);
    await until(() => rest.every(({ coordination }) => coordination.nodeCount === 2));
  });

  it('nodes find one another again after a restart of PostgreSQL', async () => {
    await server.kill();
    await until(() => leaders().length === 0);
    await server.resume();
    await until(() => leaders().length === 1);
  });
});
