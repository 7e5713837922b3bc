/** Several nodes on one PostgreSQL: no write is lost, each hears of the others' changes, and all survive a restart of the server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { record } from '#domain/audit/record';
import { AppError } from '#model/error';
import type { Filter } from '#model/filter';
import { limitDefaults } from '#model/limits';
import { openPostgres, type PostgresStore } from '#storage/postgres/store';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.ts';
import { attributes, integration, newId, signal } from '../support/resources.ts';
import { FixedClock, KeptLog, testAct } from '../support/world.ts';

const programs = postgresPrograms();
/** Of a deletion of all points of a signal. */
const anyTimes = { firstUs: Number.NEGATIVE_INFINITY, lastUs: Number.POSITIVE_INFINITY };

const options = programs === null ? { skip: 'postgresql is not installed on this machine' } : {};

describe('nodes on one PostgreSQL', options, () => {
  let server: PostgresServer;
  const nodes: PostgresStore[] = [];
  const open = (url: string, schema?: string) =>
    openPostgres({ url, log: new KeptLog(), limits: limitDefaults, schema });

  before(async () => {
    server = await PostgresServer.start(programs ?? '', [], ['host all locked 127.0.0.1/32 scram-sha-256']);
    nodes.push(...(await Promise.all([open(server.url()), open(server.url())])));
  });
  after(async () => {
    for (const node of nodes) await node.close();
    await server.close();
  });

  it('A1 a change of another node is heard of, and known by its revision', async () => {
    const [here, there] = nodes.map(({ meta }) => meta);
    const heard = new Promise<void>((resolve) => {
      here.subscribe((topic) => topic === 'identity' && resolve());
    });
    const mine = integration({ id: newId() });
    await there.write((tx) => tx.integrations.insert(mine));
    await heard;
    assert.equal(here.revision('identity'), there.revision('identity'));
    assert.ok((await here.integrations.all()).some(({ id }) => id === mine.id));
  });

  it('A1 after a refresh all that another node has committed is known', async () => {
    const [here, there] = nodes.map(({ meta }) => meta);
    for (let i = 0; i < 20; i++) {
      await there.write((tx) => tx.integrations.insert(integration({ id: newId() })));
      await Promise.all([here.refresh(), here.refresh()]);
      assert.equal(here.revision('identity'), there.revision('identity'));
    }
  });

  it('R14 a page that a node has kept shows what another one has changed since, as do records by ID', async () => {
    const [here, there] = nodes.map(({ meta }) => meta);
    const mine = newId();
    const label = (value: string) => new Map([['place', [value]]]);
    const filter: Filter = { op: 'eq', path: { field: 'labels', key: 'place' }, value: 'north' };
    const query = { filter, sort: [], limit: 10, skip: 0, total: false };
    const north = signal(mine, 'moved', { attributes: attributes({ labels: label('north') }) });
    await here.write((tx) => tx.signals.insert([north]));
    for (let i = 0; i < 3; i++) {
      const { records } = await here.signals.select(query, mine);
      const [found] = await here.signals.byId([north.id]);
      assert.deepEqual([records.map(({ id }) => id), found.id], [[north.id], north.id]);
    }
    for (let i = 0; i < 20; i++) {
      const value = i % 2 === 0 ? 'south' : 'north';
      const [stored] = await there.signals.byId([north.id]);
      const moved = { ...stored, attributes: { ...stored.attributes, labels: label(value) } };
      await there.write((tx) => tx.signals.update([moved]));
      const [{ records }, [found]] = await Promise.all([
        here.signals.select(query, mine),
        here.signals.byId([north.id]),
      ]);
      assert.equal(records.length, i % 2);
      assert.deepEqual(found.attributes.labels.get('place'), [value]);
    }
  });

  it('L4a acts that nodes record at once are one chain without gaps', async () => {
    const acts = Array.from({ length: 24 }, (_, i) =>
      nodes[i % 2].meta.write((tx) =>
        record(tx, testAct, new FixedClock(), { action: 'test.run', target: `${i}`, change: {} }),
      ),
    );
    await Promise.all(acts);
    const rows = await nodes[0].meta.audit.list({
      ...{ isDescending: false, afterSeq: 0, actor: null, action: 'test.run', target: null, limit: 100 },
    });
    assert.deepEqual(
      rows.map(({ seq }) => seq),
      rows.map((_, i) => i + 1),
    );
    assert.ok(rows.slice(1).every(({ previous }, i) => previous === rows[i].hash));
    assert.deepEqual(new Set(rows.map(({ target }) => target)).size, 24);
  });

  it('R9 a key that several nodes create at once becomes one signal', async () => {
    const mine = newId();
    const create = (meta: PostgresStore['meta']) =>
      meta.write(async (tx) => {
        const [found] = await tx.signals.byInput(mine, ['x']);
        return found ?? (await tx.signals.insert([signal(mine, 'x', { id: newId() })]))[0];
      });
    const made = await Promise.all(Array.from({ length: 12 }, (_, i) => create(nodes[i % 2].meta)));
    assert.equal(new Set(made.map(({ number }) => number)).size, 1);
  });

  it('R9 keys are created although others have created one of them before each of the first attempts', async () => {
    const [here, there] = nodes.map(({ meta }) => meta);
    const [mine, inputs] = [newId(), ['a', 'b', 'c', 'd', 'e']];
    const made = (input: string) => signal(mine, input, { id: newId() });
    let attempts = 0;
    const signals = await here.write(async (tx) => {
      const found = await tx.signals.byInput(mine, inputs);
      const input = inputs[attempts++];
      if (attempts < 4) await there.write((other) => other.signals.insert([made(input)]));
      const known = new Set(found.map((one) => one.input));
      return [
        ...found,
        ...(await tx.signals.insert(inputs.filter((one) => !known.has(one)).map((one) => made(one)))),
      ];
    });
    assert.deepEqual(signals.map(({ input }) => input).sort(), inputs);
    assert.equal(attempts, 4);
  });

  it('R9 a number that is taken later is greater, on every node', async () => {
    const numbers = nodes.map((node, i) => node.writeNumbers(`order ${i}`, ''));
    let last = 0;
    for (let i = 0; i < 20; i++) {
      const next = await (i % 4 < 2 ? numbers[i % 2].next() : numbers[i % 2].begin(anyTimes));
      assert.ok(next > last);
      last = next;
    }
    await Promise.all(numbers.map((one) => one.close()));
  });

  it('N2 writes have ended as far as none with a smaller number is under way on any node', async () => {
    const [a, b] = nodes.map((node, i) => node.writeNumbers(`settled ${i}`, 'secret'));
    assert.equal(a.mark, b.mark);
    assert.notEqual(a.mark, nodes[0].writeNumbers('x', 'other').mark);
    const first = await a.begin(anyTimes);
    const second = await b.begin(anyTimes);
    await b.end(second);
    assert.equal(await b.settled(), first - 1);
    assert.equal(await a.hold(first), true);
    await a.end(first);
    assert.equal(await b.settled(), second);
    const third = await a.begin(anyTimes);
    await a.end(first);
    assert.equal(await b.settled(), third - 1, 'the end of an earlier write is not that of a later one');
    await a.close();
    assert.equal(await b.settled(), third);
    await b.close();
  });

  it('N2 a write that is silent for too long counts as ended, and cannot go on', async () => {
    const [a, b] = nodes.map((node, i) => node.writeNumbers(`silent ${i}`, ''));
    const number = await a.begin(anyTimes);
    const silence = (ms: number) =>
      server.run([
        `update tidemark.open_write set held_at = held_at - interval '${ms} milliseconds' where writer = 'silent 0'`,
      ]);
    await silence(a.silentMsMax / 2);
    assert.equal(await b.settled(), number - 1);
    assert.equal(await a.hold(number), true);
    await silence(a.silentMsMax);
    assert.equal(await b.settled(), number);
    assert.equal(await a.hold(number), false);
    assert.equal(await b.settled(), number);
    await Promise.all([a.close(), b.close()]);
  });

  it('N2 what was taken before a look is seen as under way, however many begin meanwhile', async () => {
    const numbers = nodes.map((node, i) => node.writeNumbers(`race ${i}`, ''));
    const open = new Set<number>();
    let isDone = false;
    const write = async (own: (typeof numbers)[0]) => {
      for (let i = 0; i < 150; i++) {
        const number = await own.begin(anyTimes);
        open.add(number);
        await new Promise((resolve) => setImmediate(resolve));
        open.delete(number);
        await own.end(number);
      }
    };
    const look = async () => {
      while (!isDone) {
        const settled = await numbers[0].settled();
        assert.ok(
          ![...open].some((number) => number <= settled),
          `${[...open]} are open, ${settled} settled`,
        );
      }
    };
    const looking = look();
    await Promise.all(numbers.map(write));
    isDone = true;
    await looking;
    await Promise.all(numbers.map((one) => one.close()));
  });

  it('R9 a node is told of every write that began and every deletion that ended before it asked, with its times', async () => {
    const [a, b] = nodes.map((node, i) => node.writeNumbers(`changes ${i}`, ''));
    const first = await a.changes(null);
    assert.deepEqual([first.changed, first.open], [null, []]);
    const number = await b.begin({ firstUs: -5, lastUs: 2 ** 53 });
    const during = await a.changes(first.place);
    assert.deepEqual(during.changed, [{ number, range: { firstUs: -5, lastUs: 2 ** 53 } }]);
    assert.deepEqual(during.open, [{ firstUs: -5, lastUs: 2 ** 53 }]);
    await b.end(number);
    await b.deleted(anyTimes);
    const after = await a.changes(during.place);
    assert.deepEqual([after.changed?.at(-1)?.range, after.open], [anyTimes, []]);
    assert.deepEqual((await a.changes(after.place)).changed, []);
    assert.equal((await a.changes(after.place.replace(/^[^|]*/, 'another server'))).changed, null);
    await Promise.all([a.close(), b.close()]);
  });

  it('R9 a node that asks after more writes than are kept is told so', async () => {
    const [a, b] = nodes.map((node, i) => node.writeNumbers(`many ${i}`, ''));
    const { place } = await a.changes(null);
    for (let i = 0; i < 2100; i++) await b.end(await b.begin({ firstUs: i, lastUs: i }));
    assert.equal((await a.changes(place)).changed, null);
    await Promise.all([a.close(), b.close()]);
  });

  it('E1 while PostgreSQL is down calls fail with unavailable; afterwards they work by themselves', async () => {
    const [{ meta }] = nodes;
    const mine = integration({ id: newId() });
    await server.kill();
    await assert.rejects(meta.integrations.all(), isUnavailable);
    await assert.rejects(
      meta.write((tx) => tx.integrations.insert(mine)),
      isUnavailable,
    );
    await server.resume();
    await meta.write((tx) => tx.integrations.insert(mine));
    const heard = new Promise<void>((resolve) => {
      meta.subscribe((topic) => topic === 'plans' && resolve());
    });
    await nodes[1].meta.write((tx) => tx.plans.insert({ ...plan, name: 'after-the-restart' }));
    await heard;
  });

  it('says whose fault it is when the metadata cannot be opened', async () => {
    const port = server.port;
    await server.run([
      "create role locked login password 'right'",
      'create role reader login',
      'create database "elsewhere"',
      "create database latin encoding 'LATIN1' template template0",
    ]);
    await server.run(['create schema tidemark', 'create table tidemark.invoice (id int)'], 'elsewhere');
    const cases: [url: string, problem: RegExp][] = [
      [`postgres://locked:wrong@127.0.0.1:${port}/postgres`, /refuses the password/],
      [server.url('missing'), /no such database/],
      [server.url('elsewhere'), /tables of another program/],
      [server.url('latin'), /encoding LATIN1/],
      [server.url('postgres', 'reader'), /may not use the schema/],
      [server.url('template1', 'reader'), /may not create it/],
      ['postgres://tidemark@127.0.0.1:1/postgres', /cannot be reached: .*ECONNREFUSED/],
      ['mysql://127.0.0.1/x', /not a URL of PostgreSQL/],
    ];
    for (const [url, problem] of cases) {
      await assert.rejects(open(url), (error: AppError) => {
        assert.match(error.message, problem);
        assert.doesNotMatch(error.message, /wrong/);
        return true;
      });
    }
  });

  it('tries several addresses in turn', async () => {
    const store = await open(`postgres://tidemark@127.0.0.1:1,127.0.0.1:${server.port}/postgres`);
    assert.ok((await store.meta.plans.all()).length > 0);
    await store.close();
  });

  it('A4 a store whose schema a newer release has written is left alone', async () => {
    await (await open(server.url(), 'newer')).close();
    await server.run(['update newer.meta_version set version = 9999']);
    await assert.rejects(open(server.url(), 'newer'), /written by a newer release/);
  });
});

const plan = {
  signalsMax: null,
  itemsMax: null,
  pointsPerDayMax: null,
  rates: new Map(),
  isHard: true,
};

function isUnavailable(error: unknown): boolean {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.kind, 'unavailable');
  return true;
}
