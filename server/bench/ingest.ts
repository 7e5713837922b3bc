/** Ingest over HTTP: acknowledged points a second for some shapes of request, compared with the maximum of the machine, and their cost. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printInstant } from '#model/instant-printer';
import { Client, postBytes } from './client.ts';
import { Frames, type InsertFrame, type Shape, shapes } from './frames.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';
import {
  endProcess,
  loopDelayMs,
  processorSeconds,
  residentBytes,
  type Service,
  untilSealed,
  writtenBytes,
} from './service.ts';

/** Where and as whom to insert. */
export interface Target {
  url: URL;
  authorization: string;
  integration: string;
}

/** The body that inserts a frame. */
function bodyOf({ name }: Shape, { integration }: Target, frame: InsertFrame): Buffer {
  const key = `bench-${name.replace(/[^0-9a-z]+/g, '-')}`;
  const series = frame.columns.map((column, k) => [`${key}/${frame.firstSignal + k}`, [...column]]);
  const data = { times: Array.from(frame.timesUs, printInstant), series: Object.fromEntries(series) };
  const request = {
    jsonrpc: '2.0',
    id: randomUUID(),
    method: 'integration.insert',
    params: { integration, data },
  };
  return Buffer.from(JSON.stringify(request));
}

/** Prepared requests of a shape; without `frames` they are its first ones. */
export function requestsOf(
  shape: Shape,
  target: Target,
  count: number,
  frames = new Frames(shape),
): Buffer[] {
  const { url, authorization } = target;
  return Array.from({ length: count }, () =>
    postBytes(url, authorization, bodyOf(shape, target, frames.next())),
  );
}

/** What a series of requests gave. */
export interface Rate {
  /** Acknowledged requests a second. */
  rate: number;
  /** Acknowledged requests, those of the warm-up too. */
  count: number;
}

/** Gives the next request; null: there are no more. */
export type NextRequest = () => Uint8Array | null;

/** Each of these requests once. */
export function each(requests: readonly Uint8Array[]): NextRequest {
  let next = 0;
  return () => requests[next++] ?? null;
}

/** Sends requests over some connections for a while, or until there are no more. */
export async function requestRate(
  { url }: Target,
  next: NextRequest,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<Rate> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Client.open(url)));
  const warmUntil = performance.now() + Math.min(300, seconds * 250);
  const until = warmUntil + seconds * 1000;
  const found = { count: 0, warmCount: 0, endMs: warmUntil };
  await Promise.all(
    connections.map((connection) => sendUntil(connection, next, { until, warmUntil, found })),
  );
  for (const connection of connections) connection.close();
  const { count, warmCount, endMs } = found;
  return { rate: ((count - warmCount) / Math.max(endMs - warmUntil, 1)) * 1000, count };
}

/**
 * Where a fault says that it is one: only the version and the identifier precede it. Searching the whole of an answer of 31 kB took
 * half of the client's time.
 */
const faultBytes = 128;

interface Sending {
  warmUntil: number;
  until: number;
  found: { count: number; warmCount: number; endMs: number };
}

async function sendUntil(
  connection: Client,
  next: NextRequest,
  { until, warmUntil, found }: Sending,
): Promise<void> {
  for (let request = next(); request !== null; request = next()) {
    const { status, body } = await connection.send(request);
    if ((status !== 200 && status !== 204) || body.subarray(0, faultBytes).includes('"error"'))
      throw new Error(`refused: ${status} ${body}`);
    const nowMs = performance.now();
    found.count++;
    if (nowMs < warmUntil) found.warmCount++;
    else found.endMs = nowMs;
    if (nowMs >= until) return;
  }
}

/** How many bodies of these requests JSON.parse alone reads in a second, on one core. */
function parseRate(requests: readonly Buffer[], seconds: number): number {
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < seconds * 1000) {
    const request = requests[count++ % requests.length];
    JSON.parse(request.toString('utf8', request.indexOf('\r\n\r\n') + 4));
  }
  return (count / (performance.now() - start)) * 1000;
}

const clients = 8;

/** How often floor and service take turns: what else the machine does meanwhile then meets both. */
const realTurns = 3;

/** Runs `work` against the floor: a server that appends each body, has its points in arrays, syncs, and answers. */
export async function withFloor<T>(target: Target, work: (floor: Target) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-floor-'));
  const script = join(import.meta.dirname, 'floor.ts');
  const child = spawn(process.execPath, [script, join(directory, 'log')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  try {
    return await work({ ...target, url: new URL(String(line).trim()) });
  } finally {
    await endProcess(child);
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What some turns of a shape gave. */
interface Rates {
  /** Requests a second. */
  service: number;
  floor: number;
  /** Cores that the service kept busy, and its processor time for a request, s, while it was sent and until it was in blocks. */
  cores: number;
  processorS: number;
  sealedS: number;
  /** Bytes that the service wrote to the disk for a request by one client, and by all of them, sealing included. */
  writtenByOne: number;
  writtenByAll: number;
  /** The delay of its event loops that 99 of 100 timers had at most, ms. */
  delayMs: number;
}

/** Prepares as many requests as a good service takes in this time, in bounded memory: none is sent twice. */
function prepared(shape: Shape, target: Target, frames: Frames, { seconds, isTiny }: Run): NextRequest {
  const points = shape.rows * shape.series;
  const wanted = isTiny ? clients : Math.ceil((2 * (seconds + 0.3) * shape.least) / points);
  const [first] = requestsOf(shape, target, 1, frames);
  const count = Math.max(1, Math.min(wanted, Math.floor(preparedBytesMax / first.length)));
  return each([first, ...requestsOf(shape, target, count - 1, frames)]);
}

const preparedBytesMax = 384 * 2 ** 20;

/** Sends until `seconds` are over; the bytes that the service has written for a request once everything is in blocks. */
async function writtenBy(
  count: number,
  service: Service,
  shape: Shape,
  frames: Frames,
  run: Run,
): Promise<number> {
  const before = writtenBytes(service.process);
  const load = { clients: count, seconds: run.seconds };
  const sent = await requestRate(service, prepared(shape, service, frames, run), load);
  if (!run.isTiny) await untilSealed(service);
  return (writtenBytes(service.process) - before) / sent.count;
}

/**
 * One turn of the service, which ends when everything is in blocks: sealing that waits until there is less to do is part of what a
 * point costs, and must not take processors from the floor's next turn.
 */
async function serviceTurn(
  service: Service,
  next: NextRequest,
  { seconds, isTiny }: Run,
): Promise<Omit<Rates, 'floor' | 'writtenByOne' | 'writtenByAll'>> {
  await loopDelayMs(service);
  const [beforeS, startMs] = [processorSeconds(service.process), performance.now()];
  const { rate, count } = await requestRate(service, next, { clients, seconds });
  const busyS = processorSeconds(service.process) - beforeS;
  const cores = busyS / ((performance.now() - startMs) / 1000);
  const delayMs = await loopDelayMs(service);
  if (!isTiny) await untilSealed(service);
  const sealedS = (processorSeconds(service.process) - beforeS) / count;
  return { service: rate, cores, processorS: busyS / count, sealedS, delayMs };
}

async function rates(service: Service, shape: Shape, run: Run): Promise<Rates> {
  const turns = run.isTiny ? 1 : realTurns;
  const turn = { ...run, seconds: run.seconds / turns };
  const load = { clients, seconds: turn.seconds };
  const frames = new Frames(shape);
  const sum = { service: 0, floor: 0, cores: 0, processorS: 0, sealedS: 0, delayMs: 0 };
  await withFloor(service, async (floor) => {
    // Both have a turn that does not count, in which their code is compiled.
    await requestRate(floor, prepared(shape, floor, frames, turn), load);
    await serviceTurn(service, prepared(shape, service, frames, turn), turn);
    for (let i = 0; i < turns; i++) {
      sum.floor += (await requestRate(floor, prepared(shape, floor, frames, turn), load)).rate;
      const found = await serviceTurn(service, prepared(shape, service, frames, turn), turn);
      for (const key of ['service', 'cores', 'processorS', 'sealedS'] as const) sum[key] += found[key];
      sum.delayMs = Math.max(sum.delayMs, found.delayMs);
    }
  });
  const { delayMs, ...summed } = sum;
  const means = Object.fromEntries(Object.entries(summed).map(([key, value]) => [key, value / turns]));
  return {
    ...(means as Omit<typeof sum, 'delayMs'>),
    delayMs,
    writtenByOne: await writtenBy(1, service, shape, frames, turn),
    writtenByAll: await writtenBy(clients, service, shape, frames, turn),
  };
}

/** One shape: its rate, also as a share of the floor's, and what a point costs. */
export async function measureShape(service: Service, shape: Shape, run: Run): Promise<Figure[]> {
  const points = shape.rows * shape.series;
  const found = await rates(service, shape, run);
  const parse = parseRate(requestsOf(shape, service, 3), Math.min(0.5, run.seconds));
  const isSingle = points === 1;
  const whole = (rate: number) => Math.round(rate * points).toLocaleString('en');
  const note = `floor ${whole(found.floor)}, JSON.parse alone ${whole(parse)}; ${found.cores.toFixed(2)} cores`;
  const name = `ingest ${shape.name}`;
  const ratio = { name: `${name}, of the floor`, value: found.service / found.floor, unit: '×' };
  const least = shape.leastOfFloor;
  const unit = isSingle ? 'ms/request' : 's/M points';
  const costOf = (requestS: number) => requestS * (isSingle ? 1e3 : 1e6 / points);
  return [
    {
      ...{ name, value: found.service * points, unit: isSingle ? 'requests/s' : 'points/s' },
      ...{ target: { least: shape.least }, note },
    },
    least === undefined ? ratio : { ...ratio, target: { least } },
    { name: `${name}, processor`, value: costOf(found.processorS), unit },
    { name: `${name}, processor, until in blocks`, value: costOf(found.sealedS), unit },
    { name: `${name}, event loop, 99 of 100`, value: found.delayMs, unit: 'ms', target: { most: 20 } },
    { name: `${name}, written, 1 client`, value: found.writtenByOne / points, unit: 'bytes/point' },
    { name: `${name}, written, ${clients} clients`, value: found.writtenByAll / points, unit: 'bytes/point' },
  ];
}

/** All shapes, and the memory that they took at most. */
export async function measureIngest(service: Service, run: Run): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const shape of shapes) figures.push(...run.print(await measureShape(service, shape, run)));
  const value = residentBytes(service.process, 'most') / 2 ** 20;
  const note = `${(residentBytes(service.process) / 2 ** 20).toFixed(0)} MiB at the end`;
  const memory = { name: 'memory under ingest, at most', value, unit: 'MiB', target: { most: 500 }, note };
  return [...figures, ...run.print([memory])];
}
