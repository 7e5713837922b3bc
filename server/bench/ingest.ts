/** Ingest over HTTP: acknowledged points a second for four shapes of request, beside what the machine allows at best. */
import { randomUUID } from 'node:crypto';
import { Client, postBytes } from './client.ts';
import { walk } from './data.ts';

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
  /** The figure of the issue that set the pace, points (1×1: requests) a second. */
  least: number;
}

/** The four shapes: a plant's minute, one moment of a large plant, one signal's week, and a single value. */
export const shapes: readonly Shape[] = [
  { name: '100×100', rows: 100, series: 100, least: 6e6 },
  { name: '1×1,000', rows: 1, series: 1000, least: 1.2e6 },
  { name: '10,000×1', rows: 10_000, series: 1, least: 2.5e6 },
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
  const warmUntil = performance.now() + 300;
  const until = warmUntil + seconds * 1000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) {
        const { status, body } = await connection.send(requests[sent++ % requests.length]);
        if (status !== 200 || body.includes('"error"')) throw new Error(`refused: ${status} ${body}`);
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
