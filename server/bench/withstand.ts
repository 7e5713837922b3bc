/**
 * npm run bench -- --overload: whether the service withstands attacks, each alone and eight at a time, with the memory that
 * compose.yaml gives it. Beside each: the largest resident memory, the longest delay of the event loop, how long the calls of a
 * client that behaves take, and how soon a client that was disabled is refused.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type AttackTarget, attacks, busyProcessor } from './attacks.ts';
import { Client, postBytes } from './client.ts';
import type { Target } from './ingest.ts';
import { newMemoryCgroup } from './memory-cgroup.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import { addIntegration, residentBytes, type Service, startService } from './service.ts';

/** How long an attack lasts, ms. */
const attackMs = 8000;
const tinyAttackMs = 1000;

/** Between two calls of the calm client, ms. */
const pauseMs = 5;

const mebibyte = 2 ** 20;

/** What is expected of each measure. */
const expected = { memoryMiB: 1536, delayMs: 50, times: 3, refusedMs: 1000 };

/** Measures everything; `only` names attacks, separated by commas. */
export async function measureAttacks(run: Run, only: string | undefined): Promise<Figure[]> {
  const cgroup = newMemoryCgroup();
  if (cgroup === null) process.stdout.write('no memory cgroup can be made here: memory is measured only\n');
  const known = [busyProcessor, ...Object.keys(attacks)];
  const names = only?.split(',') ?? known;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such attack: ${unknown.join(', ')}; there are ${known.join(', ')}`);
  const durationMs = run.isTiny ? tinyAttackMs : attackMs;
  const figures: Figure[] = [];
  for (const group of [...names.map((name) => [name]), ...(names.length > 1 ? eights(names) : [])]) {
    const service = await startService();
    cgroup?.add(service.process.pid ?? 0);
    try {
      figures.push(...run.print(await withstand(service, group, durationMs)));
    } finally {
      await service.close();
    }
  }
  cgroup?.remove();
  return figures;
}

/** Eight at a time, each in one group. */
function eights(names: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(names.length / 8) }, (_, k) => names.slice(k * 8, k * 8 + 8));
}

async function withstand(service: Service, names: readonly string[], durationMs: number): Promise<Figure[]> {
  const items = await fill(service);
  const [calm, doomed] = [await addIntegration(service), await addIntegration(service)];
  const requests = calmRequests(calm, items);
  const quiet = await calmTimes(calm, requests, sleep(durationMs / 4));
  await eventLoopDelayMs(service);
  const attackers = names.map((name, index) =>
    startAttack(name, targetOf(service, index + 2, items), durationMs),
  );
  const over = Promise.all(attackers.map((child) => once(child, 'exit')));
  const memory = watchMemory(service);
  const [times, refusedMs] = await Promise.all([
    calmTimes(calm, requests, over),
    disabled(service, doomed, durationMs),
  ]);
  const name = names.length === 1 ? names[0] : `${names.length} at a time (${names[0]} …)`;
  const isAlive = service.process.exitCode === null && service.process.signalCode === null;
  return [
    { name: `${name}: alive`, value: isAlive ? 1 : 0, unit: 'yes', note: 'expected 1' },
    {
      name: `${name}: memory`,
      value: memory.end() / mebibyte,
      unit: 'MiB',
      note: `expected < ${expected.memoryMiB}`,
    },
    {
      name: `${name}: event loop, longest`,
      value: await eventLoopDelayMs(service),
      unit: 'ms',
      note: `expected < ${expected.delayMs}`,
    },
    ...Object.keys(requests).flatMap((kind) => calmFigures(`${name}: ${kind}`, times[kind], quiet[kind])),
    {
      name: `${name}: disabled client refused`,
      value: refusedMs,
      unit: 'ms',
      note: `expected < ${expected.refusedMs}`,
    },
  ];
}

function calmFigures(name: string, times: readonly number[], quiet: readonly number[]): Figure[] {
  const p99 = (all: readonly number[]) => all[Math.floor((all.length - 1) * 0.99)] ?? Number.NaN;
  const expectedMs = (p99(quiet) * expected.times).toFixed(0);
  return [
    {
      name: `${name}, median`,
      value: median(times),
      unit: 'ms',
      note: `${median(quiet).toFixed(1)} ms quiet`,
    },
    { name: `${name}, 99 of 100`, value: p99(times), unit: 'ms', note: `expected < ${expectedMs}` },
  ];
}

/** Data to attack with: signals with long annotations, and the items of ten of them with two million points. */
async function fill(service: Service): Promise<string[]> {
  const client = await Client.open(service.url);
  const text = 'x'.repeat(200);
  const annotations = Object.fromEntries(Array.from({ length: 40 }, (_, k) => [`note-${k}`, text]));
  const { integration } = service;
  for (let from = 0; from < 1000; from += 250) {
    const inputs = Object.fromEntries(
      Array.from({ length: 250 }, (_, k) => [
        `s${from + k}`,
        { name: `s${from + k}`, description: text.repeat(5), annotations },
      ]),
    );
    await client.call(service, 'integration.saveSignals', { integration, signalsByInput: inputs });
  }
  for (let part = 0; part < 20; part++) await insertPart(client, service, part);
  const items: string[] = [];
  const { data } = await client.call<{ data: { id: string }[] }>(service, 'admin.selectSignals', {
    integration,
    query: { filter: { input: { $in: Array.from({ length: 10 }, (_, k) => `s${k}`) } }, limit: 10 },
    format: { dataAsArray: true },
  });
  const signals = data.map(({ id }) => id);
  const published = await client.call<{ itemsBySignal: Record<string, { id: string }> }>(
    service,
    'admin.publishSignals',
    {
      integration,
      itemsBySignal: Object.fromEntries(signals.map((id) => [id, { name: id, visible: true }])),
    },
  );
  items.push(...Object.values(published.itemsBySignal).map(({ id }) => id));
  client.close();
  return items;
}

async function insertPart(client: Client, service: Service, part: number): Promise<void> {
  const rows = 10_000;
  const startMs = Date.parse('2024-01-01T00:00:00Z') + part * rows * 10_000;
  const times = Array.from({ length: rows }, (_, row) => new Date(startMs + row * 10_000).toISOString());
  const values = Array.from({ length: rows }, (_, row) => (row * 7919) % 1000);
  const series = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`s${k}`, values]));
  await client.call(service, 'integration.insert', {
    integration: service.integration,
    data: { times, series },
  });
}

type Requests = Readonly<Record<'read' | 'insert' | 'health', Buffer>>;

function calmRequests(calm: Target, items: readonly string[]): Requests {
  const { url, authorization, integration } = calm;
  const rpc = (method: string, params: object) =>
    postBytes(url, authorization, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
  const times = { $gte: '2024-01-02T00:00:00Z', $lt: '2024-01-03T00:00:00Z' };
  return {
    read: rpc('service.evaluate', {
      items: [{ id: items[0], alias: 'a', aggregation: 'avg' }],
      calculations: [],
      data: { filter: { times }, rollup: 'PT1H' },
    }),
    insert: rpc('integration.insert', {
      integration,
      data: { times: ['2024-01-01T00:00:00Z'], series: { calm: [1] } },
    }),
    health: Buffer.from(`GET /healthz HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`),
  };
}

/** Times of the calm client's calls until `end`, ms, ascending. A call that is refused or fails counts as ten seconds. */
async function calmTimes(
  { url }: Target,
  requests: Requests,
  end: Promise<unknown>,
): Promise<Record<string, number[]>> {
  let isOver = false;
  end.finally(() => {
    isOver = true;
  });
  const kinds = Object.entries(requests).map(async ([kind, request]) => {
    const times: number[] = [];
    let client = await Client.open(url).catch(() => null);
    while (!isOver) {
      const startMs = performance.now();
      const answer = await client?.send(request).catch(() => null);
      const isGood = answer?.status === 200 && !answer.body.includes('"error"');
      times.push(isGood ? performance.now() - startMs : 10_000);
      if (!isGood) client = await Client.open(url).catch(() => null);
      await sleep(pauseMs);
    }
    client?.close();
    return [kind, times.sort((a, b) => a - b)];
  });
  return Object.fromEntries(await Promise.all(kinds));
}

function targetOf({ url, authorization }: Target, host: number, items: readonly string[]): AttackTarget {
  return {
    host: url.hostname,
    port: Number(url.port),
    authorization,
    localAddress: `127.0.0.${host}`,
    items,
  };
}

function startAttack(name: string, target: AttackTarget, durationMs: number): ChildProcess {
  const args = [join(import.meta.dirname, 'attacker.ts'), name, JSON.stringify(target), String(durationMs)];
  return spawn(process.execPath, args, { stdio: 'inherit' });
}

/** Disables a client in the middle of the attack; how long calls on its open connection are still answered after that, ms. */
async function disabled(service: Service, client: Target, durationMs: number): Promise<number> {
  const call = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":{}}');
  const request = postBytes(client.url, client.authorization, call);
  let connection = await Client.open(client.url);
  await connection.send(request);
  await sleep(durationMs / 3);
  const bin = join(import.meta.dirname, '../bin/tidemark.js');
  const args = [bin, 'integration', 'disable', client.integration, '--data', service.directory];
  await promisify(execFile)(process.execPath, args);
  const startMs = performance.now();
  while (performance.now() - startMs < 30_000) {
    const answer = await connection.send(request).catch(() => null);
    if (answer?.status === 401) {
      connection.close();
      return performance.now() - startMs;
    }
    if (answer === null) connection = await Client.open(client.url);
    await sleep(20);
  }
  return 30_000;
}

/** The largest resident memory from now on, bytes. */
function watchMemory(service: Service): { end(): number } {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(service.process) || 0);
  }, 50);
  return {
    end() {
      clearInterval(timer);
      return most;
    },
  };
}

/** The longest delay of the service's event loop since this was asked last, ms. */
async function eventLoopDelayMs({ url }: Service): Promise<number> {
  const response = await fetch(new URL('/metrics', url)).catch(() => null);
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec((await response?.text()) ?? '')?.[1];
  return Number(seconds ?? Number.NaN) * 1000;
}
