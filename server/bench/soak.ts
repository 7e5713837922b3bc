/**
 * A plant's day, again and again: inserts, reads, tokens and a console, at a rate that the machine can bear, for minutes. After the
 * first of them, in which caches fill, the service must not take more memory.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.ts';
import { type ConsoleSession, signIn } from './console-session.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';
import { createClient, residentBytes, type Service } from './service.ts';

/** Of the person that {@link soakArgs} makes. */
export const soakPassword = 'a long password of a soak';

/** Arguments with which the service has a person who can sign in; the password's file goes into a directory. */
export function soakArgs(directory: string): string[] {
  const file = join(directory, 'password');
  writeFileSync(file, soakPassword, { mode: 0o600 });
  return ['--admin-name', 'admin', '--admin-password-file', file];
}

/** The part of the time in which caches fill. */
const fillingPart = 0.3;

/** How much more memory a service may take at the end than when its caches were full: garbage is collected now and then. */
const growthMax = 1.1;

/** Columns and rows of one insert; a writer sends several of them a second. */
const seriesCount = 100;
const rowCount = 20;
const writerCount = 4;
const writerPauseMs = 100;

const tokenPauseMs = 500;

const mebibyte = 1024 * 1024;
const startMs = Date.UTC(2024, 0, 1);

/** Ends with its soak. */
interface Soak {
  service: Service;
  isOver: boolean;
  /** Rows that each writer has sent. */
  rows: number;
  calls: number;
}

/** Loads a service for so many minutes, and says how its memory went. */
export async function measureSoak(service: Service, minutes: number, run: Run): Promise<Figure[]> {
  const soak: Soak = { service, isOver: false, rows: 0, calls: 0 };
  const session = await signIn(service.url, 'admin', soakPassword);
  const workers = [
    ...Array.from({ length: writerCount }, (_, writer) => write(soak, writer)),
    read(soak, '$between'),
    read(soak, 'late'),
    takeTokens(soak),
    lookAtConsole(soak, session),
  ];
  const samples = await watch(soak, minutes, run);
  soak.isOver = true;
  await Promise.all(workers);
  return run.print(figuresOf(soak, samples, minutes));
}

/** Resident bytes, ten times a minute. */
async function watch(soak: Soak, minutes: number, run: Run): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; i < minutes * 10; i++) {
    await sleep(run.isTiny ? 200 : 6000);
    samples.push(residentBytes(soak.service.process));
    if (i % 10 === 9)
      process.stdout.write(`  minute ${(i + 1) / 10}: ${Math.round(samples[i] / mebibyte)} MiB\n`);
  }
  return samples;
}

function figuresOf({ calls }: Soak, samples: readonly number[], minutes: number): Figure[] {
  const filled = samples.slice(Math.floor(samples.length * fillingPart));
  const third = Math.max(1, Math.floor(filled.length / 3));
  const [first, last] = [filled.slice(0, third), filled.slice(-third)].map(middle);
  const note = `${Math.round(first / mebibyte)} to ${Math.round(last / mebibyte)} MiB in ${minutes} minutes, ${calls} calls`;
  return [
    {
      name: 'soak: memory at the end, of that after filling',
      value: last / first,
      unit: '',
      target: { most: growthMax },
      note,
    },
  ];
}

function middle(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1];
}

async function write(soak: Soak, writer: number): Promise<void> {
  const { url, authorization, integration } = soak.service;
  const client = await Client.open(url);
  const values = new Float64Array(seriesCount);
  for (let row = 0; !soak.isOver; row += rowCount) {
    const times = Array.from({ length: rowCount }, (_, i) =>
      new Date(startMs + (row + i) * 1000).toISOString(),
    );
    const series = Object.fromEntries(
      Array.from(values, (_, k) => [`soak-${writer}/${k}`, times.map(() => step(values, k))]),
    );
    await client.call({ url, authorization }, 'integration.insert', { integration, data: { times, series } });
    soak.rows = row + rowCount;
    soak.calls++;
    await sleep(writerPauseMs);
  }
  client.close();
}

/** A walk with one decimal. */
function step(values: Float64Array, k: number): number {
  values[k] += Math.round(Math.sin(values[k] * 12.9898 + k) * 10) / 10;
  return values[k];
}

/** Publishes the signals of the writers, and reads them: new points, and ranges of old ones. */
async function read(soak: Soak, kind: 'late' | '$between'): Promise<void> {
  const caller = soak.service;
  const client = await Client.open(caller.url);
  const items = await publish(soak, client);
  for (let turn = 0; !soak.isOver; turn++) {
    const endMs = startMs + soak.rows * 1000;
    const fromMs =
      kind === 'late' ? endMs - 600_000 : startMs + ((turn * 7919) % Math.max(1, soak.rows)) * 1000;
    const toMs = kind === 'late' ? endMs : fromMs + 3_600_000;
    const times = { $gte: new Date(fromMs).toISOString(), $lt: new Date(toMs).toISOString() };
    const chosen = items.slice((turn * 10) % items.length, ((turn * 10) % items.length) + 10);
    const wanted = chosen.map((id, i) => ({ id, alias: `a${i}`, aggregation: 'avg' }));
    const params = {
      items: wanted,
      calculations: [],
      data: { filter: { times }, rollup: turn % 3 === 0 ? undefined : 'PT1M' },
    };
    await client.call(caller, 'service.evaluate', params);
    soak.calls++;
    await sleep(writerPauseMs);
  }
  client.close();
}

async function publish(soak: Soak, client: Client): Promise<string[]> {
  const caller = soak.service;
  const { integration } = caller;
  while (soak.rows === 0) await sleep(50);
  const { data } = await client.call<{ data: { id: string }[] }>(caller, 'admin.selectSignals', {
    integration,
    query: { limit: writerCount * seriesCount },
  });
  const ids = data.map(({ id }) => id);
  const itemsBySignal = Object.fromEntries(ids.map((id) => [id, { name: `Item of ${id}`, visible: true }]));
  const published = await client.call<{ itemsBySignal: Record<string, { id: string }> }>(
    caller,
    'admin.publishSignals',
    {
      integration,
      itemsBySignal,
    },
  );
  return Object.values(published.itemsBySignal).map(({ id }) => id);
}

/** Takes tokens as a scheduled program does, and uses each for a call. */
async function takeTokens(soak: Soak): Promise<void> {
  const { url, directory } = soak.service;
  const { clientId, clientSecret } = await createClient(directory);
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret },
  });
  while (!soak.isOver) {
    const answer = await fetch(new URL('/v1/oauth/token', url), { method: 'POST', body });
    const { access_token: token } = (await answer.json()) as { access_token?: string };
    if (answer.ok) await discover(url, String(token));
    soak.calls++;
    await sleep(tokenPauseMs);
  }
}

async function discover(url: URL, token: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'x-api-version': '1.2',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'rpc.discover', params: {} });
  await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer();
}

async function lookAtConsole(soak: Soak, session: ConsoleSession): Promise<void> {
  while (!soak.isOver) {
    for (const method of ['console.overview', 'console.usage', 'console.integrations.list']) {
      await session.call(method, {});
      soak.calls++;
    }
    await sleep(1000);
  }
}
