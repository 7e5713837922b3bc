/**
 * npm run bench -- --overload: whether the service withstands attacks, each alone and eight at a time, with the memory that
 * compose.yaml gives it. For each: the largest resident memory, the longest iteration of an event loop, how long the calls of a
 * client that behaves take, and how soon a client that was disabled is refused. The README says what calm is.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackTarget } from './attacks/attack.ts';
import { attacks } from './attacks/attacks.ts';
import { busyProcessor } from './attacks/carry-out.ts';
import { type CalmClient, type CalmRequests, type CalmTimes, startCalm } from './calm-client.ts';
import { Client, postBytes } from './client.ts';
import { type ConsoleSession, signIn } from './console-session.ts';
import type { Target } from './ingest.ts';
import { watchMachine } from './machine-watch.ts';
import { type MemoryCgroup, newMemoryCgroup } from './memory-cgroup.ts';
import { runBeside, startLast } from './priority.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import {
  addIntegration,
  freePort,
  longestIterationMs,
  processorSeconds,
  residentBytes,
  type Service,
  startService,
} from './service.ts';
import { soakArgs, soakPassword } from './soak.ts';

/** How long an attack lasts, ms. */
const attackMs = 8000;
const tinyAttackMs = 1000;

const mebibyte = 2 ** 20;

/** What is expected of each measure. */
const expected = { memoryMiB: 1536, iterationMs: 50, times: 3, refusedMs: 1000 };

/** Measures everything; `only` names attacks, separated by commas, and with `+` between those at one time. */
export async function measureAttacks(run: Run, only: string | undefined): Promise<Figure[]> {
  const cgroup = newMemoryCgroup();
  if (cgroup === null) process.stdout.write('no memory cgroup can be made here: memory is measured only\n');
  const durationMs = run.isTiny ? tinyAttackMs : attackMs;
  const figures: Figure[] = [];
  for (const group of groupsOf(only))
    figures.push(...run.print(await measureGroup(group, durationMs, cgroup)));
  cgroup?.remove();
  return figures;
}

/** What is carried out at one time. */
function groupsOf(only: string | undefined): string[][] {
  const known = Object.keys(attacks);
  if (only === undefined) return [...known.map((name) => [name]), ...eights(known)];
  const groups = only === 'eights' ? eights(known) : only.split(',').map((group) => group.split('+'));
  const unknown = groups.flat().filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such attack: ${unknown.join(', ')}; there are ${known.join(', ')}`);
  return groups;
}

/** At most eight at a time, each in one group; they are dealt out, so that each group has attacks of all kinds. */
function eights(names: readonly string[]): string[][] {
  const count = Math.ceil(names.length / 8);
  return Array.from({ length: count }, (_, k) => names.filter((_, index) => index % count === k));
}

/** What was found. */
interface Measured {
  figures: Figure[];
  /** For how long the machine itself ran nothing, at one go, ms. */
  pauseMs: number;
}

/** A group is measured again if the machine did not run for longer than this meanwhile, ms: no iteration can be shorter. */
const pauseMsMax = 20;
const timesMax = 3;

async function measureGroup(
  group: readonly string[],
  durationMs: number,
  cgroup: MemoryCgroup | null,
): Promise<Figure[]> {
  for (let time = 1; ; time++) {
    const { figures, pauseMs } = await measureOnce(group, durationMs, cgroup);
    if (pauseMs <= pauseMsMax || time === timesMax) return figures;
    process.stdout.write(`measured again, since the machine ran nothing for ${pauseMs.toFixed(0)} ms:\n`);
    for (const figure of figures) process.stdout.write(`  ${figure.name} ${figure.value.toFixed(1)}\n`);
  }
}

async function measureOnce(
  group: readonly string[],
  durationMs: number,
  cgroup: MemoryCgroup | null,
): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-attacks-'));
  const mqttPort = await freePort();
  const service = await startService([...soakArgs(directory), '--mqtt-port', String(mqttPort)]);
  cgroup?.add(service.process.pid ?? 0);
  try {
    const session = await signIn(service.url, 'admin', soakPassword);
    return await withstand({ service, mqttPort, session, names: group, durationMs });
  } finally {
    await service.close();
    rmSync(directory, { recursive: true });
  }
}

/** One measurement. */
interface Siege {
  service: Service;
  mqttPort: number;
  session: ConsoleSession;
  names: readonly string[];
  durationMs: number;
}

async function withstand(siege: Siege): Promise<Measured> {
  const { service, names, durationMs } = siege;
  const items = await fill(service);
  const [calm, doomed] = [await addIntegration(service), await addIntegration(service)];
  const requests = calmRequests(calm, items);
  const others = names.map(() => busyProcessor);
  const quiet = await beside(siege, await startCalm(service.url, requests), others, items, durationMs / 2);
  const client = await startCalm(service.url, requests);
  await longestIterationMs(service);
  const memory = watchMemory(service);
  const machine = await watchMachine();
  const startS = processorSeconds(service.process);
  const startMs = performance.now();
  const [times, refusedMs] = await Promise.all([
    beside(siege, client, names, items, durationMs),
    disabled(service, doomed, durationMs),
  ]);
  const elapsedS = (performance.now() - startMs) / 1000;
  const processors = (processorSeconds(service.process) - startS) / elapsedS;
  const pauseMs = await machine.end();
  const found = {
    memoryMiB: memory.end() / mebibyte,
    iterationMs: await longestIterationMs(service),
    refusedMs,
  };
  return { figures: figuresOf(siege, { quiet, times, processors, pauseMs, ...found }), pauseMs };
}

/** The calm client's times while other processes are at work, those of its first calls included, in which its code is compiled. */
async function beside(
  siege: Siege,
  client: CalmClient,
  names: readonly string[],
  items: readonly string[],
  durationMs: number,
): Promise<CalmTimes> {
  const others = names.map((name, index) =>
    startLast(join(import.meta.dirname, 'attacks/attacker.ts'), [
      name,
      JSON.stringify(targetOf(siege, index + 2, items)),
      String(durationMs),
    ]),
  );
  const over = Promise.all(others.map((child: ChildProcess) => once(child, 'exit')));
  return client.measure(over);
}

interface Found {
  quiet: CalmTimes;
  times: CalmTimes;
  /** How many the service has used. */
  processors: number;
  memoryMiB: number;
  iterationMs: number;
  refusedMs: number;
  pauseMs: number;
}

function figuresOf({ service, names }: Siege, found: Found): Figure[] {
  const { quiet, times, processors, memoryMiB, iterationMs, refusedMs, pauseMs } = found;
  const name = names.length === 1 ? names[0] : `${names.length} at a time (${names[0]} …)`;
  const isAlive = service.process.exitCode === null && service.process.signalCode === null;
  return [
    {
      ...{ name: `${name}: alive`, value: isAlive ? 1 : 0, unit: 'yes', target: { least: 1 } },
      note: `${processors.toFixed(2)} processors used`,
    },
    { name: `${name}: memory`, value: memoryMiB, unit: 'MiB', target: { most: expected.memoryMiB } },
    {
      name: `${name}: event loop, longest`,
      value: iterationMs,
      unit: 'ms',
      target: { most: expected.iterationMs },
      note: `the machine ran nothing for ${pauseMs.toFixed(0)} at most`,
    },
    ...Object.keys(times).map((kind) => calmFigure(`${name}: ${kind}`, times[kind], quiet[kind])),
    {
      ...{ name: `${name}: disabled client refused`, value: refusedMs, unit: 'ms' },
      target: { most: expected.refusedMs },
    },
  ];
}

function calmFigure(name: string, times: readonly number[], quiet: readonly number[]): Figure {
  const p99 = (all: readonly number[]) => all[Math.floor((all.length - 1) * 0.99)] ?? Number.NaN;
  const most = Number((p99(quiet) * expected.times).toPrecision(3));
  const note = `median ${median(times).toFixed(1)} of ${times.length}; calm: ${median(quiet).toFixed(1)}, 99 of 100 ${p99(quiet).toFixed(1)}`;
  return { name: `${name}, 99 of 100`, value: p99(times), unit: 'ms', target: { most }, note };
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

function calmRequests(calm: Target, items: readonly string[]): CalmRequests {
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

function targetOf(
  { service, mqttPort, session }: Siege,
  host: number,
  items: readonly string[],
): AttackTarget {
  const { url, authorization } = service;
  return {
    host: url.hostname,
    port: Number(url.port),
    mqttPort,
    authorization,
    session: session.headerText,
    localAddress: `127.0.0.${host}`,
    items,
  };
}

/** Disables a client in the middle of the attack; how long calls on its open connection are still answered after that, ms. */
async function disabled(service: Service, client: Target, durationMs: number): Promise<number> {
  const call = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"rpc.discover","params":{}}');
  const request = postBytes(client.url, client.authorization, call);
  let connection = await Client.open(client.url);
  await connection.send(request);
  await sleep(durationMs / 3);
  const bin = join(import.meta.dirname, '../bin/tidemark.js');
  await runBeside(bin, ['integration', 'disable', client.integration, '--data', service.directory]);
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
