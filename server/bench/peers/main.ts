/**
 * What a user could pick instead, on the same points and questions: each is installed by the user, started here with its
 * data in a temporary directory, and every answer is compared with the generator.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../client.ts';
import { steps } from '../data.ts';
import { chunks, cut, expectSeries, mean, sum } from '../expected.ts';
import { Frames, type Shape, shapes } from '../frames.ts';
import { each, requestRate } from '../ingest.ts';
import type { Figure } from '../report.ts';
import type { Run } from '../run.ts';
import { endProcess, residentBytes } from '../service.ts';
import { sets, weekStartUs } from '../stored.ts';
import { timeOften, timingNote } from '../timing.ts';
import { clickhouse } from './clickhouse.ts';
import { measurePeerDensity } from './density.ts';
import { duckdb } from './duckdb.ts';
import {
  type Ask,
  askedGroup,
  labelSignal,
  minuteSignal,
  type Peer,
  type PeerFrame,
  type PeerQuestion,
  type RunningPeer,
  secondSignal,
} from './peer.ts';
import { victoriaMetrics } from './victoria-metrics.ts';

/** All that can be compared with. */
export const peers: readonly Peer[] = [victoriaMetrics, clickhouse, duckdb];

const clients = 8;

/** Measures those that are installed, or only this one; names those that are not, with the line that installs them. */
export async function measurePeers(run: Run, only?: string): Promise<Figure[]> {
  const wanted = peers.filter(({ name }) => only === undefined || name === only);
  // Some take seconds to end, in which others can be looked at where speed is not the point.
  if (run.isTiny) return (await endAll(wanted.map((peer) => measureOrName(peer, run)))).flat();
  const figures: Figure[] = [];
  for (const peer of wanted) figures.push(...(await measureOrName(peer, run)));
  return figures;
}

/** The results of all; where some fail, the others end first, so that no server is left behind. */
async function endAll<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

async function measureOrName(peer: Peer, run: Run): Promise<Figure[]> {
  if (peer.isInstalled()) return measurePeer(peer, run);
  process.stdout.write(`${peer.name} is not installed, and not measured: ${peer.install}\n`);
  return [];
}

async function measurePeer(peer: Peer, run: Run): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-peer-'));
  const running = await peer.start(directory);
  process.stdout.write(`${peer.name}: ${peer.note}\n`);
  try {
    // Questions first: what the rates leave behind would be in the way.
    const asked = await measureQuestions(peer, running, run);
    const rates = await measureRates(peer, running, run);
    return [...asked, ...rates, ...(await measurePeerDensity(peer, run))];
  } finally {
    await endProcess(running.process);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measureQuestions(peer: Peer, running: RunningPeer, run: Run): Promise<Figure[]> {
  const client = await Client.open(running.url);
  for (const frame of storedFrames()) await send(client, running.insert(frame));
  await running.label(labels());
  await running.settle();
  const figures: Figure[] = [];
  for (const [ask, { name, expected }] of Object.entries(asks)) {
    const title = `${peer.name}: ${name}`;
    const question = running.questions[ask as Ask];
    if (question === undefined) {
      process.stdout.write(`${title}: it cannot\n`);
      continue;
    }
    figures.push(...run.print([await time(running, client, title, question, expected(), run)]));
    const load = { clients, seconds: run.seconds };
    const { rate } = await requestRate(targetOf(running), () => question.request, load);
    figures.push(...run.print([{ name: `${title}, ${clients} clients`, value: rate, unit: 'queries/s' }]));
  }
  client.close();
  return figures;
}

async function send(client: Client, request: Buffer): Promise<Buffer> {
  const { status, body } = await client.send(request);
  if (status !== 200 && status !== 204) throw new Error(`refused: ${status} ${body}`);
  return body;
}

async function time(
  running: RunningPeer,
  client: Client,
  name: string,
  { request, read }: PeerQuestion,
  expected: readonly number[],
  run: Run,
): Promise<Figure> {
  expectSeries(read(await send(client, request)), expected, (value) => value);
  const ask = async () => read(await send(client, request));
  const timing = await timeOften(ask, targetOf(running), request, run);
  return { name, value: timing.steady, unit: 'ms', note: timingNote(timing) };
}

async function measureRates(peer: Peer, running: RunningPeer, run: Run): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const shape of run.isTiny ? shapes.slice(0, 1) : shapes) {
    const points = shape.rows * shape.series;
    const count = run.isTiny ? clients : Math.ceil((2 * (run.seconds + 0.3) * shape.least) / points);
    const requests = each(ingestRequests(running, shape, count));
    const { rate } = await requestRate(targetOf(running), requests, { clients, seconds: run.seconds });
    const unit = points === 1 ? 'requests/s' : 'points/s';
    figures.push(...run.print([{ name: `${peer.name}: ingest ${shape.name}`, value: rate * points, unit }]));
  }
  const value = residentBytes(running.process, 'most') / 2 ** 20;
  return [...figures, ...run.print([{ name: `${peer.name}: memory, at most`, value, unit: 'MiB' }])];
}

function targetOf({ url }: RunningPeer) {
  return { url, authorization: '', integration: '' };
}

const preparedBytesMax = 384 * 2 ** 20;

/** Requests at times of their own, in bounded memory. */
function ingestRequests(running: RunningPeer, shape: Shape, count: number): Buffer[] {
  const frames = new Frames(shape);
  const requests: Buffer[] = [];
  for (
    let bytes = 0;
    requests.length < count && bytes < preparedBytesMax;
    bytes += requests[requests.length - 1].length
  ) {
    const { timesUs, firstSignal, columns } = frames.next();
    const series = columns.map((values, k) => ({ number: 1000 + firstSignal + k, set: 'ingest', values }));
    requests.push(running.insert({ timesUs, series }));
  }
  return requests;
}

/** The two sets that are asked for, in frames of at most 200,000 points. */
function* storedFrames(): Generator<PeerFrame> {
  const numberOf = { minutes: minuteSignal, seconds: secondSignal };
  for (const set of ['minutes', 'seconds'] as const) {
    const { count, points, stepUs, values } = sets[set];
    const columns = Array.from({ length: count }, (_, k) => values(k));
    const part = Math.floor(200_000 / count);
    for (let from = 0; from < points; from += part) {
      const rows = Math.min(part, points - from);
      const series = columns.map((column, k) => ({
        ...{ number: numberOf[set](k), set, values: column.subarray(from, from + rows) },
      }));
      yield { timesUs: steps(rows, weekStartUs + from * stepUs, stepUs), series };
    }
  }
}

function labels(): Map<number, string> {
  return new Map(Array.from({ length: 10_000 }, (_, k) => [labelSignal(k), `g${Math.floor(k / 50)}`]));
}

/** What is asked, and what the generator says to it. */
const asks: Record<Ask, { name: string; expected(): number[] }> = {
  raw: { name: 'raw 21,600 points of one signal', expected: () => [...sets.seconds.values(0)] },
  hours: {
    name: 'hourly rollup, 50 signals × 10,080 points',
    expected: () => chunks(sets.minutes.values(7), 60).map(sum),
  },
  window: { name: 'one window, 50 signals × 10,080 points', expected: () => [mean(sets.minutes.values(7))] },
  minutes: {
    name: 'minute averages, 10 signals × 21,600 points',
    expected: () => chunks(sets.seconds.values(2), 60).map(mean),
  },
  berlin: {
    name: 'Europe/Berlin days, 10 signals × 10,080 points',
    expected: () => {
      const minutes = [23, 24, 24, 24, 24, 24, 23, 2].map((hours) => hours * 60);
      return cut(sets.minutes.values(0), minutes).map(sum);
    },
  },
  formula: {
    name: 'formula of 3 signals, hourly, 7 days',
    expected: () => {
      const [a, b, c] = [0, 1, 2].map((k) => chunks(sets.minutes.values(k), 60).map(mean));
      return a.map((value, i) => (value + b[i]) / 2 - c[i]);
    },
  },
  label: {
    name: '50 of 10,000 signals by label',
    expected: () => Array.from({ length: 50 }, (_, i) => labelSignal(Number(askedGroup.slice(1)) * 50 + i)),
  },
};
