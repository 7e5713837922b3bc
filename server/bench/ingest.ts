/** Ingest over HTTP: acknowledged points a second for four shapes of request, compared with the maximum of the machine. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, postBytes } from './client.ts';
import { walk } from './data.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';
import { endProcess, processorSeconds, residentBytes, type Service, writtenBytes } from './service.ts';

/** Where and as whom to insert. */
export interface Target {
  url: URL;
  authorization: string;
  integration: string;
}

/** The form of one request: rows × series. */
export interface Shape {
  name: string;
  rows: number;
  series: number;
  /** Points (1×1: requests) a second that a machine of two cores should reach. */
  least: number;
  /** As a share of the floor of the same run: machines differ, and have more to do at times. */
  leastOfFloor?: number;
}

/** The four shapes: a plant's minute, one moment of a large plant, one signal's week, and a single value. */
export const shapes: readonly Shape[] = [
  { name: '100×100', rows: 100, series: 100, least: 6e6, leastOfFloor: 0.75 },
  { name: '1×1,000', rows: 1, series: 1000, least: 1.2e6, leastOfFloor: 1.1 },
  { name: '10,080×1', rows: 10_080, series: 1, least: 2.5e6, leastOfFloor: 0.85 },
  { name: '1×1', rows: 1, series: 1, least: 5000 },
];

/** `count` request bodies of a shape with ascending times: each body continues where the one before ended. */
export function bodies(shape: Shape, target: Target, count: number): Buffer[] {
  const { rows, series } = shape;
  const startMs = Date.UTC(2024, 0, 1);
  const columns = Array.from({ length: series }, (_, k) => walk(rows * count, k + 1));
  return Array.from({ length: count }, (_, b) => {
    const times = Array.from({ length: rows }, (_, i) =>
      new Date(startMs + (b * rows + i) * 1000).toISOString(),
    );
    const frame = columns.map((column, k) => [
      `bench-${shape.name.replace(/[^0-9]+/g, '-')}/${k}`,
      [...column.subarray(b * rows, (b + 1) * rows)],
    ]);
    const params = { integration: target.integration, data: { times, series: Object.fromEntries(frame) } };
    const request = { jsonrpc: '2.0', id: randomUUID(), method: 'integration.insert', params };
    return Buffer.from(JSON.stringify(request));
  });
}

/** Sends requests over some connections for a while; how many were acknowledged a second. */
export async function requestRate(
  target: Target,
  requests: readonly Uint8Array[],
  { clients, seconds }: { clients: number; seconds: number },
): Promise<number> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Client.open(target.url)));
  let sent = 0;
  let measured = 0;
  const warmUntil = performance.now() + Math.min(300, seconds * 1000);
  const until = warmUntil + seconds * 1000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) {
        const { status, body } = await connection.send(requests[sent++ % requests.length]);
        if ((status !== 200 && status !== 204) || body.includes('"error"'))
          throw new Error(`refused: ${status} ${body}`);
        if (performance.now() > warmUntil) measured++;
      }
    }),
  );
  const elapsedS = (performance.now() - warmUntil) / 1000;
  for (const connection of connections) connection.close();
  return measured / elapsedS;
}

/** How many of these bodies JSON.parse alone reads in a second, on one core. */
export function parseRate(requests: readonly Buffer[], seconds: number): number {
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < seconds * 1000) {
    JSON.parse(requests[count++ % requests.length].toString('utf8'));
  }
  return (count / (performance.now() - start)) * 1000;
}

/** The prepared requests of a shape. */
export function requestsOf(
  shape: Shape,
  target: Target,
  count: number,
): { bodies: Buffer[]; requests: Buffer[] } {
  const made = bodies(shape, target, count);
  return { bodies: made, requests: made.map((body) => postBytes(target.url, target.authorization, body)) };
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
  /** Cores that the service kept busy. */
  cores: number;
  /** Bytes that the service wrote for a request, sealing included. */
  written: number;
}

async function rates(service: Service, shape: Shape, { seconds, isTiny }: Run): Promise<Rates> {
  const [turns, bodyCount] = isTiny ? [1, 3] : [realTurns, 20];
  const own = requestsOf(shape, service, bodyCount).requests;
  const sum = { service: 0, floor: 0, cores: 0, written: 0 };
  await withFloor(service, async (floor) => {
    const its = requestsOf(shape, floor, bodyCount).requests;
    // Both have a turn that does not count, in which their code is compiled.
    const warmUp = { clients, seconds: isTiny ? 0 : 1 };
    await requestRate(floor, its, warmUp);
    await requestRate(service, own, warmUp);
    for (let turn = 0; turn < turns; turn++) {
      const load = { clients, seconds: seconds / turns };
      sum.floor += await requestRate(floor, its, load);
      const [beforeS, startMs] = [processorSeconds(service.process), performance.now()];
      const before = writtenBytes(service.process);
      const rate = await requestRate(service, own, load);
      const elapsedS = (performance.now() - startMs) / 1000;
      sum.service += rate;
      sum.cores += (processorSeconds(service.process) - beforeS) / elapsedS;
      sum.written += (writtenBytes(service.process) - before) / (rate * elapsedS);
    }
  });
  return {
    service: sum.service / turns,
    floor: sum.floor / turns,
    cores: sum.cores / turns,
    written: sum.written / turns,
  };
}

/** One shape: its rate, and that as a share of the floor's. */
export async function measureShape(service: Service, shape: Shape, run: Run): Promise<Figure[]> {
  const points = shape.rows * shape.series;
  const found = await rates(service, shape, run);
  const parse = parseRate(requestsOf(shape, service, 3).bodies, Math.min(0.5, run.seconds));
  const unit = points === 1 ? 'requests/s' : 'points/s';
  const whole = (rate: number) => Math.round(rate * points).toLocaleString('en');
  const note = `floor ${whole(found.floor)}, JSON.parse alone ${whole(parse)}; ${found.cores.toFixed(2)} cores`;
  const ratio = { name: `ingest ${shape.name}, of the floor`, value: found.service / found.floor, unit: '×' };
  const least = shape.leastOfFloor;
  return [
    {
      name: `ingest ${shape.name}`,
      value: found.service * points,
      unit,
      target: { least: shape.least },
      note,
    },
    least === undefined ? ratio : { ...ratio, target: { least } },
    { name: `ingest ${shape.name}, written`, value: found.written / points, unit: 'bytes/point' },
  ];
}

/** All shapes, and the memory that they took at most. */
export async function measureIngest(service: Service, run: Run): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const shape of shapes) figures.push(...run.print(await measureShape(service, shape, run)));
  const value = residentBytes(service.process, 'most') / 2 ** 20;
  const note = `${(residentBytes(service.process) / 2 ** 20).toFixed(0)} MiB at the end`;
  const memory = { name: 'memory under ingest, at most', value, unit: 'MiB', target: { most: 400 }, note };
  return [...figures, ...run.print([memory])];
}
