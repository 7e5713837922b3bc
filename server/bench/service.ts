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
  /** Ends the process and removes the data. */
  close(): Promise<void>;
}

/** Starts the service in a new directory; rejects when it is not ready within half a minute. */
export async function startService(more: readonly string[] = []): Promise<Service> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-'));
  const data = join(directory, 'data');
  const { integration, authorization } = await createIntegration(data, join(directory, 'credentials.json'));
  const port = await freePort();
  const args = [bin, 'serve', '--data', data, '--port', String(port), '--log-level', 'error', ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = new URL(`http://127.0.0.1:${port}/v1/rpc`);
  await healthy(new URL('/healthz', url), child);
  const close = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  };
  return { url, integration, authorization, process: child, directory: data, close };
}

/** Another integration of a running service that may do everything. */
export async function addIntegration({ url, directory }: Service): Promise<Target> {
  return { url, ...(await createIntegration(directory, join(directory, '../credentials-2.json'))) };
}

/** Resident memory of a process, bytes (Linux), else NaN. */
export function residentBytes(child: ChildProcess): number {
  const file = `/proc/${child.pid}/status`;
  if (!existsSync(file)) return Number.NaN;
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1] ?? Number.NaN) * 1024;
}

async function createIntegration(
  data: string,
  file: string,
): Promise<{ integration: string; authorization: string }> {
  const args = ['integration', 'create', 'bench', '--grant', 'admin', '--grant', 'service'];
  const options = ['--type', 'basic-auth', '--credentials', file, '--data', data];
  await promisify(execFile)(process.execPath, [bin, ...args, ...options]);
  const { integration, credentials } = JSON.parse(readFileSync(file, 'utf8'));
  const pair = Buffer.from(`${integration}:${credentials.clientSecret}`).toString('base64');
  return { integration, authorization: `Basic ${pair}` };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function healthy(url: URL, child: ChildProcess): Promise<void> {
  for (let i = 0; i < 300 && child.exitCode === null; i++) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    await sleep(100);
  }
  throw new Error('the service did not become ready');
}
