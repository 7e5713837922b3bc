/** The service under measurement: a child process on a data directory of its own, as an operator would start it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Target } from './ingest.ts';

const bin = join(import.meta.dirname, '../bin/tidemark.js');

/** A running service with one integration that may do everything. */
export interface Service extends Target {
  process: ChildProcess;
  directory: string;
  /** Ends the process and starts another one on the same data; how long that one took until it was ready, ms. */
  restart(): Promise<number>;
  /** Ends the process and removes the data. */
  close(): Promise<void>;
}

/** Starts the service in a new directory; rejects when it is not ready within two minutes. */
export async function startService(more: readonly string[] = []): Promise<Service> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-'));
  const data = join(directory, 'data');
  const granted = await createIntegration(data, join(directory, 'credentials.json'));
  const port = await freePort();
  const args = [bin, 'serve', '--data', data, '--port', String(port), '--log-level', 'error', ...more];
  const url = new URL(`http://127.0.0.1:${port}/v1/rpc`);
  const service: Service = {
    ...{ url, ...granted, directory: data, process: await launch(args, url) },
    async restart() {
      await endProcess(service.process);
      const startMs = performance.now();
      service.process = await launch(args, url);
      return performance.now() - startMs;
    },
    async close() {
      await endProcess(service.process);
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return service;
}

/** Where metadata and points are, as options of every command, if not in a data directory. */
export type StoreArgs = readonly string[];

/** A node of a service on servers that `store` names, and its process. Rejects when it is not ready within two minutes. */
export async function startNode(
  store: StoreArgs,
  credentials: Pick<Target, 'integration' | 'authorization'>,
): Promise<Target & { process: ChildProcess }> {
  const port = await freePort();
  const url = new URL(`http://127.0.0.1:${port}/v1/rpc`);
  const args = [bin, 'serve', ...store, '--port', String(port), '--log-level', 'error'];
  return { url, ...credentials, process: await launch(args, url) };
}

/** Starts the service; resolves when it says that it is ready, and ends it where it does not in time. */
async function launch(args: readonly string[], url: URL): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    await untilAnswers(new URL('/readyz', url), child);
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Ends a process by SIGTERM, and waits until it is gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

let addedCount = 0;

/** Another integration of a running service that may do everything. */
export async function addIntegration({ url, directory }: Service): Promise<Target> {
  const file = join(directory, `../credentials-${++addedCount}.json`);
  return { url, ...(await createIntegration(directory, file)) };
}

/** Resident memory of a process, bytes: now, or the most it ever had. NaN where there is no /proc. */
export function residentBytes({ pid }: ChildProcess, which: 'now' | 'most' = 'now'): number {
  const text = readProcess(pid, 'status');
  const found = (which === 'now' ? /VmRSS:\s+(\d+) kB/ : /VmHWM:\s+(\d+) kB/).exec(text);
  return Number(found?.[1] ?? Number.NaN) * 1024;
}

/** Processor time that a process has used, all its threads, s. NaN where there is no /proc. */
export function processorSeconds({ pid }: ChildProcess): number {
  const text = readProcess(pid, 'stat');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  // utime and stime, in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Bytes that a process has written to the disk; 0 where its files are in memory, NaN where there is no /proc. */
export function writtenBytes({ pid }: ChildProcess): number {
  return Number(/\nwrite_bytes: (\d+)/.exec(readProcess(pid, 'io'))?.[1] ?? Number.NaN);
}

function readProcess(pid: number | undefined, name: string): string {
  const file = `/proc/${pid}/${name}`;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function createIntegration(
  data: string,
  file: string,
): Promise<{ integration: string; authorization: string }> {
  return createIntegrationIn(['--data', data], file);
}

/** Makes an integration in a store, with its credentials in a file. */
export async function createIntegrationIn(
  store: StoreArgs,
  file: string,
): Promise<{ integration: string; authorization: string }> {
  const args = ['integration', 'create', 'bench', '--grant', 'admin', '--grant', 'service'];
  const options = ['--type', 'basic-auth', '--credentials', file, ...store];
  await promisify(execFile)(process.execPath, [bin, ...args, ...options]);
  const { integration, credentials } = JSON.parse(readFileSync(file, 'utf8'));
  const pair = Buffer.from(`${integration}:${credentials.clientSecret}`).toString('base64');
  return { integration, authorization: `Basic ${pair}` };
}

/** A client of a data directory that takes tokens. */
export async function createClient(data: string): Promise<{ clientId: string; clientSecret: string }> {
  const file = join(data, '../client.json');
  const args = ['integration', 'create', 'token client', '--type', 'client-credentials'];
  await promisify(execFile)(process.execPath, [bin, ...args, '--credentials', file, '--data', data]);
  return JSON.parse(readFileSync(file, 'utf8')).credentials;
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Asks until it is answered with success; rejects after two minutes, or when the process has ended. */
export async function untilAnswers(url: URL, child: ChildProcess): Promise<void> {
  const giveUpMs = performance.now() + 120_000;
  while (performance.now() < giveUpMs && child.exitCode === null) {
    const response = await fetch(url).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await sleep(5);
  }
  const state = child.exitCode === null ? 'runs' : `ended with ${child.exitCode}`;
  throw new Error(`nothing answers at ${url}; the process ${state}`);
}

/** The text of the service's metrics. */
export async function metricsOf({ url }: Pick<Target, 'url'>): Promise<string> {
  return (await fetch(new URL('/metrics', url))).text();
}

/** The delay of event loops that 99 of 100 timers had at most since the last call, ms: of the service thread with the longest. */
export async function loopDelayMs(service: Pick<Target, 'url'>): Promise<number> {
  const text = await metricsOf(service);
  const found = text.matchAll(/^tidemark_event_loop_delay_seconds\{[^}]*quantile="0.99"[^}]*\} (\S+)$/gm);
  return Math.max(...Array.from(found, ([, seconds]) => Number(seconds) * 1000));
}

/** The longest iteration of the service's event loops since this was asked last, ms. */
export async function longestIterationMs(service: Pick<Target, 'url'>): Promise<number> {
  const text = await metricsOf(service).catch(() => '');
  const found = text.matchAll(/^tidemark_event_loop_iteration_seconds_max\{[^}]*\} (\S+)$/gm);
  return Math.max(...Array.from(found, ([, seconds]) => Number(seconds) * 1000));
}

/** Waits until what was inserted is in blocks, all but a remainder that is not worth it; a minute at most. */
export async function untilSealed({ url }: Target): Promise<void> {
  const giveUpMs = performance.now() + 60_000;
  while (performance.now() < giveUpMs) {
    const text = await metricsOf({ url });
    const logBytes = Number(/^tidemark_store_log_bytes (\S+)$/m.exec(text)?.[1]);
    if (logBytes < 1_000_000) return;
    await sleep(100);
  }
}
