/** The threads of the embedded store: transactions, limits, other processes, cancellation. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { limitDefaults } from '#model/limits';
import { sqliteDialect } from '#storage/meta/dialect';
import { openSqlMetaStore } from '#storage/meta/sql-meta-store';
import type { SqlExecute, StatementPlace } from '#storage/meta/sql-runner';
import type { WriterCall } from '#storage/sqlite/messages';
import { ReaderPool } from '#storage/sqlite/reader-pool';
import { type RunnerThreads, ThreadSqlRunner } from '#storage/sqlite/sql-runner';
import { joinSqlite, openSqlite, type SqliteStore, type StoreUse } from '#storage/sqlite/store';
import { Thread, workerStarter } from '#storage/sqlite/thread';
import { batchNumbered, pointsThrough, signalsOf } from '../../../fault/numbered-batch.ts';
import { integration, signal } from '../../../support/resources.ts';
import { stoppedClock as clock, silentLog as quiet } from '../../../support/world.ts';

function openIn(directory: string, queueBytesMax = limitDefaults.queueBytesMax): Promise<SqliteStore> {
  return openSqlite({ directory, clock, log: quiet, limits: { ...limitDefaults, queueBytesMax } });
}

const everything = { startUs: -(2 ** 53), endUs: 2 ** 53 };

async function readSignal({ series }: Pick<StoreUse, 'series'>, signal: number) {
  const source = { signals: [signal], window: everything, before: false, after: false };
  const [points] = await series.scan({ sources: [source] });
  return points;
}

describe('SqlRunner over threads', () => {
  let directory: string;
  let threads: RunnerThreads;
  let runner: ThreadSqlRunner;
  /** The same one, and one of another caller. */
  let runners: ThreadSqlRunner[];
  let close: () => Promise<void>;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tidemark-runner-'));
    const start = workerStarter({
      directory,
      serving: false,
      fileBytesMax: Number.POSITIVE_INFINITY,
      textCharactersMax: 1000,
    });
    const writer = await start('writer');
    const readers = await ReaderPool.start(start, 1);
    threads = { writer, readers, follower: readers, matchers: async () => readers };
    runner = new ThreadSqlRunner(threads);
    const { port1, port2 } = new MessageChannel();
    writer.connect(port2);
    const second = new Thread<WriterCall>(port1);
    await second.ready;
    runners = [runner, new ThreadSqlRunner({ ...threads, writer: second })];
    close = async () => {
      await readers.close();
      await writer.call({ kind: 'close' });
    };
    await runner.transaction((execute) => execute('create table t (a integer primary key, b)', []));
  });
  after(async () => {
    await close();
    await rm(directory, { recursive: true });
  });

  it('commits, counts changes, and reads what it wrote', async () => {
    const changes = await runner.transaction(async (execute) => {
      const inserted = await execute('insert into t values (?, ?), (?, ?)', [1, 'one', 2, null]);
      const { rows } = await execute('update t set b = ? where a > 0 returning a', ['x']);
      return [inserted.changes, rows.length];
    });
    assert.deepEqual(changes, [2, 2]);
    assert.deepEqual({ ...(await runner.read('select a, b from t where a = ?', [1]))[0] }, { a: 1, b: 'x' });
  });

  it('rolls back when the work rejects, or a statement does, and passes the reason on', async () => {
    const reason = new Error('changed my mind');
    const work = runner.transaction(async (execute) => {
      await execute('delete from t', []);
      throw reason;
    });
    await assert.rejects(work, reason);
    const twice = runner.transaction((execute) => execute('insert into t values (1, 1)', []));
    await assert.rejects(twice, /UNIQUE constraint failed: t.a/);
    assert.equal((await runner.read('select * from t', [])).length, 2);
  });

  it('commits with the last statement, and rolls back when that fails, or the first', async () => {
    const countOf = async () => (await runner.read('select count(*) as n from t', []))[0].n as number;
    const before = await countOf();
    await runner.transaction((execute) => execute('insert into t values (100, 1)', [], 'last'));
    assert.equal(await countOf(), before + 1, 'a single statement');
    await runner.transaction(async (execute) => {
      await execute('insert into t values (101, 1)', []);
      assert.equal(await countOf(), before + 1, 'nothing is to be seen before the last');
      const { rows } = await execute('update t set b = 2 where a = 101 returning a', [], 'last');
      assert.deepEqual(
        rows.map(({ a }) => a),
        [101],
      );
      assert.equal(await countOf(), before + 2, 'what its answer says is committed');
    });
    const failingLast = runner.transaction(async (execute) => {
      await execute('insert into t values (102, 1)', []);
      return execute('insert into t values (1, 1)', [], 'last');
    });
    await assert.rejects(failingLast, /UNIQUE constraint failed: t.a/);
    for (const place of ['unread', 'other', 'last'] as const) {
      const failing = runner.transaction((execute) => execute('insert into t values (1, 1)', [], place));
      await assert.rejects(failing, /UNIQUE constraint failed: t.a/);
    }
    assert.equal(await runner.transaction(async () => 7), 7, 'without a statement');
    const statements = ['insert into t values (103, 1)', 'insert into t values (104, 1)'];
    await runner.transaction((execute) => Promise.all(statements.map((sql) => execute(sql, []))));
    assert.equal(await countOf(), before + 4);
    await runner.transaction((execute) => execute('delete from t where a >= 100', []));
  });

  it('undoes all when a statement fails that nobody waits for, with its reason, whatever follows it', async () => {
    const countOf = async () => (await runner.read('select count(*) as n from t', []))[0].n;
    const before = await countOf();
    const endings: ((execute: SqlExecute) => Promise<unknown>)[] = [
      async () => {},
      (execute) => execute('insert into t values (202, 1)', []),
      (execute) => execute('insert into t values (202, 1)', [], 'unread'),
      (execute) => execute('insert into t values (202, 1)', [], 'last'),
      async () => {
        throw new Error('a reason of its own');
      },
    ];
    for (const end of endings) {
      const failing = runner.transaction(async (execute) => {
        await execute('insert into t values (201, 1)', [], 'unread');
        await execute('insert into t values (1, 1)', [], 'unread');
        await execute('insert into t values (203, 1)', [], 'unread');
        await end(execute);
      });
      await assert.rejects(failing, /UNIQUE constraint failed: t.a/);
      assert.equal(await countOf(), before);
    }
    const own = runner.transaction(async (execute) => {
      await execute('insert into t values (201, 1)', [], 'unread');
      throw new Error('a reason of its own');
    });
    await assert.rejects(own, /a reason of its own/);
    await runner.transaction(async (execute) => {
      await execute('insert into t values (201, 1)', [], 'unread');
      await execute('delete from t where a = 201', [], 'unread');
    });
    assert.equal(await countOf(), before, 'those are in the order in which they were given');
  });

  it('runs transactions one after another', async () => {
    const add = () =>
      runner.transaction(async (execute) => {
        const { rows } = await execute('select count(*) as count from t', []);
        await execute('insert into t values (?, ?)', [100 + Number(rows[0].count), 'y']);
      });
    await Promise.all(Array.from({ length: 10 }, add));
    assert.equal((await runner.read('select * from t', [])).length, 12);
    await runner.transaction((execute) => execute('delete from t where a >= 100', []));
  });

  it('runs work once more when others have changed what it has read, and loses no change of theirs', async () => {
    const countOf = async () => (await runner.read('select count(*) as n from t', []))[0].n as number;
    const other = runners[1];
    const before = await countOf();
    let runs = 0;
    const add = (one: ThreadSqlRunner, write: StatementPlace) => () =>
      one.transaction(async (execute) => {
        runs++;
        const { rows } = await execute('select count(*) as count from t', [], 'read');
        await execute('insert into t values (?, ?)', [100 + Number(rows[0].count), 'y'], write);
      });
    const places: StatementPlace[] = ['unread', 'other', 'last'];
    const adds = Array.from({ length: 60 }, (_, k) => add(runners[k % 2], places[k % 3]));
    await Promise.all(adds.map((one) => one()));
    assert.equal(await countOf(), before + 60);
    assert.ok(runs > 60, 'two callers at once disturb one another');
    runs = 0;
    await runner.transaction(async (execute) => {
      runs++;
      await execute('select b from t where a = 1', [], 'read');
      if (runs === 1) await other.transaction((theirs) => theirs('delete from t where a >= 100', []));
      await execute('insert into t values (100, 1)', [], 'unread');
    });
    assert.deepEqual([runs, await countOf()], [1, before + 1], 'changes elsewhere do not matter');
    await runner.transaction((execute) => execute('delete from t where a >= 100', []));
  });

  it('believes the errors of work only if what it has read is true', async () => {
    const [one, other] = runners;
    let runs = 0;
    const refuse = (change: boolean) =>
      one.transaction(async (execute) => {
        runs++;
        const { rows } = await execute('select b from t where a = 1', [], 'read');
        const b = `b${runs}`;
        if (change && runs === 1)
          await other.transaction((theirs) => theirs('update t set b = ? where a = 1', [b]));
        throw new Error(`${rows[0].b} is wrong`);
      });
    await assert.rejects(refuse(false), /^Error: x is wrong$/);
    assert.equal(runs, 1);
    runs = 0;
    await assert.rejects(refuse(true), /^Error: b1 is wrong$/);
    assert.equal(runs, 2);
    const tooMuch = one.transaction((execute) => execute('select missing from t', [], 'read'));
    await assert.rejects(tooMuch, /no such column: missing/);
    await one.transaction((execute) => execute("update t set b = 'x' where a = 1", [], 'last'));
  });

  it('lets work read what it has written', async () => {
    const seen = await runner.transaction(async (execute) => {
      await execute('insert into t values (300, 1)', [], 'unread');
      const { rows } = await execute('select a from t where a = 300', [], 'read');
      await execute('delete from t where a = 300', [], 'unread');
      return rows.length;
    });
    assert.equal(seen, 1);
  });

  it('writes together what a transaction writes, and does not wait in between', async () => {
    const calls: string[] = [];
    const counted = {
      ...threads,
      writer: {
        call: (body: WriterCall) => {
          calls.push(body.kind);
          return threads.writer.call(body);
        },
      } as Thread<WriterCall>,
    };
    const counting = new ThreadSqlRunner(counted);
    const meta = await openSqlMetaStore({ runner: counting, dialect: sqliteDialect, log: quiet });
    const mine = integration();
    await meta.write((tx) => tx.integrations.insert(mine));
    const one = signal(mine.id, 'x');
    const labelled = { ...one, attributes: { ...one.attributes, labels: new Map([['a', ['b']]]) } };
    calls.length = 0;
    const [created] = await meta.write(async (tx) => {
      await tx.signals.byInput(mine.id, ['x']);
      return tx.signals.insert([labelled]);
    });
    assert.deepEqual(calls, ['read', 'transact']);
    assert.deepEqual(await meta.signals.byInput(mine.id, ['x']), [created]);
    await meta.close();
    calls.length = 0;
    await counting.transaction(async (execute) => {
      await execute('select 1', [], 'read');
      await execute('insert into t values (400, 1)', [], 'unread');
      await execute('select b from t where a = 1', [], 'read');
      await execute('delete from t where a = 400', [], 'last');
    });
    assert.deepEqual(calls, ['read', 'read', 'transact']);
  });

  it('refuses to write through a read', async () => {
    await assert.rejects(runner.read('delete from t', []), /readonly/);
  });
});

describe('SqliteSeriesStore', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tidemark-threads-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('R9 refuses batches at once when too many bytes wait, and takes them again afterwards', async () => {
    const store = await openIn(join(directory, 'queue'), 64 * 1024);
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, batch) => store.series.append(batchNumbered(0, batch))),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    assert.ok(refused.length > 0 && refused.length < 40, `${refused.length} refused`);
    for (const { reason } of refused) {
      assert.equal(reason.kind, 'unavailable');
      assert.match(reason.message, /bytes wait for the disk, at most 65536 may/);
    }
    await store.series.append(batchNumbered(1, 0));
    assert.deepEqual(await readSignal(store, signalsOf(1)[0]), pointsThrough(signalsOf(1)[0], 0));
    await store.close();
  });

  it('L3 refuses a scan of more points than wanted', async () => {
    const store = await openIn(join(directory, 'many'));
    await store.series.append(batchNumbered(0, 0));
    const sources = [1, 2, 3].map((signal) => ({
      ...{ signals: [signal], window: everything },
      ...{ before: false, after: false },
    }));
    assert.equal((await store.series.scan({ sources, valuesMax: 600 })).length, 3);
    await assert.rejects(store.series.scan({ sources, valuesMax: 599 }), /more than 599 points/);
    await store.close();
  });

  it('settles what is under way when it is closed', async () => {
    const store = await openIn(join(directory, 'closing'));
    const appends = Array.from({ length: 20 }, (_, batch) => store.series.append(batchNumbered(0, batch)));
    const read = readSignal(store, 1);
    await store.close();
    await Promise.all([...appends, read]);
    const again = await openIn(join(directory, 'closing'));
    assert.deepEqual(await readSignal(again, 1), pointsThrough(1, 19));
    await again.close();
  });

  it('refuses calls once it is closed, in a thread that has joined it too: a service that stops may not wait for all', async () => {
    const path = join(directory, 'closed');
    const store = await openIn(path);
    await store.series.append(batchNumbered(0, 0));
    const joined = await joinSqlite({ directory: path, log: quiet, limits: limitDefaults }, store.share());
    assert.deepEqual(await readSignal(joined, 1), await readSignal(store, 1));
    for (const one of [joined, store]) {
      await one.close();
      const stopping = { kind: 'unavailable', message: /^The service is stopping/ };
      await assert.rejects(readSignal(one, 1), stopping);
      await assert.rejects(one.series.append(batchNumbered(0, 1)), stopping);
      await assert.rejects(one.meta.people.all(), stopping);
    }
  });

  it('gives a scan up in the middle, and goes on with others', async () => {
    const store = await openIn(join(directory, 'abort'));
    for (let batch = 0; batch < 200; batch++) await store.series.append(batchNumbered(0, batch));
    const source = { signals: signalsOf(0), window: everything, before: false, after: false };
    const sources = new Array<typeof source>(200).fill(source);
    for (let round = 0; round < 5; round++) {
      const controller = new AbortController();
      const scans = Array.from({ length: 6 }, () => store.series.scan({ sources }, controller.signal));
      setImmediate(() => controller.abort(new Error('gone')));
      for (const scan of await Promise.allSettled(scans)) assert.equal(scan.status, 'rejected');
    }
    assert.deepEqual(await readSignal(store, 1), pointsThrough(1, 199));
    await store.close();
  });

  it('sees at once what another process stores, and the other way round', async () => {
    const shared = join(directory, 'shared');
    const store = await openIn(shared);
    const program = join(import.meta.dirname, '../../../fault/store-child.ts');
    const args = [program, shared, '0'];
    // It rests: the lock of SQLite has no queue, and a process that writes all the time may keep others from it for minutes.
    const env = { ...process.env, PAUSE_MS: '20' };
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    const errors = text(child.stderr);
    const rounds = 10;
    let seen = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line === 'open') continue;
      const batch = Number(line.split(' ')[1]);
      const points = await readSignal(store, 1);
      assert.ok(points.timesUs.length >= (batch + 2) * 100, `batch ${batch} is not to be seen`);
      await store.series.append(batchNumbered(1, batch));
      if (++seen === rounds) child.kill('SIGKILL');
    }
    if (child.signalCode === null && child.exitCode === null) await once(child, 'exit');
    assert.equal(child.signalCode, 'SIGKILL', `the child ended by itself: ${await errors}`);
    assert.ok((await readSignal(store, 1)).timesUs.length >= (rounds + 1) * 100);
    await store.close();
  });
});
