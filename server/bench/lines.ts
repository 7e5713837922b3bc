/** Line protocol, beside InfluxDB 1.6 (Debian's package influxdb) fed with the same bytes by the same client. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postBytes } from './client.ts';
import { type Rate, requestRate, type Target } from './ingest.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';
import { endProcess, freePort, processorSeconds, type Service, untilAnswers } from './service.ts';

const influxd = '/usr/bin/influxd';

/** Lines of a body: 100 hosts at so many times; each line has three fields. 1,000 lines are Telegraf's batch if nothing is set. */
const bodies = [
  { lines: 5000, times: 50, clients: 4 },
  { lines: 1000, times: 10, clients: 8 },
  { lines: 100, times: 1, clients: 8 },
] as const;
const hosts = 100;
const fieldCount = 3;

/** How often the two take turns: what else the machine does meanwhile then meets both. */
const turnCount = 4;

/** As a multiple of InfluxDB. */
const target = { least: 2 };

/** The first time, ns. */
const startNs = 1_700_000_000_000_000_000n;
const timeDigits = 19;
/** Between two times, ns. */
const stepNs = 10_000_000_000n;

/** Bodies that differ in their times only. */
class Bodies {
  readonly #template: Buffer;
  /** Where the times are, those of one time behind one another. */
  readonly #places: number[] = [];
  readonly #times: number;
  #next = startNs;

  constructor(times: number) {
    this.#times = times;
    let text = '';
    for (let at = 0; at < times; at++) {
      for (let host = 0; host < hosts; host++) {
        const value = (host * 7 + at * 13) % 100;
        text += `cpu,host=server${host},region=eu usage_user=${value}.25,usage_system=${value / 4},load=${host}i `;
        this.#places.push(text.length);
        text += `${'0'.repeat(timeDigits)}\n`;
      }
    }
    this.#template = Buffer.from(text, 'latin1');
  }

  next(): Buffer {
    const body = Buffer.from(this.#template);
    for (let at = 0; at < this.#times; at++, this.#next += stepNs) {
      const text = String(this.#next);
      for (let host = 0; host < hosts; host++) body.write(text, this.#places[at * hosts + host], 'latin1');
    }
    return body;
  }
}

/** Where bodies are written. */
interface Writer {
  target: Pick<Target, 'url' | 'authorization'>;
  process: ChildProcess;
}

/** Both services, in bodies of each size. */
export async function measureLines(service: Service, run: Run): Promise<Figure[]> {
  const url = new URL('/api/v2/write?bucket=any&org=any&precision=ns', service.url);
  const own: Writer = { target: { url, authorization: service.authorization }, process: service.process };
  const influx = existsSync(influxd) ? await startInflux() : null;
  const figures: Figure[] = [];
  try {
    for (const size of bodies) figures.push(...run.print(await measureSize(own, influx, size, run)));
  } finally {
    await influx?.close();
  }
  return figures;
}

async function measureSize(
  own: Writer,
  influx: Writer | null,
  { lines, times, clients }: (typeof bodies)[number],
  { seconds, isTiny }: Run,
): Promise<Figure[]> {
  const name = `line protocol, bodies of ${lines} lines`;
  const turns = isTiny ? 1 : turnCount;
  const how = { clients, seconds: seconds / turns };
  const sources = [own, influx].flatMap((writer) =>
    writer === null ? [] : [{ writer, bodies: new Bodies(times), ...{ rate: 0, count: 0, processorS: 0 } }],
  );
  for (let turn = 0; turn < turns; turn++) {
    for (const source of sources) {
      const sent = await send(source.writer, source.bodies, how);
      source.rate += sent.rate / turns;
      source.count += sent.count;
      source.processorS += sent.processorS;
    }
  }
  const [ours, theirs] = sources.map(({ rate, count, processorS }) => ({
    value: rate * lines * fieldCount,
    unit: 'points/s',
    note: `processor for a million lines ${((processorS / (count * lines)) * 1e6).toFixed(2)} s`,
  }));
  if (theirs === undefined) return [{ name, ...ours }];
  const ratio = { name: `${name}, of InfluxDB`, value: ours.value / theirs.value, unit: '×', target };
  return [{ name, ...ours }, { name: `InfluxDB: ${name}`, ...theirs }, ratio];
}

/** What sending for a while gave, and the processor time that it took. */
async function send(
  { target, process }: Writer,
  source: Bodies,
  how: { clients: number; seconds: number },
): Promise<Rate & { processorS: number }> {
  const { url, authorization } = target;
  const next = () => postBytes(url, authorization, source.next(), { type: 'text/plain; charset=utf-8' });
  const beforeS = processorSeconds(process);
  const sent = await requestRate({ ...target, integration: '' }, next, how);
  return { ...sent, processorS: processorSeconds(process) - beforeS };
}

/** An InfluxDB with a database, in a new directory. */
async function startInflux(): Promise<Writer & { close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-influx-'));
  const [port, rpc] = [await freePort(), await freePort()];
  const env = {
    ...process.env,
    INFLUXDB_REPORTING_DISABLED: 'true',
    INFLUXDB_BIND_ADDRESS: `127.0.0.1:${rpc}`,
    INFLUXDB_META_DIR: join(directory, 'meta'),
    INFLUXDB_DATA_DIR: join(directory, 'data'),
    INFLUXDB_DATA_WAL_DIR: join(directory, 'wal'),
    INFLUXDB_HTTP_BIND_ADDRESS: `127.0.0.1:${port}`,
    INFLUXDB_HTTP_LOG_ENABLED: 'false',
    INFLUXDB_MONITOR_STORE_ENABLED: 'false',
    INFLUXDB_LOGGING_LEVEL: 'error',
  };
  const child = spawn(influxd, ['run', '-config', '/dev/null'], { env, stdio: 'ignore' });
  const base = new URL(`http://127.0.0.1:${port}`);
  await untilAnswers(new URL('/ping', base), child);
  const created = await fetch(new URL('/query?q=CREATE+DATABASE+bench', base), { method: 'POST' });
  if (!created.ok) throw new Error(`InfluxDB has made no database: ${created.status}`);
  const url = new URL('/write?db=bench&precision=ns', base);
  return {
    target: { url, authorization: 'Basic Og==' },
    process: child,
    async close() {
      await endProcess(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
