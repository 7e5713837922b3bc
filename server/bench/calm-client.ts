/**
 * A client that behaves, in a process of its own: it calls the service one call after the other, with a pause between, and
 * measures how long each takes. `measureCalm` starts it; as a program it is that process.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.ts';
import { startFirst } from './priority.ts';

/** Kind of call → the bytes of its request. */
export type CalmRequests = Readonly<Record<string, Buffer>>;

/** Kind of call → how long each call took, ms, ascending. */
export type CalmTimes = Readonly<Record<string, number[]>>;

/** Between two calls of one kind, ms. */
const pauseMs = 5;

/** What a call that is refused or fails counts as, ms. */
const failedMs = 10_000;

/** Connections of each kind, which take turns: each belongs to one service thread, which attacks may or may not use more. */
const connectionCount = 8;

/** Calls until `end`, each kind over connections of its own. */
export async function measureCalm(
  url: URL,
  requests: CalmRequests,
  end: Promise<unknown>,
): Promise<CalmTimes> {
  const child = startFirst(import.meta.filename, ['ignore', 'inherit', 'inherit', 'ipc']);
  const texts = Object.entries(requests).map(([kind, bytes]) => [kind, bytes.toString('latin1')]);
  child.send({ url: url.href, requests: Object.fromEntries(texts) });
  await end;
  const answered = once(child, 'message');
  child.send('end');
  const [times] = (await answered) as [CalmTimes];
  child.disconnect();
  return times;
}

interface Order {
  url: string;
  requests: Record<string, string>;
}

let isOver = false;

async function serve({ url, requests }: Order): Promise<void> {
  const kinds = Object.entries(requests).map(async ([kind, text]) => [
    kind,
    await timesOf(new URL(url), Buffer.from(text, 'latin1')),
  ]);
  process.send?.(Object.fromEntries(await Promise.all(kinds)));
}

async function timesOf(url: URL, request: Buffer): Promise<number[]> {
  const times: number[] = [];
  const open = () => Client.open(url).catch(() => null);
  const clients = await Promise.all(Array.from({ length: connectionCount }, open));
  for (let turn = 0; !isOver; turn = (turn + 1) % connectionCount) {
    const startMs = performance.now();
    const answer = await clients[turn]?.send(request).catch(() => null);
    const isGood = answer?.status === 200 && !answer.body.includes('"error"');
    times.push(isGood ? performance.now() - startMs : failedMs);
    if (!isGood) clients[turn] = await open();
    await sleep(pauseMs);
  }
  for (const client of clients) client?.close();
  return times.sort((a, b) => a - b);
}

if (process.argv[1] === import.meta.filename)
  process.on('message', (order: Order | 'end') => {
    if (order === 'end') isOver = true;
    else void serve(order);
  });
