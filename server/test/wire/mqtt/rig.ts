/** A service with a broker on a free port, and clients of it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { type Service, startService } from '#main';
import type { Grant } from '#model/caller';
import { type Limits, limitDefaults } from '#model/limits';
import type { ServiceOptions } from '#service-options';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { basicAuthorization } from '../../support/http.ts';
import { silentLog as quiet, testAct } from '../../support/world.ts';

const always = { startUs: -(2 ** 53), endUs: 2 ** 53 };

/** How long a condition may take to become true, ms. */
const conditionMs = 60_000;

/** An integration with a password. */
export interface Plant {
  integration: string;
  password: string;
  credential: string;
}

/** A message that a client has received. */
export interface Received {
  topic: string;
  text: string;
}

/** Options of a client; by default it connects over TCP. */
export interface ClientOptions extends IClientOptions {
  brokerUrl?: string;
}

/** A running service. */
export class MqttRig {
  service: Service;
  readonly #start: () => Promise<Service>;
  readonly #directory: string;
  readonly #clients: MqttClient[] = [];

  private constructor(service: Service, start: () => Promise<Service>, directory: string) {
    this.service = service;
    this.#start = start;
    this.#directory = directory;
  }

  /** Starts a service. */
  static async start(limits: Partial<Limits> = {}, more: Partial<ServiceOptions> = {}): Promise<MqttRig> {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-mqtt-'));
    const options = { directory, host: '127.0.0.1', port: 0, baseUrl: null, namespaces: ['service'] };
    const environment = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log: quiet };
    const all = { ...options, limits: { ...limitDefaults, ...limits }, version: '0', ...more };
    const startAgain = () => startService({ mqtt: { plain: 0, secure: null }, ...all }, environment);
    return new MqttRig(await startAgain(), startAgain, directory);
  }

  /** The port of MQTT over TCP. */
  get port(): number {
    assert.ok(this.service.mqtt.plain !== null);
    return this.service.mqtt.plain;
  }

  /** The address of MQTT over WebSocket. */
  get webSocketUrl(): string {
    return `${this.service.url.replace('http', 'ws')}/mqtt`;
  }

  /** A new integration. */
  async plant(grants: readonly Grant[] = ['admin', 'service']): Promise<Plant> {
    const { identity } = this.service.domain;
    const { id: integration } = await identity.createIntegration(testAct, 'Plant', grants);
    const { credential, secret } = await identity.createCredential(testAct, integration, 'basic-auth', '');
    return { integration, password: secret, credential: credential.id };
  }

  /** A client that is connected. */
  async connect(plant: Plant, options: ClientOptions = {}): Promise<MqttClient> {
    const client = this.client(plant, options);
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve());
      client.once('error', reject);
    });
    return client;
  }

  /** A client that connects. */
  client({ integration, password }: Plant, options: ClientOptions = {}): MqttClient {
    const all = {
      username: integration,
      password,
      protocolVersion: 4 as const,
      reconnectPeriod: 0,
      ...options,
    };
    const { brokerUrl = `mqtt://127.0.0.1:${this.port}`, ...others } = all;
    const client = mqtt.connect(brokerUrl, others);
    client.on('error', () => {});
    this.#clients.push(client);
    return client;
  }

  /** The values of an input that are stored, by time in µs. */
  async points(plant: Plant, input: string): Promise<Map<number, number>> {
    const { signals, series } = this.service.domain;
    const [{ number }] = await signals.numbers(plant.integration, [input]);
    const source = { signals: [number], window: always, before: false, after: false };
    const [{ timesUs, values }] = await series.scan({ sources: [source] });
    return new Map([...timesUs].map((timeUs, at) => [timeUs, values[at]]));
  }

  /** Makes a call over HTTP; its result. */
  async call(plant: Plant, method: string, params: object): Promise<unknown> {
    const answer = await fetch(`${this.service.url}/v1/rpc`, {
      method: 'POST',
      headers: {
        authorization: basicAuthorization(plant.integration, plant.password),
        'content-type': 'application/json',
        'x-api-version': '1.1',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await answer.json()) as { result?: unknown; error?: unknown };
    assert.equal(error, undefined, JSON.stringify(error));
    return result;
  }

  /** Publishes the signal of an input as an item; the item's ID. */
  async item(plant: Plant, input: string): Promise<string> {
    const { integration } = plant;
    const { signals } = this.service.domain;
    const [{ id }] = await signals.numbers(integration, [input]);
    const itemsBySignal = { [id]: { name: input, visible: true } };
    await this.call(plant, 'admin.publishSignals', { integration, itemsBySignal });
    const [signal] = await this.service.domain.meta.signals.byInput(integration, [input]);
    assert.ok(signal.item !== null);
    return signal.item;
  }

  /** A calculated item; `a` in its formula is the item `input`. */
  async calculatedItem(formula: string, input: string): Promise<string> {
    const own = { item: input, alias: 'a', aggregation: 'avg', state: null, lead: 0, lag: 0 } as const;
    const calculation = { formula, inputs: [own], intervalUs: 60e6 };
    const { calculations } = this.service.domain;
    return (await calculations.create(testAct, { item: { name: 'calculated' }, calculation })).id;
  }

  /** Ends the service, and starts it again, on other ports. */
  async restart(): Promise<void> {
    await this.service.close();
    await this.startAgain();
  }

  /** Starts it again after it has ended. */
  async startAgain(): Promise<void> {
    this.service = await this.#start();
  }

  /** Ends the clients, then the service. */
  async close(): Promise<void> {
    for (const client of this.#clients) client.end(true);
    await this.service.close();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** What a program has done. */
export interface Ran {
  code: number;
  output: string;
}

/** Runs a program to its end, for at most a minute. */
export function run(path: string, args: readonly string[], input: string | Buffer = ''): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(path, args, { timeout: conditionMs }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, output: `${stdout}${stderr}` });
    });
    child.stdin?.end(input);
  });
}

/** Waits until something is there. */
export async function eventually<T>(
  find: () => T | null | undefined | Promise<T | null | undefined>,
): Promise<T> {
  const endMs = performance.now() + conditionMs;
  for (;;) {
    const found = await find();
    if (found !== null && found !== undefined) return found;
    assert.ok(performance.now() < endMs, 'it has not happened within a minute');
    await wait(20);
  }
}

/** Subscribes, and collects what arrives from then on. */
export async function listen(client: MqttClient, filter: string, qos: 0 | 1 = 1): Promise<Received[]> {
  const received: Received[] = [];
  client.on('message', (topic, payload) => received.push({ topic, text: payload.toString() }));
  const [granted] = await client.subscribeAsync(filter, { qos });
  assert.ok(granted !== undefined && granted.qos < 128, `the subscription to ${filter} was refused`);
  return received;
}
