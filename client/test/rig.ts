/** A service as a process, with an integration, for the tests of the clients: it can be started again on the same port. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  callBasic,
  type Ending,
  readCredentials,
  type Serving,
  serve,
  temporaryDirectory,
  tidemark,
} from '../../server/test/cli/process.ts';

/** The credentials file of the integration. */
type CredentialsFile = Awaited<ReturnType<typeof readCredentials>>;

/** A directory with the data of a service, and what is needed to use it. */
export interface Rig {
  /** For files of the test. */
  directory: string;
  data: string;
  /** Those of a file; `apiUrl` is the address of the running service. */
  credentials: CredentialsFile;
  /** Starts the service; a further time on the port that it had. */
  start(args?: readonly string[]): Promise<Serving>;
  /** Runs a command on the data directory. */
  run(args: readonly string[]): Promise<string>;
  /** The points of the signal `number` before a second: how many, and their sum. */
  numbers(endS?: number): Promise<{ count: number; sum: number }>;
}

/** Creates the data directory and an integration with all grants. */
export async function open(t: Ending): Promise<Rig> {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const path = join(directory, 'credentials.json');
  const run = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await tidemark([...args, '--data', data]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const grants = ['--grant', 'admin', '--grant', 'service'];
  await run(['integration', 'create', 'plant', ...grants, '--type', 'basic-auth', '--credentials', path]);
  const credentials = await readCredentials(path);
  let port: string | null = null;
  const start = async (args: readonly string[] = []) => {
    const service = await serve(t, data, port === null ? args : [...args, '--port', port]);
    port = new URL(service.url).port;
    credentials.apiUrl = `${service.url}/v1/`;
    return service;
  };
  return { directory, data, credentials, start, run, numbers: (endS) => readNumbers(credentials, endS) };
}

async function readNumbers(file: CredentialsFile, endS = 4_000_000_000) {
  const { integration } = file;
  const data = { times: [], series: { number: [] } };
  const { signalsByInput } = await call(file, 'integration.insert', { integration, data });
  const { id } = signalsByInput['number'];
  const { itemsBySignal } = await call(file, 'admin.publishSignals', {
    integration,
    itemsBySignal: { [id]: {} },
  });
  const { data: frame } = await call(file, 'service.evaluate', {
    items: ['count', 'sum'].map((aggregation) => ({
      ...{ id: itemsBySignal[id].id, aggregation, alias: aggregation },
    })),
    data: { filter: { times: { $gte: 0, $lt: endS } }, rollup: 'window' },
  });
  return { count: frame.series.count[0] ?? 0, sum: frame.series.sum[0] ?? 0 };
}

/** What the calls above are answered. */
interface Result {
  signalsByInput: Record<string, { id: string }>;
  itemsBySignal: Record<string, { id: string }>;
  data: { series: Record<string, (number | null)[]> };
}

async function call(file: CredentialsFile, method: string, params: object): Promise<Result> {
  const { body } = await callBasic<Result>(file, method, params);
  assert.ok(body.result !== undefined, JSON.stringify(body));
  return body.result;
}

/** Lets no file of a process grow beyond these bytes. */
export async function limitFiles(pid: number, bytes: number | 'unlimited'): Promise<void> {
  const child = spawn('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, 'prlimit (util-linux) failed');
}
