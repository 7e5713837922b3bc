/** The service as an operator runs it, under write load over HTTP: killed, stopped, and on a disk that is full. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import {
  callBasic,
  readCredentials,
  type Serving,
  serve,
  temporaryDirectory,
  tidemark,
} from '../cli/process.ts';
import { silentLog as quiet } from '../support/world.ts';

/** Rounds: a few by default; the full run sets 50 or more. */
const rounds = Number(process.env.FAULT_ROUNDS ?? 4);

const writerCount = 4;
const columnCount = 3;
const rowCount = 50;

function inputsOf(writer: number): string[] {
  return Array.from({ length: columnCount }, (_, column) => `w${writer}/${column}`);
}

/** Batch n of a writer: later rows each time, and at second 0 its number, which overwrites that of the batch before. */
function frameOf(writer: number, batch: number) {
  const seconds = Array.from({ length: rowCount }, (_, i) => 1 + batch * rowCount + i);
  const times = [0, ...seconds].map((s) => new Date(s * 1000).toISOString());
  const column = (k: number) => [batch, ...seconds.map((s) => s * 10 + k)];
  return { times, series: Object.fromEntries(inputsOf(writer).map((input, k) => [input, column(k)])) };
}

interface Rig {
  data: string;
  credentials: CredentialsFile;
  /** Starts the service, and lets the credentials point at it. */
  start(): Promise<Serving>;
}

async function open(t: TestContext): Promise<Rig> {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const path = join(directory, 'c.json');
  const create = ['integration', 'create', 'plant', '--grant', 'admin', '--grant', 'service'];
  const made = await tidemark([...create, '--type', 'basic-auth', '--credentials', path, '--data', data]);
  assert.equal(made.code, 0, made.stderr);
  const rig: Rig = {
    data,
    credentials: await readCredentials(path),
    async start() {
      const service = await serve(t, data);
      rig.credentials.apiUrl = `${service.url}/v1/`;
      return service;
    },
  };
  return rig;
}

function insert({ credentials }: Rig, writer: number, batch: number) {
  const { integration } = credentials;
  return callBasic(credentials, 'integration.insert', { integration, data: frameOf(writer, batch) });
}

/** Every writer sends one batch after the other until the service is gone. `acknowledged`: the last one of each; moved on. */
async function writeUntilGone(rig: Rig, acknowledged: number[]): Promise<void> {
  const write = async (writer: number) => {
    for (;;) {
      const batch = acknowledged[writer] + 1;
      const answer = await insert(rig, writer, batch).catch(() => null);
      if (answer === null || answer.status === 503) return;
      assert.equal(answer.body.error, undefined);
      acknowledged[writer] = batch;
    }
  };
  await Promise.all(acknowledged.map((_, writer) => write(writer)));
}

/** What is stored of each writer: the last batch, which is the acknowledged one or the next, and whole. */
async function check({ data, credentials }: Rig, acknowledged: readonly number[]): Promise<number[]> {
  const { meta, series, close } = await openSqlite({
    ...{ directory: data, clock: { nowUs: () => 0 }, log: quiet, limits: limitDefaults },
  });
  const stored: number[] = [];
  for (const [writer, last] of acknowledged.entries()) {
    const signals = await meta.signals.byInput(credentials.integration, inputsOf(writer));
    const window = { startUs: 0, endUs: 2 ** 53 };
    const columns = inputsOf(writer).map((input) => signals.filter((signal) => signal.input === input));
    const points = await series.scan({
      sources: columns.map((found) => ({
        ...{ signals: found.map(({ number }) => number), window, before: false, after: false },
      })),
    });
    stored.push(Math.max(lastOf(points, writer), -1));
    const isRight = stored[writer] === last || stored[writer] === last + 1;
    assert.ok(isRight, `writer ${writer} has batch ${stored[writer]}, acknowledged was ${last}`);
  }
  await close();
  return stored;
}

/** The last batch in these columns, after looking at each point. */
function lastOf(columns: readonly { timesUs: Float64Array; values: Float64Array }[], writer: number): number {
  const lasts = columns.map(({ timesUs, values }, k) => {
    if (timesUs.length === 0) return -1;
    for (let i = 1; i < timesUs.length; i++) {
      if (timesUs[i] !== i * 1e6 || values[i] !== i * 10 + k)
        assert.fail(`writer ${writer}, column ${k} at ${i}`);
    }
    assert.equal(timesUs.length, 1 + (values[0] + 1) * rowCount, 'the last value at second 0');
    return values[0];
  });
  assert.deepEqual(new Set(lasts).size, 1, `columns of writer ${writer} end at ${lasts}`);
  return lasts[0];
}

test(`R9 what the service has acknowledged survives kill -9, ${rounds} times, and a stop`, {
  timeout: 60_000 + rounds * 20_000,
}, async (t) => {
  const rig = await open(t);
  let stored = new Array<number>(writerCount).fill(-1);
  for (let round = 0; round < rounds; round++) {
    const service = await rig.start();
    const acknowledged = [...stored];
    const writing = writeUntilGone(rig, acknowledged);
    await wait(50 + randomInt(700));
    service.child.kill('SIGKILL');
    await writing;
    stored = await check(rig, acknowledged);
  }
  t.diagnostic(`batches of each writer: ${stored}`);

  const service = await rig.start();
  const acknowledged = [...stored];
  const writing = writeUntilGone(rig, acknowledged);
  const deadlineMs = performance.now() + 20_000;
  while (!acknowledged.some((batch, writer) => batch > stored[writer])) {
    assert.ok(performance.now() < deadlineMs, 'nothing was written');
    await wait(100);
  }
  await wait(400);
  assert.equal(await service.stop(), 0);
  await writing;
  await check(rig, acknowledged);
});

/** Lets no file of a process grow beyond these bytes. */
async function limitFiles(pid: number, bytes: number | 'unlimited'): Promise<void> {
  const child = spawn('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, 'prlimit (util-linux) failed');
}

async function bytesOf(path: string): Promise<number> {
  return (await stat(path)).size;
}

/** How many points the first signal of writer 0 has, as a client sees it. */
async function countThrough({ credentials }: Rig, item: string): Promise<number> {
  const answer = await callBasic<{ data: { series: Record<string, number[]> } }>(
    credentials,
    'service.evaluate',
    {
      items: [{ id: item, alias: 'a', aggregation: 'count' }],
      data: {
        filter: { times: { $gte: '1970-01-01T00:00:00Z', $lt: '2000-01-01T00:00:00Z' } },
        rollup: 'window',
      },
    },
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.result!.data.series['a'][0];
}

test('E3 R9 on a full disk inserts are refused with 503 and reads go on; with free space again so do inserts', {
  timeout: 120_000,
}, async (t) => {
  const rig = await open(t);
  const service = await rig.start();
  const first = await insert(rig, 0, 0);
  assert.equal(first.status, 200, JSON.stringify(first.body));
  const { signalsByInput } = first.body.result as { signalsByInput: Record<string, { id: string }> };
  const { id } = signalsByInput[inputsOf(0)[0]];
  const published = await callBasic<{ itemsBySignal: Record<string, { id: string }> }>(
    rig.credentials,
    'admin.publishSignals',
    { integration: rig.credentials.integration, itemsBySignal: { [id]: {} } },
  );
  const item = published.body.result!.itemsBySignal[id].id;

  const wal = await bytesOf(join(rig.data, 'tidemark.db-wal'));
  await limitFiles(service.child.pid!, wal + 512 * 1024);
  let batch = 1;
  let refused = await insert(rig, 0, batch);
  while (refused.status === 200 && batch < 2000) refused = await insert(rig, 0, ++batch);
  assert.equal(refused.status, 503);
  assert.match(JSON.stringify(refused.body), /Nothing was stored: the disk/);
  assert.equal(await countThrough(rig, item), 1 + batch * rowCount);

  await limitFiles(service.child.pid!, 'unlimited');
  assert.equal((await insert(rig, 0, batch)).status, 200);
  assert.equal(await countThrough(rig, item), 1 + (batch + 1) * rowCount);
  assert.equal(await service.stop(), 0);
  await check(rig, [batch]);
});
