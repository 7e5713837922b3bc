/**
 * `client.live` against a service of four threads, through a proxy that cuts the connection again and again, and over a restart:
 * what is inserted comes once, in order, with nothing missing.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client, type LiveEvent, ServiceError } from '@tidemark/client';
import { type Service, startService } from '#main';
import { limitDefaults } from '#model/limits';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { silentLog as quiet, testAct } from '../../support/world.ts';

/** How often the connection is cut; set it to 1000 where there is time. */
const cuts = Number(process.env.LIVE_CUTS ?? 200);

/** Passes connections on to a port, which may change, and cuts them on demand. */
class CuttingProxy {
  port = 0;
  target = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#pass(socket));

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #pass(socket: Socket): void {
    const other = connect(this.target, '127.0.0.1');
    for (const [one, peer] of [
      [socket, other],
      [other, socket],
    ]) {
      this.#sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        this.#sockets.delete(one);
        peer.destroy();
      });
      one.pipe(peer);
    }
  }
}

let directory: string;
let service: Service;
const proxy = new CuttingProxy();

async function start(): Promise<void> {
  const options = { directory, host: '127.0.0.1', port: 0, namespaces: ['service'] };
  const environment = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log: quiet };
  const baseUrl = `http://127.0.0.1:${proxy.port}`;
  const more = { baseUrl, limits: limitDefaults, version: '0', threads: 4 };
  service = await startService({ ...options, ...more }, environment);
  proxy.target = Number(new URL(service.url).port);
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-live-'));
  await proxy.listen();
  await start();
});
after(async () => {
  proxy.close();
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

interface Plant {
  item: string;
  /** Through the proxy. */
  client: Client;
  /** Inserts a value at a second, past the proxy. */
  insert(second: number, value: number): Promise<unknown>;
}

async function newPlant(): Promise<Plant> {
  const { identity } = service.domain;
  const { id: integration } = await identity.createIntegration(testAct, 'Plant', ['admin', 'service']);
  const { secret } = await identity.createCredential(testAct, integration, 'basic-auth', '');
  const credentials = { type: 'basic-auth', clientId: integration, clientSecret: secret } as const;
  const retry = { firstMs: 1, longestMs: 50 };
  const direct = () => new Client({ apiUrl: `${service.url}/v1/`, credentials });
  const insert = (second: number, value: number) =>
    direct().call('integration.insert', {
      integration,
      data: { times: [new Date(second * 1000).toISOString()], series: { a: [value] } },
    });
  const { signalsByInput } = await insert(0, -1);
  const { id } = signalsByInput.a;
  const saved = await direct().call('admin.publishSignals', { integration, itemsBySignal: { [id]: {} } });
  const client = new Client({ apiUrl: `http://127.0.0.1:${proxy.port}/v1/`, credentials, retry });
  return { item: saved.itemsBySignal[id].id, client, insert };
}

/** Follows an item until a value comes; all values in their order, and a way to wait for connections. */
function follow({ client, item }: Plant, last: number) {
  let connections = 0;
  let waiting: { count: number; resolve(): void } | null = null;
  const onConnect = () => {
    connections++;
    if (waiting !== null && connections >= waiting.count) waiting.resolve();
  };
  const collect = async (): Promise<(number | string)[]> => {
    const values: (number | string)[] = [];
    for await (const event of client.live([item], { onConnect })) {
      values.push(...valuesOf(event, item));
      if (values.at(-1) === last) return values;
    }
    return values;
  };
  const connected = (count: number) =>
    new Promise<void>((resolve) => {
      if (connections >= count) resolve();
      else waiting = { count, resolve };
    });
  return { values: collect(), connected, count: () => connections };
}

function valuesOf(event: LiveEvent, item: string): (number | string)[] {
  return event.kind === 'reset' ? ['reset'] : event.items[item].values;
}

test(`N2 N4 after ${cuts} reconnects nothing is missing, and nothing came twice`, {
  timeout: 300_000,
}, async () => {
  const plant = await newPlant();
  const { values, connected, count } = follow(plant, cuts);
  await connected(1);
  for (let i = 0; i < cuts; i++) {
    const known = count();
    // Late points, and the same times again and again.
    const inserting = plant.insert(100 - (i % 7), i);
    for (let turn = i % 5; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
    proxy.cut();
    await Promise.all([inserting, connected(known + 1)]);
  }
  await plant.insert(200, cuts);
  assert.deepEqual(
    await values,
    Array.from({ length: cuts + 1 }, (_, i) => i),
  );
});

test('N2 a restart of the service leaves no gap and no repetition', { timeout: 120_000 }, async () => {
  const plant = await newPlant();
  const { values, connected } = follow(plant, 4);
  await connected(1);
  await plant.insert(1, 1);
  await service.close();
  proxy.target = 1; // Where no service listens.
  await start();
  await plant.insert(2, 2);
  await plant.insert(1, 3);
  await connected(2);
  await plant.insert(3, 4);
  assert.deepEqual(await values, [1, 2, 3, 4]);
});

test('N3 A5 what does not pass is no reason to try again', async () => {
  const { client } = await newPlant();
  const failed = client.live(['nothing']).next();
  await assert.rejects(failed, (error: unknown) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.status, error.params], [400, { items: ['no item has the ID "nothing"'] }]);
    return true;
  });
});

test('N3 the signal of the caller ends the iteration with its reason', async () => {
  const { client, item } = await newPlant();
  const stop = new AbortController();
  const next = client
    .live([item], { signal: stop.signal, onConnect: () => stop.abort(new Error('enough')) })
    .next();
  await assert.rejects(next, /enough/);
});
