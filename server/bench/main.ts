/**
 * npm run bench: measures the service as clients see it and prints each figure beside its target.
 *
 *   npm run bench                    every part, a few seconds each
 *   npm run bench -- --only query    one part: ingest, query, overload
 *   npm run bench -- --seconds 10    longer, steadier
 *   npm run bench -- --history       also append the figures to bench/history.ndjson
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, postBytes } from './client.ts';
import { parseRate, requestRate, requestsOf, type Shape, shapes, type Target } from './ingest.ts';
import { measureOverload, overloadArgs } from './overload.ts';
import { askMedian, insertParams, questions, type Stored, sets } from './query.ts';
import { appendHistory, type Figure, machine, printFigure } from './report.ts';
import { addIntegration, residentBytes, type Service, startService } from './service.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    times: { type: 'string', default: '30' },
    history: { type: 'boolean', default: false },
  },
});
const clients = 8;
const seconds = Number(options.seconds);

/** Runs `work` against the floor: a server that appends each body, syncs, and answers. */
async function withFloor<T>(target: Target, work: (floor: Target) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-floor-'));
  const script = join(import.meta.dirname, 'floor.ts');
  const child = spawn(process.execPath, [script, join(directory, 'log')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  try {
    return await work({ ...target, url: new URL(String(line).trim()) });
  } finally {
    child.kill();
    await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureShape(service: Service, shape: Shape): Promise<Figure[]> {
  const { bodies, requests } = requestsOf(shape, service, 20);
  const points = shape.rows * shape.series;
  const floor = await withFloor(service, (at) =>
    requestRate(at, requestsOf(shape, at, 20).requests, { clients, seconds }),
  );
  const rate = await requestRate(service, requests, { clients, seconds });
  const parse = parseRate(bodies, 0.5);
  const unit = points === 1 ? 'requests/s' : 'points/s';
  const note = `${(rate / floor).toFixed(2)} × floor (${Math.round(floor * points).toLocaleString('en')}), JSON.parse alone ${Math.round(parse * points).toLocaleString('en')}`;
  return [{ name: `ingest ${shape.name}`, value: rate * points, unit, target: { least: shape.least }, note }];
}

async function measureIngest(service: Service): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const shape of shapes) {
    figures.push(...(await measureShape(service, shape)));
    print(figures.slice(-1));
  }
  const memory = {
    name: 'memory after ingest',
    value: residentBytes(service.process) / 2 ** 20,
    unit: 'MiB',
  };
  print([memory]);
  return [...figures, memory];
}

/** Makes one call and gives its result; throws when it is refused. */
async function call(client: Client, target: Target, method: string, params: object): Promise<unknown> {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const answer = await client.send(postBytes(target.url, target.authorization, body));
  const { result, error } = JSON.parse(answer.body.toString('utf8'));
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}

/** Inserts and publishes the generated sets; the item IDs by set. */
async function store(service: Service): Promise<Stored> {
  const client = await Client.open(service.url);
  const items: Record<string, string[]> = {};
  for (const [name, { points, count }] of Object.entries(sets)) {
    const part = Math.floor(200_000 / count);
    let signals: Record<string, { id: string }> = {};
    for (let from = 0; from < points; from += part) {
      const params = insertParams(
        service.integration,
        name as keyof typeof sets,
        from,
        Math.min(points, from + part),
      );
      const result = (await call(client, service, 'integration.insert', params)) as {
        signalsByInput: typeof signals;
      };
      signals = result.signalsByInput;
    }
    const ids = Array.from({ length: count }, (_, k) => signals[`query/${name}/${k}`].id);
    const itemsBySignal = Object.fromEntries(ids.map((id) => [id, {}]));
    const published = (await call(client, service, 'admin.publishSignals', {
      integration: service.integration,
      itemsBySignal,
    })) as { itemsBySignal: Record<string, { id: string }> };
    items[name] = ids.map((id) => published.itemsBySignal[id].id);
  }
  client.close();
  return { minutes: items['minutes'], seconds: items['seconds'] };
}

async function measureQueries(service: Service): Promise<Figure[]> {
  const stored = await store(service);
  const figures: Figure[] = [];
  for (const question of questions(stored)) {
    const value = await askMedian(service, question, Number(options.times));
    figures.push({ name: question.name, value, unit: 'ms', target: { most: question.mostMs } });
    print(figures.slice(-1));
  }
  return figures;
}

async function measureFloods(service: Service): Promise<Figure[]> {
  const figures = await measureOverload(service, await addIntegration(service), await store(service));
  print(figures);
  return figures;
}

function print(figures: readonly Figure[]): void {
  for (const figure of figures) process.stdout.write(`${printFigure(figure)}\n`);
}

const startedAt = new Date().toISOString();
process.stdout.write(`${machine()}\n`);
const parts = { ingest: measureIngest, query: measureQueries, overload: measureFloods };
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (options.only !== undefined && options.only !== name) continue;
  const service = await startService(name === 'overload' ? overloadArgs : []);
  try {
    figures.push(...(await measure(service)));
  } finally {
    await service.close();
  }
}
if (options.history) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  appendHistory(join(import.meta.dirname, 'history.ndjson'), commit, startedAt, figures);
}
