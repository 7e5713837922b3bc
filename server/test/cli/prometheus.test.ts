/**
 * A real Prometheus scrapes a target of this test and sends to the service at a limited rate, while each of the two is stopped and
 * started. Takes as long as the scrapes do: `PROMETHEUS_S` of them, by default 10.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { findTool } from '../support/machine-tools.ts';
import { freePorts } from '../support/server-process.ts';
import { callBasic, readCredentials, serve, temporaryDirectory, tidemark, until } from './process.ts';

const scrapes = Number(process.env.PROMETHEUS_S ?? 10);
const waitMs = 60_000 + scrapes * 2000;

/** What is scraped. */
interface Target {
  port: number;
  /** While it is set, scrapes are answered with an error. */
  isPaused: boolean;
  /** Scrapes that were answered with values, and those that were not. */
  count: number;
  refused: number;
}

/** A target with a number that goes up with each scrape, under two labels; the second ends in the middle. */
async function startTarget(t: TestContext): Promise<Target> {
  const target: Target = { port: 0, isPaused: false, count: 0, refused: 0 };
  const server = createServer((_, response) => {
    if (target.isPaused) {
      target.refused++;
      response.writeHead(503).end();
      return;
    }
    const count = ++target.count;
    const second = count > scrapes / 2 ? '' : `test_scrapes{half="first"} ${count + 0.5}\n`;
    response.end(`# TYPE test_scrapes gauge\ntest_scrapes{half="all"} ${count}\n${second}`);
  });
  target.port = await listen(t, server);
  return target;
}

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

function configOf(target: number, service: number, { credentials }: CredentialsFile): string {
  return JSON.stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s' },
    scrape_configs: [{ job_name: 'test', static_configs: [{ targets: [`127.0.0.1:${target}`] }] }],
    remote_write: [
      {
        url: `http://127.0.0.1:${service}/api/v1/write`,
        basic_auth: { username: credentials.clientId, password: credentials.clientSecret },
        queue_config: {
          ...{ min_backoff: '50ms', max_backoff: '500ms', batch_send_deadline: '200ms' },
          ...{ max_shards: 1, retry_on_http_429: true },
        },
      },
    ],
  });
}

/** A Prometheus that can be stopped and started again over the same data. */
class Prometheus {
  readonly #program: string;
  readonly #directory: string;
  readonly #port: number;
  #child: ChildProcess | null = null;
  #output = '';

  constructor(t: TestContext, program: string, directory: string, port: number) {
    this.#program = program;
    this.#directory = directory;
    this.#port = port;
    t.after(() => this.stop('SIGKILL'));
  }

  get output(): string {
    return this.#output;
  }

  start(): void {
    const args = [
      `--config.file=${join(this.#directory, 'prometheus.json')}`,
      `--storage.tsdb.path=${join(this.#directory, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${this.#port}`,
    ];
    this.#child = spawn(this.#program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child.stderr!.on('data', (chunk) => (this.#output += chunk));
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  /** One of its own metrics; NaN while it does not answer. */
  async metric(name: string): Promise<number> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/metrics`);
      return Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(await answer.text())?.[1]);
    } catch {
      return Number.NaN;
    }
  }

  /** All samples that it has: label → time in ms → value. Empty while it does not answer. */
  async samples(): Promise<Map<string, Map<number, number>>> {
    const query = encodeURIComponent('test_scrapes[1h]');
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/api/v1/query?query=${query}`);
      const { data } = (await answer.json()) as {
        data: { result: { metric: { half: string }; values: [number, string][] }[] };
      };
      return new Map(
        data.result.map(({ metric, values }) => [
          metric.half,
          new Map(values.map(([s, value]) => [Math.round(s * 1000), Number(value)])),
        ]),
      );
    } catch {
      return new Map();
    }
  }
}

interface Frame {
  times: string[];
  series: Record<string, (number | null)[]>;
}

/** What the service has, in the same form; publishes the signals when they exist. Empty while it does not answer. */
async function stored(file: CredentialsFile): Promise<Map<string, Map<number, number>>> {
  const call = async <R>(method: string, params: object): Promise<R> => {
    const { body } = await callBasic<R>(file, method, params);
    if (body.result === undefined) throw new Error(body.error?.message);
    return body.result;
  };
  const all = new Map<string, Map<number, number>>();
  const { integration } = file;
  const query = { filter: { 'labels._measurement': 'test_scrapes' } };
  type Signal = {
    id: string;
    attributes: { labels: { half: string[] } };
    relationships: { item: { data: { id: string } | null } };
  };
  const select = () => call<{ data: Signal[] }>('admin.selectSignals', { integration, query });
  try {
    const { data: fresh } = await select();
    const itemsBySignal = Object.fromEntries(fresh.map(({ id }) => [id, { visible: true }]));
    await call('admin.publishSignals', { integration, itemsBySignal });
    const { data } = await select();
    for (const { attributes, relationships } of data) {
      const item = relationships.item.data?.id ?? '';
      const times = { $gte: new Date(Date.now() - 3.6e6), $lt: new Date(Date.now() + 3.6e6) };
      const { data: frame } = await call<{ data: Frame }>('service.dataFrame', {
        query: { filter: { id: item } },
        data: { filter: { times } },
      });
      const points = frame.times.map((time, i): [number, number] => [
        Date.parse(time),
        frame.series[item][i]!,
      ]);
      all.set(attributes.labels.half[0], new Map(points));
    }
  } catch {
    return new Map();
  }
  return all;
}

/** Whether one has exactly what the other has up to its last sample. */
function hasAll(own: Map<string, Map<number, number>>, expected: Map<string, Map<number, number>>): boolean {
  return expected.size > 0 && differences(own, expected).length === 0;
}

/** What one has otherwise than the other up to the last sample of that one, a text for each. */
function differences(
  own: Map<string, Map<number, number>>,
  expected: Map<string, Map<number, number>>,
): string[] {
  return [...expected].flatMap(([half, samples]) => {
    const points = own.get(half) ?? new Map<number, number>();
    const last = Math.max(...samples.keys());
    const missing = [...samples].filter(([ms, value]) => points.get(ms) !== value);
    const extra = [...points].filter(([ms]) => ms <= last && !samples.has(ms));
    const text = ([ms, value]: [number, number]) => `${half} ${value} at ${new Date(ms).toISOString()}`;
    return [
      ...missing.map((one) => `missing: ${text(one)}`),
      ...extra.map((one) => `not scraped: ${text(one)}`),
    ];
  });
}

/** Samples that Prometheus has sent again, and those that it has given up. */
const retried = 'prometheus_remote_storage_samples_retried_total';
const failed = 'prometheus_remote_storage_samples_failed_total';

/** A data directory with an integration whose rate is below that at which Prometheus sends, and the service's start. */
async function prepare(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const [port] = await freePorts(1);
  const credentials = join(directory, 'credentials.json');
  const env = { TIDEMARK_DATA: data, TIDEMARK_BASE_URL: `http://127.0.0.1:${port}` };
  const command = async (...args: string[]) => {
    const { code, stderr } = await tidemark(args, { env });
    assert.equal(code, 0, stderr);
  };
  const grants = ['--grant', 'admin', '--grant', 'service'];
  await command(
    'integration',
    'create',
    'Prometheus',
    '--type',
    'basic-auth',
    ...grants,
    '--credentials',
    credentials,
  );
  await command('plan', 'set', 'default', '--rate', 'integration.insert=45/min,burst=1');
  const start = () => serve(t, data, ['--port', String(port)], { env });
  return { directory, file: await readCredentials(credentials), start };
}

/**
 * Lets scrapes fail, until one has that began after the last with values was over. What Prometheus has not read from its own log when
 * it stops, a few milliseconds' worth, it never sends: after a start it begins with what is newer.
 */
async function pause(
  target: Target,
  wait: (what: string, isTrue: () => boolean) => Promise<void>,
): Promise<void> {
  const from = target.refused;
  target.isPaused = true;
  await wait('it scrapes while the target fails', () => target.refused >= from + 2);
}

test('I3, I3b, I3d what a real Prometheus scrapes is here, whichever of the two is stopped, in spite of a limit', async (t) => {
  const program = findTool(t, 'prometheus');
  if (program === null) return;
  const { file, directory, start } = await prepare(t);
  const target = await startTarget(t);
  await writeFile(
    join(directory, 'prometheus.json'),
    configOf(target.port, Number(new URL(file.apiUrl).port), file),
  );
  const prometheus = new Prometheus(t, program, directory, (await freePorts(1))[0]);
  const wait = async (what: string, isTrue: () => Promise<boolean> | boolean) =>
    assert.ok(await until(isTrue, waitMs), `${what}\n${prometheus.output.slice(-2000)}`);
  const more = async (count: number) => {
    const from = target.count;
    await wait('it scrapes', () => target.count >= from + count);
  };
  const waitForAll = async () => {
    const expected = await prometheus.samples();
    const areHere = await until(async () => hasAll(await stored(file), expected), waitMs);
    if (!areHere)
      assert.deepEqual(differences(await stored(file), expected), [], prometheus.output.slice(-2000));
    return expected;
  };

  let service = await start();
  prometheus.start();
  await wait('samples arrive', async () => (await stored(file)).size > 0);
  await wait('a request is refused for its rate', async () => (await prometheus.metric(retried)) > 0);
  await service.stop('SIGKILL');
  await more(Math.ceil(scrapes / 3));
  service = await start();
  await more(1);
  await pause(target, wait);
  await waitForAll();
  assert.equal(await prometheus.metric(failed), 0);
  await prometheus.stop();
  prometheus.start();
  target.isPaused = false;
  await more(Math.ceil(scrapes / 3));
  await wait('all scrapes', () => target.count >= scrapes);
  await wait('the end of a series', async () => {
    const samples = await prometheus.samples();
    return (
      Math.max(...(samples.get('all')?.keys() ?? [0])) > Math.max(...(samples.get('first')?.keys() ?? [1e15]))
    );
  });
  const expected = await waitForAll();
  assert.deepEqual([...expected.keys()].sort(), ['all', 'first']);
  assert.equal(await prometheus.metric(failed), 0);
  assert.ok([...(expected.get('all') ?? [])].length >= Math.floor(scrapes / 2));
});
