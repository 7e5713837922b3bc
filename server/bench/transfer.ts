/**
 * Everything in and out: a CSV file is imported, beside DuckDB reading it, and exported in each format, beside a plain copy. With
 * `TRANSFER_POINTS` so many points are inserted instead, and exported; `TRANSFER_FORMATS=csv,parquet` are those formats alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { streamRequest } from './arrow.ts';
import { walk } from './data.ts';
import { Frames, type Shape } from './frames.ts';
import { requestRate } from './ingest.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';
import { residentBytes, type Service, untilSealed } from './service.ts';

const columns = 3;
const bin = join(import.meta.dirname, '../bin/tidemark.js');
const duckDb = join(import.meta.dirname, '../../bench-peers/node_modules/@duckdb/node-api/lib/index.js');

/** What exports may add to the memory of the service, MiB. */
const growthMax = 100;
const sampleMs = 100;

/** Imports so many rows, and exports them; `TRANSFER_ROWS` of them, by default 5,000,000. */
export async function measureTransfer(service: Service, run: Run): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-bench-transfer-'));
  try {
    const { points, figures } = await store(service, directory, run);
    if (!run.isTiny) await untilSealed(service);
    for (const [format, form] of formats) {
      if (!wantedFormats.includes(format)) continue;
      const copy = join(directory, 'copy');
      figures.push(...run.print(await measureExport(service, { format, form, points, copy })));
    }
    return figures;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Stores the points that are exported, by the import of a file if not by inserts. */
async function store(
  service: Service,
  directory: string,
  run: Run,
): Promise<{ points: number; figures: Figure[] }> {
  const wanted = Number(process.env.TRANSFER_POINTS ?? 0);
  if (wanted > 0) return { points: await insert(service, wanted), figures: [] };
  const rows = run.isTiny ? 20_000 : Number(process.env.TRANSFER_ROWS ?? 5_000_000);
  const file = join(directory, 'rows.csv');
  await pipeline(Readable.from(csv(rows)), createWriteStream(file));
  return { points: rows * columns, figures: run.print(await measureImport(service, file, rows)) };
}

/** What inserts store: seconds of some signals. */
const inserted: Shape = {
  ...{ name: 'seconds', rows: 10_000, series: 10, stepUs: 1e6, jitterUs: 0, sets: 1, least: 0 },
  values: walk,
};

/** Inserts at least so many points; how many. */
async function insert(service: Service, wanted: number): Promise<number> {
  const { rows, series } = inserted;
  const frames = new Frames(inserted);
  let left = Math.ceil(wanted / (rows * series));
  const next = () => (left-- > 0 ? streamRequest(service, frames) : null);
  const { count } = await requestRate(service, next, { clients: 4, seconds: 3600 });
  return count * rows * series;
}

const formats = [
  ['csv', 'long'],
  ['csv', 'wide'],
  ['jsonl', 'long'],
  ['parquet', 'long'],
  ['parquet', 'wide'],
] as const;

/** Formats that are measured. */
const wantedFormats = process.env.TRANSFER_FORMATS?.split(',') ?? formats.map(([format]) => format);

function* csv(rows: number): Generator<string> {
  const startS = 1_700_000_000;
  yield 'time,a,b,c\n';
  for (let row = 0; row < rows; ) {
    let text = '';
    for (const end = Math.min(rows, row + 2000); row < end; row++)
      text += `${startS + row},${(row % 977) / 8},${((row * 31) % 10_007) / 100},${row % 2}\n`;
    yield text;
  }
}

async function measureImport({ directory, url }: Service, file: string, rows: number): Promise<Figure[]> {
  const credentials = JSON.parse(readFileSync(join(directory, '../credentials.json'), 'utf8'));
  const used = `${file}.credentials.json`;
  writeFileSync(used, JSON.stringify({ ...credentials, apiUrl: new URL('/v1/', url).href }), { mode: 0o600 });
  const startMs = performance.now();
  const args = ['import', 'csv', file, '--credentials', used];
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const name = `import of a CSV file, ${columns} columns`;
  const own = { name, value: (rows / (performance.now() - startMs)) * 1000, unit: 'rows/s' };
  if (!existsSync(duckDb)) return [own];
  const ms = await loadIntoDuckDb(file, `${file}.duckdb`);
  return [own, { name: `DuckDB: ${name}`, value: (rows / ms) * 1000, unit: 'rows/s' }];
}

/** How long DuckDB takes to read the file into a table on disk, ms. */
async function loadIntoDuckDb(file: string, database: string): Promise<number> {
  const { DuckDBInstance } = await import(pathToFileURL(duckDb).href);
  const instance = await DuckDBInstance.create(database, { threads: '2' });
  const connection = await instance.connect();
  const startMs = performance.now();
  await connection.run(`create table rows as select * from read_csv('${file}')`);
  await connection.run('checkpoint');
  const ms = performance.now() - startMs;
  connection.closeSync();
  instance.closeSync();
  return ms;
}

interface Exported {
  format: string;
  form: string;
  points: number;
  /** Where the file is written for the comparison. */
  copy: string;
}

async function measureExport(service: Service, { format, form, points, copy }: Exported): Promise<Figure[]> {
  const url = new URL(`/v1/export?format=${format}&form=${form}&signals=*`, service.url);
  const before = residentBytes(service.process);
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, residentBytes(service.process))), sampleMs);
  const startMs = performance.now();
  const response = await fetch(url, { headers: { authorization: service.authorization } });
  if (!response.ok || response.body === null) throw new Error(`${url}: ${response.status}`);
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(copy));
  const ms = performance.now() - startMs;
  clearInterval(timer);
  const bytes = statSync(copy).size;
  const copied = points / ((await copyMs(copy)) / 1000);
  const name = `export ${format} ${form}`;
  const note = `${(bytes / 1e6).toFixed(0)} MB; a plain copy of them ${Math.round(copied).toLocaleString('en')} points/s`;
  return [
    { name, value: (points / ms) * 1000, unit: 'points/s', note },
    { name: `${name}, growth`, value: (most - before) / 2 ** 20, unit: 'MiB', target: { most: growthMax } },
  ];
}

/** How long `cat` takes from that file through a pipe to another one, ms. */
async function copyMs(file: string): Promise<number> {
  const startMs = performance.now();
  const child = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await pipeline(child.stdout, createWriteStream(`${file}.again`));
  return performance.now() - startMs;
}
