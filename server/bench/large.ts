/** Much data: long series, a start with many stored points, and a hundred thousand signals. */
import { Client, postBytes } from './client.ts';
import { walk } from './data.ts';
import { chunks, expectSeries, mean } from './expected.ts';
import { shapes } from './frames.ts';
import { measureShape, type Target } from './ingest.ts';
import { labelQuestion, saveGroups } from './labels.ts';
import { askOften, type Question, questions } from './query.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import { processorSeconds, residentBytes, type Service, startService, untilSealed } from './service.ts';
import { type Inserted, publish, secondUs, storeSets, weekStartUs } from './stored.ts';

const seriesCount = 50;
const rowsOfRequest = 1000;

/** How long data is inserted for the start at most, ms. */
const fillMs = 180_000;

/** Everything that takes minutes, each on a service of its own. */
export async function measureLarge(run: Run): Promise<Figure[]> {
  return [...(await withService((service) => measureLong(service, run))), ...(await measureMany(run))];
}

async function withService<T>(work: (service: Service) => Promise<T>): Promise<T> {
  const service = await startService();
  try {
    return await work(service);
  } finally {
    await service.close();
  }
}

async function measureLong(service: Service, run: Run): Promise<Figure[]> {
  const rows = run.isTiny ? 2000 : 500_000;
  const columns = Array.from({ length: seriesCount }, (_, k) => walk(rows, 5000 + k));
  const emptyStartMs = await service.restart();
  const startMs = performance.now();
  const ids = await insertRows(service, columns, weekStartUs);
  const seconds = (performance.now() - startMs) / 1000;
  await settle(service, run);
  const client = await Client.open(service.url);
  const items = await publish(client, service, ids);
  client.close();
  const loaded = {
    name: `insert ${seriesCount} × ${rows.toLocaleString('en')} points`,
    value: (rows * seriesCount) / seconds,
    unit: 'points/s',
    note: 'made by its only client while it inserts',
  };
  const figures = run.print([loaded]);
  for (const question of longQuestions(items, columns)) {
    figures.push(
      ...run.print([
        await askOften(service, question, { ...run, times: Math.min(run.times, 10) }),
        await processorOf(service, question, run.isTiny ? 1 : 20),
      ]),
    );
  }
  const started = await measureStart(service, columns, run, { emptyStartMs, untilMs: startMs + fillMs });
  return [...figures, ...run.print(started)];
}

/** What one answer costs the service's process, all its threads: what else the machine does is left out. */
async function processorOf(
  service: Service,
  { name, method, params }: Question,
  count: number,
): Promise<Figure> {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const bytes = postBytes(service.url, service.authorization, body);
  const client = await Client.open(service.url);
  const beforeS = processorSeconds(service.process);
  for (let i = 0; i < count; i++) await client.send(bytes);
  const value = ((processorSeconds(service.process) - beforeS) * 1000) / count;
  client.close();
  return { name: `processor of one ${name}`, value, unit: 'ms' };
}

/** Everything inserted is in blocks, but where it only matters whether everything works: sealing waits until all is quiet. */
async function settle(service: Service, run: Run): Promise<void> {
  if (!run.isTiny) await untilSealed(service);
}

/** Inserts columns a second apart, two requests at a time; the IDs of the signals. */
async function insertRows(
  service: Target,
  columns: readonly Float64Array[],
  startUs: number,
): Promise<string[]> {
  const rows = columns[0].length;
  let next = 0;
  let last: Inserted = { signalsByInput: {} };
  const insert = async () => {
    const client = await Client.open(service.url);
    for (let from = next; from < rows; from = next) {
      next += rowsOfRequest;
      const part = columns.map((column) => column.subarray(from, from + rowsOfRequest));
      last = await client.call(service, 'integration.insert', {
        integration: service.integration,
        data: frameOf(part, startUs + from * secondUs),
      });
    }
    client.close();
  };
  await Promise.all([insert(), insert()]);
  return columns.map((_, k) => last.signalsByInput[`long/${k}`].id);
}

function frameOf(columns: readonly Float64Array[], startUs: number): object {
  const times = Array.from(columns[0], (_, i) => new Date(startUs / 1000 + i * 1000).toISOString());
  return { times, series: Object.fromEntries(columns.map((column, k) => [`long/${k}`, [...column]])) };
}

function longQuestions(items: readonly string[], columns: readonly Float64Array[]): Question[] {
  const rows = columns[0].length;
  const size = `50 signals × ${rows.toLocaleString('en')} points`;
  const at = (us: number) => new Date(us / 1000).toISOString();
  const filter = { times: { $gte: at(weekStartUs), $lt: at(weekStartUs + rows * secondUs) } };
  const query = { filter: { id: { $in: items } }, limit: items.length };
  return [
    {
      name: `hourly rollup, ${size}`,
      mostMs: 250,
      method: 'service.dataFrame',
      params: { query, data: { filter, rollup: 'PT1H' } },
      check: ({ data }) => expectSeries(data.series[`${items[7]}_avg`], chunks(columns[7], 3600), mean),
    },
    {
      name: `one window, ${size}`,
      mostMs: 10,
      method: 'service.evaluate',
      params: {
        items: items.map((id, k) => ({ id, alias: `s${k}`, aggregation: 'avg' })),
        data: { filter, rollup: 'window' },
      },
      check: ({ data }) => expectSeries(data.series['s7'], [columns[7]], mean),
    },
  ];
}

/** Goes on inserting the same values at later times, as far as the time allows, and then starts the service anew. */
async function measureStart(
  service: Service,
  columns: readonly Float64Array[],
  run: Run,
  { emptyStartMs, untilMs }: { emptyStartMs: number; untilMs: number },
): Promise<Figure[]> {
  const wanted = run.isTiny ? 200_000 : 100e6;
  const round = columns.length * columns[0].length;
  let stored = round;
  while (stored < wanted && performance.now() < untilMs) {
    // A start reads no values: the same ones again will do.
    await insertRows(service, columns, weekStartUs + (stored / columns.length) * secondUs);
    stored += round;
  }
  await settle(service, run);
  const starts: number[] = [];
  while (starts.length < (run.isTiny ? 1 : 3)) starts.push(await service.restart());
  const note = `median of ${starts.length}; of them Node itself and its modules: ${emptyStartMs.toFixed(0)} ms (the empty service)`;
  const value = median(starts);
  const memory = residentBytes(service.process) / 2 ** 20;
  return [
    { name: `start with ${stored / 1e6} M points`, value, unit: 'ms', target: { most: 1000 }, note },
    { name: 'memory after that start', value: memory, unit: 'MiB' },
  ];
}

/** What is compared of a shape: its share of the floor, so that a machine that became busier does not count. */
const manyFigure = 1;

/** Each row of the tables without and with a hundred thousand further signals. */
async function measureMany(run: Run): Promise<Figure[]> {
  return withService(async (service) => {
    const count = run.isTiny ? 1000 : 100_000;
    await saveGroups(service, 1000);
    const stored = await storeSets(service);
    await settle(service, run);
    const rows = async () => {
      const silent = { ...run, print: (figures: Figure[]) => figures };
      const found: Figure[] = [];
      for (const shape of run.isTiny ? shapes.slice(0, 1) : shapes)
        found.push((await measureShape(service, shape, silent))[manyFigure]);
      await settle(service, run);
      for (const question of questions(stored)) found.push(await askOften(service, question, run));
      return [...found, await askOften(service, labelQuestion(service, 1000), run)];
    };
    const before = await rows();
    await saveGroups(service, count);
    await insertMoment(service, count);
    const after = await rows();
    return run.print(before.map((figure, i) => slowdown(figure, after[i], count)));
  });
}

/** One point of each of those signals. */
async function insertMoment(service: Target, count: number): Promise<void> {
  const client = await Client.open(service.url);
  for (let from = 0; from < count; from += 1000) {
    const series = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`label/${from + i}`, [from]]));
    const params = { integration: service.integration, data: { times: ['2024-03-25T00:00:00Z'], series } };
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'integration.insert', params }));
    const { status } = await client.send(postBytes(service.url, service.authorization, body));
    if (status !== 200) throw new Error(`refused: ${status}`);
  }
  client.close();
}

/** How much slower: of times the second by the first, of rates the other way round. */
function slowdown(before: Figure, after: Figure, count: number): Figure {
  const value = before.unit === 'ms' ? after.value / before.value : before.value / after.value;
  const note = `${after.value.toPrecision(3)} ${after.unit}, ${before.value.toPrecision(3)} before`;
  const name = `slower with ${count.toLocaleString('en')} signals: ${before.name}`;
  return { name, value, unit: '×', target: { most: 1.5 }, note };
}
