/**
 * npm run bench: measures the service as clients see it and prints each figure with its target.
 *
 *   npm run bench                    every part but the large ones, a few seconds each
 *   npm run bench -- --only query    one part: ingest, query, arrow, labels, density, codec, overload, iterations, large, peers, cluster
 *   npm run bench -- --only export,lines  files in and out; line protocol beside InfluxDB
 *   npm run bench -- --large         also 50 × 500,000 points, a start with 100 M points, 100,000 signals: minutes
 *   npm run bench -- --peers         also what a user could pick instead, on the same points and questions
 *   npm run bench -- --only peers --peer DuckDB
 *   npm run bench -- --soak 20       20 minutes of a plant's day: whether memory stays as it is
 *   npm run bench -- --overload      attacks alone and eight at a time, in 2 GiB of memory; --attack NAMES for some
 *   npm run bench -- --cluster       embedded, one node, and two nodes on PostgreSQL and two shards of ClickHouse, in one run
 *   npm run bench -- --cluster --stored 100   the same while 100 M other points are stored there
 *   npm run bench -- --mqtt          messages of MQTT, beside mosquitto
 *   npm run bench -- --threads 1,2,4 inserts and questions with so many service threads each
 *   npm run bench -- --seconds 10    longer, steadier
 *   npm run bench -- --tiny          small data: whether everything works, not how fast it is
 *   npm run bench -- --no-history    do not append the figures to bench/history.ndjson, as a whole run does by itself
 *   npm run bench -- --history       append those of a run with --only, too
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureArrow } from './arrow.ts';
import { measureCluster } from './cluster.ts';
import { measureCodec } from './codec.ts';
import { measureDensity } from './density.ts';
import { measureIngest } from './ingest.ts';
import { measureIterations } from './iterations.ts';
import { measureLabels } from './labels.ts';
import { measureLarge } from './large.ts';
import { measureAnswers } from './large-answers.ts';
import { measureLines } from './lines.ts';
import { measureMqtt } from './mqtt.ts';
import { measureOverload, overloadArgs } from './overload.ts';
import { measureOverwrite } from './overwrite.ts';
import { measurePeers } from './peers/main.ts';
import { measureQueries } from './query.ts';
import { appendHistory, comparison, type Figure, load, machine, summary } from './report.ts';
import { printingRun } from './run.ts';
import { addIntegration, type Service, startService } from './service.ts';
import { measureSoak, soakArgs } from './soak.ts';
import { measureTransfer } from './transfer.ts';
import { measureAttacks } from './withstand.ts';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    peer: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    times: { type: 'string', default: '30' },
    large: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    soak: { type: 'string' },
    overload: { type: 'boolean', default: false },
    mqtt: { type: 'boolean', default: false },
    attack: { type: 'string' },
    threads: { type: 'string' },
    cluster: { type: 'boolean', default: false },
    stored: { type: 'string', default: '0' },
    tiny: { type: 'boolean', default: false },
    history: { type: 'boolean' },
  },
  allowNegative: true,
});
const run = printingRun({
  seconds: Number(options.seconds),
  times: Number(options.times),
  isTiny: options.tiny,
});

/** In a tiny run: the one service of all parts that want nothing else, once there is one. */
const shared: Service[] = [];

/** The options of the services of the current pass. */
let threadArgs: readonly string[] = [];

async function withService<T>(
  options: readonly string[],
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const more = [...threadArgs, ...options];
  if (run.isTiny && more.length === 0) {
    if (shared.length === 0) shared.push(await startService());
    return work(shared[0]);
  }
  const service = await startService(more);
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

/** The parts in the order in which they run; each on a service of its own, where it needs one. */
const parts: Readonly<Record<string, () => Promise<Figure[]>>> = {
  ingest: () => withService([], (service) => measureIngest(service, run)),
  query: () => withService([], (service) => measureQueries(service, run)),
  arrow: () => withService([], (service) => measureArrow(service, run)),
  labels: () => withService([], (service) => measureLabels(service, run)),
  density: async () => [...(await measureDensity(run)), ...(await measureOverwrite(run))],
  codec: async () => measureCodec(run),
  export: () => withService([], (service) => measureTransfer(service, run)),
  lines: () => withService([], (service) => measureLines(service, run)),
  mqtt: () => measureMqtt(run),
  overload: () =>
    withService(overloadArgs, async (service) =>
      measureOverload(service, await addIntegration(service), run),
    ),
  iterations: async () => [
    ...(await withService([], (service) => measureIterations(service, run))),
    ...(await withService([], (service) => measureAnswers(service, run))),
  ],
  large: () => measureLarge(run),
  peers: () => withService([], (service) => measurePeers(service, run, options.peer)),
  soak: () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidemark-soak-'));
    const minutes = run.isTiny ? 1 : Number(options.soak ?? 20);
    return withService(soakArgs(directory), (service) => measureSoak(service, minutes, run)).finally(() =>
      rmSync(directory, { recursive: true }),
    );
  },
  attacks: () => measureAttacks(run, options.attack),
  cluster: () => measureCluster(run, Number(options.stored) * 1e6),
};

/** Those that are asked for by a word of their own. */
const extra: Readonly<Record<string, boolean>> = {
  export: false,
  lines: false,
  mqtt: false,
  large: options.large,
  peers: options.peers,
  soak: false,
  attacks: false,
  cluster: false,
};

function isWanted(name: string): boolean {
  if (options.soak !== undefined) return name === 'soak';
  if (options.mqtt && options.only === undefined) return name === 'mqtt';
  if (options.overload && options.only === undefined) return name === 'attacks';
  if (options.cluster) return name === 'cluster';
  return options.only === undefined ? (extra[name] ?? true) : options.only.split(',').includes(name);
}

/** Those that are measured with each number of threads. */
const threaded = ['ingest', 'query', 'labels'];

/** Measures a part, with each number of service threads if numbers were given; the names of their figures end in it. */
async function measure(name: string, part: () => Promise<Figure[]>): Promise<Figure[]> {
  const counts = threaded.includes(name) ? options.threads?.split(',') : undefined;
  if (counts === undefined) return part();
  const figures: Figure[] = [];
  for (const count of counts) {
    process.stdout.write(`${count} threads\n`);
    threadArgs = ['--threads', count];
    const found = await part();
    figures.push(...found.map((figure) => ({ ...figure, name: `${figure.name} (${count} threads)` })));
  }
  threadArgs = [];
  return figures;
}

const startedAt = new Date().toISOString();
process.stdout.write(`${machine()}; ${load()}\n`);
const figures: Figure[] = [];
try {
  for (const [name, part] of Object.entries(parts)) {
    if (!isWanted(name)) continue;
    process.stdout.write(`\n${name}\n`);
    figures.push(...(await measure(name, part)));
  }
} finally {
  for (const service of shared) await service.close();
}
for (const line of comparison(figures)) process.stdout.write(`${line}\n`);
process.stdout.write(`\n${summary(figures)}; ${load()}\n`);
const isWhole =
  options.only === undefined && options.soak === undefined && !options.overload && !options.cluster;
if (options.history ?? (isWhole && !options.tiny)) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  appendHistory(join(import.meta.dirname, 'history.ndjson'), commit, startedAt, figures);
}
