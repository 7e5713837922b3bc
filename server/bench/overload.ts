/**
 * More than the service can do: what one integration that floods it gets, and what another one, which does not, still
 * gets meanwhile. Flood, calm one and service share the cores of one machine, so the calm one waits for the flood's client
 * too: its time without any flood is printed next to each figure.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, postBytes } from './client.ts';
import { shapeOf } from './frames.ts';
import { requestsOf, type Target } from './ingest.ts';
import { questions } from './query.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import { loopDelayMs, metricsOf, residentBytes, type Service } from './service.ts';
import { type Stored, storeSets } from './stored.ts';

/** The service is started with these, so that 10,000 idle connections leave enough connections for active clients. */
export const overloadArgs = ['--limit', 'connectionsMax=25000', '--limit', 'connectionsPerAddressMax=12000'];

/** How many of each, and how long. */
interface Sizes {
  idleCount: number;
  slowCount: number;
  insertCount: number;
  evaluateCount: number;
  /** How long the well-behaved client is measured during each flood, ms. */
  watchMs: number;
}

const realSizes: Sizes = {
  idleCount: 10_000,
  slowCount: 1000,
  insertCount: 500,
  evaluateCount: 200,
  watchMs: 4000,
};
const tinySizes: Sizes = { idleCount: 50, slowCount: 10, insertCount: 20, evaluateCount: 5, watchMs: 200 };

/** A rejected client retries after this time, ms: sooner than Retry-After, as flooding clients do. */
const impatienceMs = 50;

/** Between two calls of the calm one, ms. */
const pauseMs = 10;

/** Measures everything; `calm` is another integration of the same service. */
export async function measureOverload(service: Service, calm: Target, run: Run): Promise<Figure[]> {
  const sizes = run.isTiny ? tinySizes : realSizes;
  const stored = await storeSets(service);
  const insert = smallInsert(calm);
  const read = smallRead(calm, stored);
  const quiet = {
    insert: await calmTimes(calm, insert, () => sleep(sizes.watchMs / 4)),
    read: await calmTimes(calm, read, () => sleep(sizes.watchMs / 4)),
  };
  return [
    ...run.print(await idleConnections(service, calm, insert, quiet.insert, sizes)),
    ...run.print(await slowClients(service, calm, insert, quiet.insert, sizes)),
    ...run.print(await parallelInserts(service, calm, insert, quiet.insert, sizes)),
    ...run.print(await parallelEvaluates(service, calm, read, quiet.read, stored, sizes)),
  ];
}

function smallInsert(target: Target): Buffer {
  return requestsOf(shapeOf('1×1'), target, 1)[0];
}

/** One day of one signal by the hour. */
function smallRead(target: Target, { minutes }: Stored): Buffer {
  const items = [{ id: minutes[0], alias: 'a', aggregation: 'avg' }];
  const times = { $gte: '2024-03-26T00:00:00Z', $lt: '2024-03-27T00:00:00Z' };
  return evaluation(target, { items, calculations: [], data: { filter: { times }, rollup: 'PT1H' } });
}

function evaluation({ url, authorization }: Target, params: object): Buffer {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'service.evaluate', params });
  return postBytes(url, authorization, Buffer.from(body));
}

/** Times of the calm one's calls while `meanwhile` lasts, ms, ascending. Every one of them must succeed. */
async function calmTimes(
  calm: Target,
  request: Buffer,
  meanwhile: () => Promise<unknown>,
): Promise<number[]> {
  const client = await Client.open(calm.url);
  const times: number[] = [];
  let isOver = false;
  const end = meanwhile().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const startMs = performance.now();
    const { status, body } = await client.send(request);
    if (status !== 200 || body.includes('"error"')) throw new Error(`the calm one: ${status} ${body}`);
    times.push(performance.now() - startMs);
    await sleep(pauseMs);
  }
  client.close();
  await end;
  return times.sort((a, b) => a - b);
}

function calmFigures(name: string, times: readonly number[], quiet: readonly number[]): Figure[] {
  const p99 = (all: readonly number[]) => all[Math.floor((all.length - 1) * 0.99)];
  const without = (value: number) => `${value.toPrecision(3)} ms without`;
  return [
    { name: `${name}: calm one, median`, value: median(times), unit: 'ms', note: without(median(quiet)) },
    { name: `${name}: calm one, 99 of 100`, value: p99(times), unit: 'ms', note: without(p99(quiet)) },
  ];
}

function memory(name: string, service: Service): Figure {
  return { name: `${name}: memory`, value: residentBytes(service.process) / 2 ** 20, unit: 'MiB' };
}

async function idleConnections(
  service: Service,
  calm: Target,
  request: Buffer,
  quiet: readonly number[],
  { idleCount, watchMs }: Sizes,
): Promise<Figure[]> {
  const name = `${idleCount} idle connections`;
  const before = memory('before', service).value;
  const sockets = await openMany(service, idleCount, 'GET /livez HTTP/1.1\r\nhost: bench\r\n\r\n');
  const times = await calmTimes(calm, request, () => sleep(watchMs / 2));
  const open = sockets.filter((socket) => !socket.destroyed).length;
  const figures = [
    { name: `${name}: open at the end`, value: open, unit: 'count' },
    { ...memory(name, service), note: `${before.toFixed(0)} MiB before` },
    ...calmFigures(name, times, quiet),
  ];
  for (const socket of sockets) socket.destroy();
  return figures;
}

/** Each sends a request byte by byte, and never to its end. */
async function slowClients(
  service: Service,
  calm: Target,
  request: Buffer,
  quiet: readonly number[],
  { slowCount, watchMs }: Sizes,
): Promise<Figure[]> {
  const name = `${slowCount} clients that send a byte at a time`;
  const sockets = await openMany(service, slowCount, 'POST /v1/rpc HTTP/1.1\r\nhost: bench\r\nx: ');
  const drip = setInterval(() => {
    for (const socket of sockets) socket.write('x');
  }, 500);
  const times = await calmTimes(calm, request, () => sleep(watchMs));
  clearInterval(drip);
  for (const socket of sockets) socket.destroy();
  return calmFigures(name, times, quiet);
}

async function openMany({ url }: Service, count: number, text: string): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(250, count - sockets.length) }, () => openOne(url, text));
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

function openOne({ hostname, port }: URL, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(text);
      socket.resume();
      resolve(socket);
    });
    socket.once('error', reject);
    socket.on('error', () => {});
  });
}

/** What became of a flood. */
interface Flood {
  accepted: number;
  refused: number;
  seconds: number;
}

/** Sends these requests over so many connections, each as fast as it is answered. */
async function flood(
  target: Target,
  requests: readonly Buffer[],
  clients: number,
  floodMs: number,
): Promise<Flood> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Client.open(target.url)));
  const startMs = performance.now();
  const seen = { accepted: 0, refused: 0 };
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() - startMs < floodMs) {
        const { status, body } = await connection.send(requests[next++ % requests.length]);
        if (status !== 200 && status !== 503) throw new Error(`the flood: ${status} ${body}`);
        if (status === 200) seen.accepted++;
        else {
          seen.refused++;
          await sleep(impatienceMs);
        }
      }
    }),
  );
  for (const connection of connections) connection.close();
  return { ...seen, seconds: (performance.now() - startMs) / 1000 };
}

function floodFigures(name: string, { accepted, refused, seconds }: Flood): Figure[] {
  return [
    { name: `${name}: accepted`, value: accepted / seconds, unit: 'calls/s' },
    { name: `${name}: refused with 503`, value: refused / seconds, unit: 'calls/s' },
  ];
}

async function parallelInserts(
  service: Service,
  calm: Target,
  request: Buffer,
  quiet: readonly number[],
  { insertCount, watchMs }: Sizes,
): Promise<Figure[]> {
  const name = `${insertCount} parallel inserts`;
  const requests = requestsOf(shapeOf('100×100'), service, 20);
  let seen: Flood = { accepted: 0, refused: 0, seconds: 1 };
  await loopDelayMs(service);
  const times = await calmTimes(calm, request, async () => {
    seen = await flood(service, requests, insertCount, watchMs);
  });
  return [
    ...floodFigures(name, seen),
    ...calmFigures(name, times, quiet),
    await loopDelay(name, service),
    memory(name, service),
  ];
}

async function parallelEvaluates(
  service: Service,
  calm: Target,
  request: Buffer,
  quiet: readonly number[],
  stored: Stored,
  { evaluateCount, watchMs }: Sizes,
): Promise<Figure[]> {
  const name = `${evaluateCount} parallel evaluates`;
  const heavy = heavyEvaluate(service, stored);
  let seen: Flood = { accepted: 0, refused: 0, seconds: 1 };
  await loopDelayMs(service);
  const times = await calmTimes(calm, request, async () => {
    seen = await flood(service, [heavy], evaluateCount, watchMs);
  });
  return [
    ...floodFigures(name, seen),
    ...calmFigures(name, times, quiet),
    await loopDelay(name, service),
    memory(name, service),
    await clientsLeave(service, heavy, evaluateCount),
  ];
}

/** A week of fifty signals by the hour: half a million points are read for each. */
function heavyEvaluate(target: Target, stored: Stored): Buffer {
  const hourly = questions(stored).find(({ name }) => name.startsWith('hourly rollup'));
  if (hourly === undefined) throw new Error('the question of the hourly rollup is gone');
  const items = stored.minutes.map((id, k) => ({ id, alias: `s${k}`, aggregation: 'avg' }));
  const { data } = hourly.params as { data: object };
  return evaluation(target, { items, calculations: [], data });
}

/** How long the service goes on after all who have asked are gone. */
async function clientsLeave(service: Service, heavy: Buffer, count: number): Promise<Figure> {
  const connections = await Promise.all(Array.from({ length: count }, () => Client.open(service.url)));
  for (const connection of connections) connection.send(heavy).catch(() => {});
  await sleep(500);
  for (const connection of connections) connection.close();
  const startMs = performance.now();
  while ((await readsUnderWay(service)) > 0) {
    if (performance.now() - startMs > 30_000)
      throw new Error('reads go on although no client waits for them');
    await sleep(5);
  }
  const value = performance.now() - startMs;
  return { name: 'evaluates end after their clients have left', value, unit: 'ms' };
}

/** The delay of the service's event loops since the last call. */
async function loopDelay(name: string, service: Service): Promise<Figure> {
  return { name: `${name}: event loop, 99 of 100`, value: await loopDelayMs(service), unit: 'ms' };
}

async function readsUnderWay(service: Service): Promise<number> {
  const text = await metricsOf(service);
  const lanes = [...text.matchAll(/^tidemark_rpc_(?:running|waiting)\{lane="read"\} (\d+)$/gm)];
  return lanes.reduce((sum, [, count]) => sum + Number(count), 0);
}
