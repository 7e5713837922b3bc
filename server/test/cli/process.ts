/** Runs the command as a person would: as a process of its own, with a data directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { fileURLToPath } from 'node:url';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { compileCache } from '../support/compile-cache.ts';
import { type Ending, temporaryDirectory } from '../support/directory.ts';
import { serviceThreads } from '../support/service-threads.ts';
import { tokenCache } from '../support/token-cache.ts';

export { type Ending, temporaryDirectory } from '../support/directory.ts';

/** The command's file. */
export const bin = fileURLToPath(new URL('../../bin/tidemark.js', import.meta.url));

/** What a run left behind. */
export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How to run. */
export interface RunOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string | Uint8Array;
  /** Another file than {@link bin}. */
  bin?: string;
  nodeOptions?: string[];
  /** Kills the command when it is aborted. */
  signal?: AbortSignal;
  /** Called with the process of a service that starts. */
  onStart?: (child: ChildProcess) => unknown;
  /** Gets everything that has been written to stderr so far, each time there is more. */
  onStderr?: (text: string) => void;
}

/** Nothing of the machine's own TIDEMARK_ variables reaches the command. */
function cleanEnv(extra: Record<string, string> = {}): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TIDEMARK_') && name !== 'NODE_OPTIONS',
  );
  return { ...Object.fromEntries(own), ...compileCache, ...tokenCache, ...serviceThreads, ...extra };
}

function start(args: readonly string[], options: RunOptions): ChildProcess {
  const { env, cwd, nodeOptions = [] } = options;
  return spawn(process.execPath, [...nodeOptions, options.bin ?? bin, ...args], { env: cleanEnv(env), cwd });
}

/** Runs the command to its end. */
export async function tidemark(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = start(args, options);
  const output = { stdout: '', stderr: '' };
  child.stdout!.on('data', (chunk) => (output.stdout += chunk));
  child.stderr!.on('data', (chunk) => {
    output.stderr += chunk;
    options.onStderr?.(output.stderr);
  });
  options.signal?.addEventListener('abort', () => child.kill('SIGKILL'));
  child.stdin!.on('error', () => {}); // It may have ended without reading.
  child.stdin!.end(options.input ?? '');
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** Commands on a data directory of the test, and where its credentials file goes; `succeed` fails where a command does. */
export async function commandsIn(t: Ending) {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const credentials = join(directory, 'c.json');
  const command = (...args: string[]) => tidemark([...args, '--data', data]);
  const succeed = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(...args);
    if (code !== 0) throw new Error(`tidemark ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return { directory, data, credentials, command, succeed };
}

/** A running `tidemark serve`. */
export interface Serving {
  url: string;
  child: ChildProcess;
  /** Everything that it has written so far. */
  output: { stdout: string; stderr: string };
  /** Sends a signal and waits for the end; the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `tidemark serve` on a free port; ready when it listens. It is killed at the end of the test. */
export async function serve(
  t: Ending,
  data: string,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Serving> {
  const child = start(['serve', '--data', data, '--port', '0', ...args], options);
  options.onStart?.(child);
  const closed = once(child, 'close');
  const output = { stdout: '', stderr: '' };
  child.stderr!.on('data', (chunk) => (output.stderr += chunk));
  const listening = new Promise<string>((resolve) => {
    child.stdout!.on('data', (chunk) => {
      output.stdout += chunk;
      const line = output.stdout.split('\n').find((text) => text.includes('listening')) ?? '';
      const found = /\burl(?:=|":")(https?:[^" ]+)/.exec(line);
      if (found !== null) resolve(found[1]);
    });
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const failed = closed.then(([code]) => {
    throw new Error(`serve ended with ${code}: ${output.stderr}${output.stdout}`);
  });
  failed.catch(() => {});
  const url = await Promise.race([listening, failed]);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    const [code] = await closed;
    return code;
  };
  return { url, child, output, stop };
}

/** Waits until something is true, for at most this long. */
export async function until(isTrue: () => Promise<boolean> | boolean, msMax: number): Promise<boolean> {
  const endMs = performance.now() + msMax;
  while (performance.now() < endMs) {
    if (await isTrue()) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return isTrue();
}

/** Reads a credentials file. */
export async function readCredentials(path: string): Promise<CredentialsFile> {
  return JSON.parse(await readFile(path, 'utf8'));
}

/** What a call was answered. */
export interface Answer<Result> {
  status: number;
  body: { result?: Result; error?: { code: number; message: string } };
}

/** Calls a method with Basic credentials; the HTTP status and the body. */
export async function callBasic<Result>(
  { apiUrl, credentials }: CredentialsFile,
  method: string,
  params: object,
): Promise<Answer<Result>> {
  const authorization = `Basic ${Buffer.from(`${credentials.clientId}:${credentials.clientSecret}`).toString('base64')}`;
  return post(apiUrl, authorization, method, params);
}

/** Calls a method with a token that the credentials are exchanged for. */
export async function callBearer<Result>(
  { apiUrl, credentials }: CredentialsFile,
  method: string,
  params: object,
): Promise<Answer<Result>> {
  const response = await fetch(`${apiUrl}oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      client_secret: credentials.clientSecret,
      audience: apiUrl,
    }),
  });
  const { access_token } = (await response.json()) as { access_token?: string };
  return post(apiUrl, `Bearer ${access_token}`, method, params);
}

async function post(apiUrl: string, authorization: string, method: string, params: object) {
  const response = await fetch(`${apiUrl}rpc`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: authorization },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
