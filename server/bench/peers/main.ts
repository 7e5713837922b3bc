/**
 * What a user could pick instead, on the same points and questions: each is installed by the user, and started here with its
 * data in a temporary directory.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Frames, type Shape, shapes } from '../frames.ts';
import { each, requestRate } from '../ingest.ts';
import type { Figure } from '../report.ts';
import type { Run } from '../run.ts';
import { endProcess, residentBytes, type Service } from '../service.ts';
import { clickhouse } from './clickhouse.ts';
import { measurePeerDensity } from './density.ts';
import { duckdb } from './duckdb.ts';
import type { Peer, RunningPeer } from './peer.ts';
import { fillOwn, measureQuestions, type Own } from './questions.ts';
import { victoriaMetrics } from './victoria-metrics.ts';

/** All that can be compared with. */
export const peers: readonly Peer[] = [victoriaMetrics, clickhouse, duckdb];

const clients = 8;

/** Measures those that are installed, or only this one; names those that are not, with the line that installs them. */
export async function measurePeers(service: Service, run: Run, only?: string): Promise<Figure[]> {
  const wanted = peers.filter(({ name }) => only === undefined || name === only);
  for (const { name, install, isInstalled } of wanted)
    if (!isInstalled()) process.stdout.write(`${name} is not installed, and not measured: ${install}\n`);
  const installed = wanted.filter(({ isInstalled }) => isInstalled());
  if (installed.length === 0) return [];
  const own = await fillOwn(service, run);
  // Some take seconds to end, in which others can be looked at where speed is not the point.
  if (run.isTiny) return (await endAll(installed.map((peer) => measurePeer(peer, own, run)))).flat();
  const figures: Figure[] = [];
  for (const peer of installed) figures.push(...(await measurePeer(peer, own, run)));
  return figures;
}

/** The results of all; where some fail, the others end first, so that no server is left behind. */
async function endAll<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

async function measurePeer(peer: Peer, own: Own, run: Run): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-peer-'));
  const running = await peer.start(directory);
  process.stdout.write(`${peer.name}: ${peer.note}\n`);
  try {
    // Questions first: what the rates leave behind would be in the way.
    const asked = await measureQuestions(peer, running, own, run);
    const rates = await measureRates(peer, running, run);
    return [...asked, ...rates, ...(await measurePeerDensity(peer, run))];
  } finally {
    await endProcess(running.process);
    rmSync(directory, { recursive: true, force: true });
  }
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
