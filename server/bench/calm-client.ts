/**
 * A client that behaves, in a process of its own: it calls the service one call after the other, with a pause between, and
 * measures how long each takes. `startCalm` starts it; as a program it is that process.
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

/** The client's process, which is connected and waits. */
export interface CalmClient {
  /** Calls until `end`; ends the process. */
  measure(end: Promise<unknown>): Promise<CalmTimes>;
}

/** Starts the client, and connects it, each kind of call over connections of its own: none of that takes time from the service later. */
export async function startCalm(url: URL, requests: CalmRequests): Promise<CalmClient> {
  const child = startFirst(import.meta.filename, ['ignore', 'inherit', 'inherit', 'ipc']);
  const texts = Object.entries(requests).map(([kind, bytes]) => [kind, bytes.toString('latin1')]);
  const connected = once(child, 'message');
  child.send({ url: url.href, requests: Object.fromEntries(texts) });
  await connected;
  return {
    async measure(end) {
      child.send('begin');
      await end;
      const answered = once(child, 'message');
      child.send('end');
      const [times] = (await answered) as [CalmTimes];
      child.disconnect();
      return times;
    },
  };
}

interface Order {
  url: string;
  requests: Record<string, string>;
}

/** A kind of call, with its connections. */
interface Caller {
  kind: string;
  open(): Promise<Client | null>;
  request: Buffer;
  clients: (Client | null)[];
}

let callers: Caller[] = [];
let isOver = false;

function connect({ url, requests }: Order): Promise<Caller[]> {
  const open = () => Client.open(new URL(url)).catch(() => null);
  return Promise.all(
    Object.entries(requests).map(async ([kind, text]) => {
      const clients = await Promise.all(Array.from({ length: connectionCount }, open));
      return { kind, open, request: Buffer.from(text, 'latin1'), clients };
    }),
  );
}

async function timesOf({ open, request, clients }: Caller): Promise<number[]> {
  const times: number[] = [];
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

async function handle(message: Order | 'begin' | 'end'): Promise<void> {
  if (message === 'end') isOver = true;
  else if (message === 'begin') {
    const kinds = callers.map(async (caller) => [caller.kind, await timesOf(caller)]);
    process.send?.(Object.fromEntries(await Promise.all(kinds)));
  } else {
    callers = await connect(message);
    process.send?.('connected');
  }
}

if (process.argv[1] === import.meta.filename)
  process.on('message', (message: Order | 'begin' | 'end') => void handle(message));
