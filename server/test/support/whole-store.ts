/** A store with some of everything, and what a store has altogether, to compare it with a copy. */
import { createHash } from 'node:crypto';
import { type Domain, openDomain } from '#domain/domain';
import type { WholeStore } from '#domain/migration/migration';
import { matchAll } from '#model/filter';
import { limitDefaults } from '#model/limits';
import { parseScope } from '#model/retention';
import { emptyTally } from '#model/usage';
import { openSqlite } from '#storage/sqlite/store';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { newId } from './resources.ts';
import { KeptLog, SeededRandom, testAct } from './world.ts';

/** How much a store has. */
export interface StoreContents {
  seed: number;
  signals: number;
  /** Points of a signal at most. */
  pointsMax: number;
}

const dayUs = 86_400e6;

/** Fills a data directory, which must not exist yet. */
export async function fillDirectory(
  directory: string,
  { seed, signals, pointsMax }: StoreContents,
): Promise<void> {
  const log = new KeptLog();
  const store = await openSqlite({ directory, log, limits: limitDefaults, clock: systemClock });
  const environment = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log };
  const domain = await openDomain(
    store,
    { limits: limitDefaults, baseUrl: 'http://tidemark.test' },
    environment,
  );
  try {
    const inputs = await fillMetadata(domain, signals);
    await fillPoints(domain, inputs, new SeededRandom(seed), pointsMax);
  } finally {
    await domain.close();
  }
}

async function fillMetadata(domain: Domain, count: number): Promise<number[]> {
  const { identity, signals, plans, retention, people, meta } = domain;
  const plant = await identity.createIntegration(testAct, 'Plant ✓', ['admin', 'service']);
  const gone = await identity.createIntegration(testAct, 'Gone', []);
  await identity.createCredential(testAct, plant.id, 'basic-auth', 'password');
  await identity.createCredential(testAct, plant.id, 'client-credentials', 'client');
  await signals.save(gone.id, new Map([['unused', {}]]), { createOnly: false });
  const labels = (i: number) =>
    new Map([
      ['site', [`s${i % 3}`, 'ü']],
      ['line', [`${i % 7}`]],
    ]);
  const inputs = new Map(Array.from({ length: count }, (_, i) => [`signal-${i}`, { labels: labels(i) }]));
  const saved = await signals.save(plant.id, inputs, { createOnly: false });
  const published = [...saved.values()].slice(0, 20).map(({ id }) => [id, { name: `Item ${id}` }] as const);
  await signals.publish(testAct, plant.id, new Map(published), { createOnly: false });
  await fillCalculations(domain);
  await plans.set(testAct, 'default', (plan) => ({ ...plan, signalsMax: 1_000_000 }));
  await retention.set(testAct, { scope: parseScope('label:site=z'), keep: { kind: 'calendar', months: 24 } });
  const ada = await people.create(testAct, {
    name: 'ada',
    password: 'a long password of a test',
    role: 'admin',
  });
  await meta.write(async (tx) => {
    for (const day of [20_000, 20_001])
      await tx.usage.add([{ integration: plant.id, day, tally: { ...emptyTally(), points: 2 ** 52 + day } }]);
    await tx.preferences.save('instance-name', 'Plant "A"');
    const dates = { createdAtMs: 1, updatedAtMs: 2 };
    await tx.savedViews.save({ id: newId(), name: 'view', query: 'from=1', owner: ada.id, ...dates });
  });
  await identity.deleteIntegration(testAct, gone.id);
  return (await meta.signals.owners()).map(({ number }) => number);
}

/** A calculated item over two others, in two versions, and one that uses it. */
async function fillCalculations({ calculations, meta }: Domain): Promise<void> {
  const all = { filter: matchAll, sort: [], limit: 2, skip: 0, total: false };
  const { records } = await meta.items.select(all);
  const input = (item: string, alias: string) => {
    return { item, alias, aggregation: 'avg', state: null, lead: 0, lag: 0 } as const;
  };
  const inputs = [0, 1].map((i) => input(records[i % records.length].id, `p${i}`));
  const choice = { formula: 'p0 + coalesce(p1, 1)', inputs, intervalUs: 60e6 };
  const first = await calculations.create(testAct, { item: { name: 'Sum' }, calculation: choice });
  const changed = { item: { name: 'Sum', visible: true }, calculation: { ...choice, formula: 'p0 * p1' } };
  await calculations.change(testAct, first.id, changed);
  const over = { formula: '2 * s', inputs: [input(first.id, 's')], intervalUs: 3600e6 };
  await calculations.create(testAct, { item: { name: 'Twice' }, calculation: over });
}

/** Each signal has its own times, or those of others; a few signals have no points, one has many. */
async function fillPoints(
  { series }: Domain,
  signals: readonly number[],
  random: SeededRandom,
  pointsMax: number,
): Promise<void> {
  const numbers = new Uint32Array(random.bytes(4 * (signals.length + 8)).slice().buffer);
  for (let from = 0; from < signals.length; ) {
    const columns = from === 0 ? 2 : 1 + (numbers[from] % 7);
    const count = from === 0 ? pointsMax : numbers[from + 1] % 3000;
    const some = signals.slice(from, from + columns);
    const startUs = (numbers[from + 2] % 20_000) * dayUs - 5000 * dayUs;
    const stepUs =
      count > 10_000
        ? [1, 1e6, 60e6][numbers[from + 3] % 3]
        : [1e6, 3600e6, dayUs / 8][numbers[from + 3] % 3];
    const jitter = numbers[from + 4] % 2;
    const timesUs = Float64Array.from(
      { length: count },
      (_, i) => startUs + i * stepUs * 2 + ((i * 7919) % 2) * jitter,
    );
    const values = Float64Array.from({ length: count * some.length }, (_, i) =>
      valueAt(i, numbers[from + 5]),
    );
    await series.append({ timesUs, signals: some, values });
    from += columns + (numbers[from + 6] % 2);
  }
}

function valueAt(i: number, seed: number): number {
  const awkward = [-0, 5e-324, 2 ** 53 - 1, 0.1 + 0.2, -1e300, 1 / 3, 123_456.789];
  return i % 50 === 0 ? awkward[(i / 50 + seed) % awkward.length] : ((i * 31 + seed) % 1000) / 8;
}

/** All rows, table by table, and a digest of the points of each signal. */
export async function contentsOf({ rows, series, meta }: WholeStore): Promise<Record<string, unknown>> {
  const contents: Record<string, unknown> = {};
  for (const table of rows.tables) {
    const all = await rows.between(table, null, null);
    contents[table.name] = all
      .filter(({ action }) => action !== 'store.migrate')
      .map((row) => Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))));
  }
  const window = { startUs: Number.NEGATIVE_INFINITY, endUs: Number.POSITIVE_INFINITY };
  const points: Record<number, string> = {};
  for (const { number } of await meta.signals.owners()) {
    const [found] = await series.scan({
      sources: [{ signals: [number], window, before: false, after: false }],
    });
    const digest = createHash('sha256').update(new Uint8Array(found.timesUs.slice().buffer));
    points[number] =
      `${found.timesUs.length} ${digest.update(new Uint8Array(found.values.slice().buffer)).digest('hex')}`;
  }
  return { ...contents, points };
}

/** What a data directory has. */
export async function contentsOfDirectory(directory: string): Promise<Record<string, unknown>> {
  const store = await openSqlite({
    directory,
    log: new KeptLog(),
    limits: limitDefaults,
    clock: systemClock,
  });
  try {
    return await contentsOf(store);
  } finally {
    await store.close();
  }
}
