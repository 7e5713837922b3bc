/** MQTT: messages that are acknowledged when they are durable, beside mosquitto, which acknowledges them in memory, fed by the same client. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MqttLink } from './mqtt-link.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';
import { endProcess, freePort, residentBytes, type Service, startService } from './service.ts';

const mosquitto = '/usr/sbin/mosquitto';

/** Connections that publish single values, with so many messages under way each; those that publish frames; and what else there is of each. */
const counts = {
  ...{ publishers: 100, messagesUnderWay: 20 },
  ...{ framePublishers: 8, frameRows: 1000 },
  ...{ idle: 5000, latencies: 500 },
} as const;

/** Where messages are published. */
interface Broker {
  /** Before the names of its figures. */
  prefix: string;
  port: number;
  process: ChildProcess;
  user: string;
  password: string;
}

/** Both brokers. */
export async function measureMqtt(run: Run): Promise<Figure[]> {
  const port = await freePort();
  const limits = ['--limit', 'connectionsPerAddressMax=7000'];
  const service = await startService(['--mqtt-port', String(port), ...limits]);
  const figures: Figure[] = [];
  try {
    figures.push(...(await measureBroker(brokerOf(service, port), run)));
    if (existsSync(mosquitto)) figures.push(...(await besideMosquitto(run)));
  } finally {
    await service.close();
  }
  return figures;
}

function brokerOf({ integration, authorization, process }: Service, port: number): Broker {
  const pair = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  return { prefix: '', port, process, user: integration, password: pair.slice(pair.indexOf(':') + 1) };
}

async function besideMosquitto(run: Run): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-mosquitto-'));
  const port = await freePort();
  const config = join(directory, 'mosquitto.conf');
  writeFileSync(
    config,
    `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_inflight_messages 0\nlog_type error\n`,
  );
  const child = spawn(mosquitto, ['-c', config], { stdio: 'ignore' });
  try {
    await untilListens(port);
    const broker = { prefix: 'mosquitto: ', port, process: child, user: 'any', password: 'any' };
    return await measureBroker(broker, run);
  } finally {
    await endProcess(child);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function untilListens(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(25);
  }
  throw new Error(`nothing listens at port ${port}`);
}

async function measureBroker(broker: Broker, run: Run): Promise<Figure[]> {
  const named = (figures: Figure[]) =>
    run.print(figures.map((figure) => ({ ...figure, name: broker.prefix + figure.name })));
  // First, in memory that nothing has used before.
  return [
    ...named([await idleMemory(broker, run)]),
    ...named([await singleValues(broker, run)]),
    ...named([await frames(broker, run)]),
    ...named(await latencies(broker, run)),
  ];
}

/** Links that publish what `next` gives, each with so many messages under way; acknowledged messages a second. */
async function rateOf(
  { port, user, password }: Broker,
  { count, underWay, seconds }: { count: number; underWay: number; seconds: number },
  next: (link: number, n: number) => [topic: string, payload: string],
): Promise<number> {
  const links = await Promise.all(Array.from({ length: count }, () => MqttLink.open(port, user, password)));
  let acknowledged = 0;
  let isOver = false;
  const startMs = performance.now();
  const publishing = links.map(async (link, at) => {
    const worker = async (first: number) => {
      for (let n = first; !isOver; n += underWay) {
        await link.publish(...next(at, n));
        if (!isOver) acknowledged++;
      }
    };
    await Promise.all(Array.from({ length: underWay }, (_, i) => worker(i)));
  });
  await sleep(seconds * 1000);
  isOver = true;
  const elapsedS = (performance.now() - startMs) / 1000;
  await Promise.all(publishing);
  for (const link of links) link.close();
  return acknowledged / elapsedS;
}

async function singleValues(broker: Broker, { seconds, isTiny }: Run): Promise<Figure> {
  const how = { count: isTiny ? 5 : counts.publishers, underWay: counts.messagesUnderWay, seconds };
  const value = await rateOf(broker, how, (link, n) => [`value/link/${link}`, `{"value":${n},"time":${n}}`]);
  const target = broker.prefix === '' ? { target: { least: 10_000 } } : {};
  return { name: 'MQTT single values, 100 clients, QoS 1', value, unit: 'values/s', ...target };
}

async function frames(broker: Broker, { seconds }: Run): Promise<Figure> {
  const how = { count: counts.framePublishers, underWay: 2, seconds };
  const rate = await rateOf(broker, how, (link, n) => {
    const times = Array.from({ length: counts.frameRows }, (_, i) => n * counts.frameRows + i);
    return ['dataframe', JSON.stringify({ times, series: { [`frame${link}`]: times } })];
  });
  return {
    name: 'MQTT frames of 1,000 values, 8 clients, QoS 1',
    value: rate * counts.frameRows,
    unit: 'values/s',
  };
}

/** From publishing until PUBACK, and until a subscriber has the message, one at a time. */
async function latencies({ port, user, password }: Broker, { isTiny }: Run): Promise<Figure[]> {
  const link = await MqttLink.open(port, user, password);
  const subscriber = await MqttLink.open(port, user, password);
  const topic = `${user}/value/latency`;
  await subscriber.subscribe(topic);
  const [acks, messages]: [number[], number[]] = [[], []];
  for (let n = 0; n < (isTiny ? 20 : counts.latencies); n++) {
    const startMs = performance.now();
    const arrived = subscriber.nextMessage().then(() => messages.push(performance.now() - startMs));
    await link.publish(topic, `{"value":${n},"time":${n}}`);
    acks.push(performance.now() - startMs);
    await arrived;
  }
  link.close();
  subscriber.close();
  return [
    ...percentiles('MQTT publish to PUBACK', acks),
    ...percentiles('MQTT publish to a subscriber', messages),
  ];
}

function percentiles(name: string, values: number[]): Figure[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [50, 99].map((percent) => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))];
    return { name: `${name}, p${percent}`, value, unit: 'ms' };
  });
}

async function idleMemory({ port, user, password, process }: Broker, { isTiny }: Run): Promise<Figure> {
  const count = isTiny ? 100 : counts.idle;
  const before = residentBytes(process);
  const links: MqttLink[] = [];
  for (let n = 0; n < count; n++) links.push(await MqttLink.open(port, user, password));
  const each = (residentBytes(process) - before) / count / 1024;
  for (const link of links) link.close();
  return {
    name: 'MQTT memory for each idle connection',
    value: each,
    unit: 'KiB',
    note: `${count} connections`,
  };
}
