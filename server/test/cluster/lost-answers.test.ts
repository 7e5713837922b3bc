/** Connections to PostgreSQL that break between a commit and its answer: what counts is not counted twice, and nothing is done twice. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { record } from '#domain/audit/record';
import { Usage } from '#domain/usage/usage';
import { limitDefaults } from '#model/limits';
import { XidSource } from '#model/xid';
import { openPostgres, type PostgresStore } from '#storage/postgres/store';
import { soleCoordination } from '#threads/coordination';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.ts';
import { newId } from '../support/resources.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { FixedClock, KeptLog, SeededRandom, testAct } from '../support/world.ts';

const programs = postgresPrograms();
const options = programs === null ? { skip: 'postgresql is not installed on this machine' } : {};

describe('answers of PostgreSQL that are lost', options, () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let store: PostgresStore;
  const started = new AsyncDisposableStack();
  const clock = new FixedClock('2026-03-01T12:00:00Z');

  before(async () => {
    server = await PostgresServer.start(programs ?? '');
    started.defer(() => server.close());
    proxy = await TcpProxy.start(server.port);
    started.defer(() => proxy.close());
    const url = server.url().replace(`:${server.port}`, `:${new URL(proxy.url).port}`);
    store = await openPostgres({ url, log: new KeptLog(), limits: limitDefaults });
    started.defer(() => store.close());
  });
  after(() => started.disposeAsync());

  it('L4 usage whose commit is not answered is stored once', async () => {
    const log = new KeptLog();
    const ids = new XidSource(clock, new SeededRandom());
    const shared = { clock, log, ids, coordination: soleCoordination(clock), limits: limitDefaults };
    const usage = await Usage.open({ ...shared, meta: store.meta, flushMs: 3_600_000 });
    started.defer(() => usage.close());
    const mine = newId();
    for (let round = 1; round <= 20; round++) {
      usage.tally(mine).points += 5;
      const lost = proxy.loseAnswerTo('commit');
      await usage.flush();
      await lost;
      assert.equal(log.lines.length, round);
      usage.tally(mine).points += 2;
      await usage.flush();
      const [{ tally }] = await usage.list(mine, 1);
      assert.deepEqual([tally.points, usage.pointsToday(mine)], [7 * round, 7 * round]);
    }
  });

  it('L4a a change whose commit is not answered is an error, and is made once', async () => {
    const lost = proxy.loseAnswerTo('commit');
    const change = { action: 'test.run', target: 'x', change: {} };
    const written = store.meta.write((tx) => record(tx, testAct, clock, change));
    await assert.rejects(written, { kind: 'unavailable', isUncertain: true });
    await lost;
    const query = { isDescending: false, afterSeq: 0, actor: null, action: null, target: null, limit: 9 };
    assert.equal((await store.meta.audit.list(query)).length, 1);
  });

  it('N2 a number for a write whose answer is lost is an error, and the next write is waited for', async () => {
    const numbers = store.writeNumbers('node', 'secret');
    const range = { firstUs: 0, lastUs: 1 };
    const lost = proxy.loseAnswerTo("nextval('write_number')");
    await assert.rejects(numbers.begin(range), { kind: 'unavailable' });
    await lost;
    assert.equal(await numbers.settled(), 0);
    const next = await numbers.begin(range);
    assert.deepEqual([next, await numbers.settled()], [2, 1]);
    await numbers.end(next);
    assert.equal(await numbers.settled(), 2);
    await numbers.close();
  });
});
