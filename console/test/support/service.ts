/** A real service for the tests: the program as it is started by people, with a data directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { serviceThreads } from '../../../server/test/support/service-threads.ts';

const top = fileURLToPath(new URL('../../../', import.meta.url));
const startMs = 60_000;

/** A running service. */
export interface RunningService {
  /** Without a slash at its end; with the path prefix, if there is one. */
  url: string;
  /** The address that is bound, whatever people use. */
  listensAt: string;
  /** Of the broker; 0 without one. */
  mqttPort: number;
  /** What the first administrator has to show. */
  setupCode: string;
  stop(): Promise<void>;
}

/** Builds the console where it is out of date, then starts the service on a free port of this machine. */
export async function startService(args: readonly string[] = []): Promise<RunningService> {
  await run(process.execPath, [join(top, 'console/build.mjs')]);
  const data = await mkdtemp(join(tmpdir(), 'tidemark-console-'));
  const child = spawn(
    process.execPath,
    [join(top, 'server/bin/tidemark.js'), 'serve', '--data', data, '--port', '0', ...args],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...serviceThreads, NO_COLOR: '1' } },
  );
  const stop = async () => {
    await end(child);
    await rm(data, { recursive: true, force: true });
  };
  try {
    const start = await readStart(child);
    return { ...start, url: start.url.replace(/\/$/, ''), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Reads what the service prints until it has said where it listens, and what its set-up code is. */
function readStart(child: ChildProcess): Promise<Omit<RunningService, 'stop'>> {
  return new Promise((resolve, reject) => {
    const printed: string[] = [];
    let url = '';
    let listensAt = '';
    let mqttPort = 0;
    const fail = (why: string) => reject(new Error(`${why}\n${printed.join('\n')}`));
    const timer = setTimeout(() => fail('the service did not start in time'), startMs);
    const read = (line: string) => {
      printed.push(line);
      const entry = parseLine(line);
      if (typeof entry.baseUrl === 'string') {
        url = entry.baseUrl;
        listensAt = String(entry.url);
        mqttPort = typeof entry.mqtt === 'string' ? Number(new URL(entry.mqtt).port) : 0;
      }
      if (typeof entry.setupCode !== 'string') return;
      clearTimeout(timer);
      resolve({ url, listensAt, mqttPort, setupCode: entry.setupCode });
    };
    createInterface({ input: child.stdout! }).on('line', read);
    createInterface({ input: child.stderr! }).on('line', read);
    child.once('exit', (code) => fail(`the service ended with ${code}`));
  });
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${code}`)),
    );
  });
}
