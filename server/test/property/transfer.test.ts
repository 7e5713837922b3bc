/** Everything that goes out as JSON lines or Parquet comes in again as it was: points bit for bit, metadata, and what is published. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { instantsIn } from '#cli/csv/local-time';
import { RejectsFile } from '#cli/csv/rejects';
import { ExportFile } from '#cli/export-file';
import { importJsonLines } from '#cli/import-json-lines';
import { importParquet } from '#cli/import-parquet';
import { RemoteTarget } from '#cli/import-target';
import { Progress } from '#cli/progress';
import { Client } from '#client';
import { instantUsMax } from '#model/instant';
import { type ServiceUnderTest, startService } from '../support/service.ts';

const word = fc.string({ unit: fc.constantFrom(...'abcXYZ09é ü"\\,'), maxLength: 12 });
const key = fc.string({ unit: fc.constantFrom(...'abcXYZ09-_/'), minLength: 1, maxLength: 8 });
const attributes = fc.record({
  name: word.map((text) => `n${text.trim()}`),
  description: word,
  engUnit: fc.constantFrom('', '°C', 'm³/h'),
  valueType: fc.constantFrom('numeric', 'enum'),
  sourceType: fc.constantFrom('measurement', 'prediction'),
  labels: fc.dictionary(
    key,
    fc.uniqueArray(
      word.map((text) => `l${text.trim()}`),
      { minLength: 1, maxLength: 2 },
    ),
    {
      maxKeys: 2,
      noNullPrototype: true,
    },
  ),
  annotations: fc.dictionary(key, word, { maxKeys: 2, noNullPrototype: true }),
});
const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 5e-324, -5e-324, 2 ** 53, -(2 ** 53), Number.MAX_VALUE, 0.1 + 0.2),
);
const timeUs = fc.oneof(
  fc.integer({ min: -instantUsMax, max: instantUsMax }),
  fc.constantFrom(instantUsMax, -instantUsMax, -1, 0, 1),
);
const signal = fc.record({
  attributes,
  /** Which of three items it feeds; 3: none. */
  item: fc.integer({ min: 0, max: 3 }),
  points: fc.uniqueArray(fc.tuple(timeUs, value), { selector: ([us]) => us, maxLength: 6 }),
});
/** An input key may have more characters than that of a label. */
const input = fc.string({ unit: fc.constantFrom(...'abcXYZ09-_:.#+/'), minLength: 1, maxLength: 8 });
const instance = fc.dictionary(input, signal, { minKeys: 1, maxKeys: 4, noNullPrototype: true });

type Instance = typeof instance extends fc.Arbitrary<infer T> ? T : never;

function clientOf({ url, authorization }: ServiceUnderTest): Client<'1.2'> {
  const [clientId, clientSecret] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
  const credentials = { type: 'basic-auth', clientId, clientSecret } as const;
  return new Client({ apiUrl: `${url}/v1/`, credentials });
}

/** Creates an instance: signals, the items that they feed, and their points. */
async function create(service: ServiceUnderTest, described: Instance): Promise<void> {
  const { integration, signals, ingest } = service;
  const inputs = Object.keys(described);
  const signalsByInput = Object.fromEntries(inputs.map((input) => [input, described[input].attributes]));
  const saved = await resultOf(service, 'integration.saveSignals', { integration, signalsByInput });
  const itemIds = new Map<number, string>();
  for (const input of inputs) {
    const { item, attributes } = described[input];
    const id: string = saved.signalsByInput[input].id;
    const known = itemIds.get(item);
    if (item === 3) continue;
    if (known !== undefined) {
      await resultOf(service, 'admin.connectSignals', {
        integration,
        query: { filter: { id } },
        item: known,
      });
      continue;
    }
    const itemsBySignal = { [id]: { ...attributes, visible: item !== 1, name: `item ${item}` } };
    const published = await resultOf(service, 'admin.publishSignals', { integration, itemsBySignal });
    itemIds.set(item, published.itemsBySignal[id].id);
  }
  assert.ok(signals !== undefined && ingest !== undefined);
  for (const input of inputs) {
    const [stored] = await service.meta.signals.byInput(integration, [input]);
    const points = described[input].points.toSorted(([a], [b]) => a - b);
    const batch = { timesUs: Float64Array.from(points, ([us]) => us), signals: [stored.number] };
    if (points.length > 0)
      await service.series.append({ ...batch, values: Float64Array.from(points, ([, one]) => one) });
  }
}

async function resultOf(service: ServiceUnderTest, method: string, params: object) {
  const { result, error } = await service.call(method, params, { version: '1.2' });
  assert.equal(error, undefined, JSON.stringify(error));
  return result;
}

/** Exports everything in small parts. */
async function exportAll(service: ServiceUnderTest, path: string): Promise<string> {
  const parameters = { signals: '*', format: 'jsonl', metadata: 'true' };
  const file = await ExportFile.open(path, parameters, { write: () => {} });
  while (!file.isComplete) {
    const after: Record<string, string> = file.next === null ? {} : { after: file.next };
    await file.writePart(
      await clientOf(service).openExport({ ...parameters, limit: '5', ...after }),
      () => {},
    );
  }
  await file.complete();
  return readFile(path, 'utf8');
}

/** What an export says, by input key, without what differs between instances: IDs, dates, and hashes of IDs. */
function contentOf(text: string) {
  const items: string[] = [];
  const described = new Map<
    string,
    { input: string; attributes: unknown; annotations: unknown; item: unknown; points: Map<string, string> }
  >();
  for (const line of text.trim().split('\n')) {
    const { id, attributes, meta, published, time, signal } = JSON.parse(line);
    if (time !== undefined) {
      described.get(signal)?.points.set(time, /"value":(.*)\}$/.exec(line)?.[1] ?? '');
      continue;
    }
    const { annotations } = meta;
    const item = published && { attributes: published.attributes, annotations: published.meta.annotations };
    if (published !== null && !items.includes(published.id)) items.push(published.id);
    const points = described.get(id)?.points ?? new Map();
    described.set(id, {
      input: attributes.input,
      attributes,
      annotations,
      item: item && { ...item, group: published.id },
      points,
    });
  }
  const signals = [...described.values()].sort((a, b) => (a.input < b.input ? -1 : 1));
  const groups = new Map<string, string[]>();
  for (const one of signals as { input: string; item: { group: string } | null }[])
    if (one.item !== null) groups.set(one.item.group, [...(groups.get(one.item.group) ?? []), one.input]);
  for (const one of signals as { item: { group: string } | null }[])
    if (one.item !== null) one.item.group = (groups.get(one.item.group) ?? []).join(' ');
  return signals;
}

/** Exports everything as Parquet. */
async function exportParquet(service: ServiceUnderTest, path: string): Promise<void> {
  const parameters = { signals: '*', format: 'parquet', metadata: 'true' };
  const file = await ExportFile.open(path, parameters, { write: () => {} });
  await file.writePart(await clientOf(service).openExport(parameters), () => {});
  await file.complete();
}

/** Imports a file into another service. */
async function importFile(service: ServiceUnderTest, path: string, isParquet: boolean) {
  const credentials = { integration: service.integration, apiUrl: `${service.url}/v1/` };
  await using rejects = new RejectsFile(`${path}.rejects.csv`, ['text']);
  const work = {
    path,
    target: new RemoteTarget({ client: clientOf(service), credentials }),
    timeForm: null,
    clock: { zone: 'UTC', instantsOf: instantsIn('UTC'), ambiguous: null },
    prefix: '',
    map: new Map(),
    from: null,
    rejects,
    progress: new Progress({ write: () => {} }),
  };
  return isParquet ? await importParquet({ ...work, time: null }) : await importJsonLines(work);
}

for (const isParquet of [false, true]) {
  const form = isParquet ? 'Parquet' : 'JSON lines';
  test(`X4a, X8, X9a an instance that is exported as ${form} and imported has the same points, metadata and items`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-transfer-'));
    let run = 0;
    const property = fc.asyncProperty(instance, async (described) => {
      const [first, second] = [await startService(), await startService()];
      try {
        await create(first, described);
        const path = join(directory, `${run++}`);
        const before = contentOf(await exportAll(first, path));
        if (isParquet) await exportParquet(first, path);
        const points = Object.values(described).reduce((sum, one) => sum + one.points.length, 0);
        const summary = await importFile(second, path, isParquet);
        assert.deepEqual([summary.points, summary.rejected], [points, 0]);
        assert.deepEqual(contentOf(await exportAll(second, `${path}.again`)), before);
        for (const one of before) {
          const written = described[one.input].points.map(([, number]) =>
            Object.is(number, -0) ? '-0' : String(number),
          );
          assert.deepEqual([...one.points.values()].sort(), written.sort());
        }
      } finally {
        await first.close();
        await second.close();
      }
    });
    await fc.assert(property, { numRuns: 25 }).finally(() => rm(directory, { recursive: true, force: true }));
  });
}

/** The IDs of calculated items: the first is used by the second, which has a greater version and a smaller ID. */
const [efficiency, doubled] = ['d6i2kg7a9722f7b606og', 'd6i2kg7a9722f7b606o0'];

/** Two items that signals feed, and two calculated ones. */
async function createCalculated(service: ServiceUnderTest): Promise<string[]> {
  const { integration } = service;
  const data = { times: ['2026-03-01T00:00:00Z'], series: { heat: [6], power: [2] } };
  const { signalsByInput } = await resultOf(service, 'integration.insert', { integration, data });
  const ids = ['heat', 'power'].map((input) => signalsByInput[input].id as string);
  const itemsBySignal = Object.fromEntries(ids.map((id) => [id, { name: id, visible: true }]));
  const published = await resultOf(service, 'admin.publishSignals', { integration, itemsBySignal });
  const [heat, power] = ids.map((id) => published.itemsBySignal[id].id as string);
  const saved = { interval: 'PT1M', actor: 'person:ada', savedAt: '2026-01-01T00:00:00Z' };
  const inputs = [
    { id: heat, alias: 'heat' },
    { id: power, alias: 'power', aggregation: 'max', lag: 1 },
  ];
  const item = {
    name: 'COP',
    engUnit: '1',
    visible: true,
    labels: { site: ['a'] },
    annotations: { note: 'x' },
  };
  const versions = [
    { ...saved, version: 1, formula: 'heat', inputs: inputs.slice(0, 1) },
    { ...saved, version: 2, formula: 'heat / coalesce(power, 2)', inputs, savedAt: '2026-01-02T00:00:00Z' },
  ];
  await resultOf(service, 'admin.importCalculation', { integration, id: efficiency, item, versions });
  // The first version is over an item that is no more.
  const gone = [{ id: 'd6i2kg7a9722f7b606kk', alias: 'e' }];
  const over = [{ id: efficiency, alias: 'e' }];
  await resultOf(service, 'admin.importCalculation', {
    ...{ integration, id: doubled, item: { name: 'Twice', visible: true } },
    versions: [
      { ...saved, version: 4, formula: 'e', inputs: gone },
      { ...saved, version: 5, formula: '2 * e', inputs: over },
    ],
  });
  return [heat, power];
}

/** The values of both calculated items, and their versions without the IDs of inputs. */
async function calculatedIn(service: ServiceUnderTest) {
  const { data } = await resultOf(service, 'service.dataFrame', {
    query: { filter: { id: { $in: [efficiency, doubled] } } },
    data: { filter: { times: { $gte: '2026-02-28T23:58:00Z', $lt: '2026-03-01T00:02:00Z' } } },
  });
  const versions = await Promise.all(
    [efficiency, doubled].map(async (id) =>
      (await service.meta.calculationVersions.ofItem(id)).map(({ calculation, actor, savedAtMs }) => {
        const inputs = calculation.inputs.map(({ item: _, ...input }) => input);
        return { ...calculation, inputs, actor: actor.replace(/ by .*/, ''), savedAtMs };
      }),
    ),
  );
  const items = await service.meta.items.byId([efficiency, doubled]);
  const shown = items.map(({ attributes, visible, annotations }) => {
    const own = [...annotations].filter(([key]) => key !== 'tidemark/calculated/inputs');
    return { attributes, visible, annotations: new Map(own) };
  });
  return { data, versions, shown };
}

for (const isParquet of [false, true]) {
  const form = isParquet ? 'Parquet' : 'JSON lines';
  test(`X4c, X8a calculated items are exported as ${form} and imported with their versions, over the new items`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-calculated-'));
    const [first, second] = [await startService(), await startService()];
    try {
      await createCalculated(first);
      const path = join(directory, 'all');
      const text = await exportAll(first, path);
      if (isParquet) await exportParquet(first, path);
      else assert.ok(text.indexOf(`{"id":"${efficiency}`) < text.indexOf(`{"id":"${doubled}`));
      const before = await calculatedIn(first);
      assert.deepEqual(before.data.series[doubled], [6]);
      const { rejected, notes } = await importFile(second, path, isParquet);
      assert.deepEqual([rejected, notes], [0, ['2 calculated items saved or there already']]);
      assert.deepEqual(await calculatedIn(second), before);
      const revision = await second.meta.items.byId([efficiency, doubled]);
      assert.equal((await importFile(second, path, isParquet)).rejected, 0);
      assert.deepEqual(await second.meta.items.byId([efficiency, doubled]), revision);
      await importConflicts(second, path, isParquet);
    } finally {
      await Promise.all([first.close(), second.close()]);
      await rm(directory, { recursive: true, force: true });
    }
  });
}

/** One item has gone on here, the other has another version of the same number: both stay, and are reported. */
async function importConflicts(service: ServiceUnderTest, path: string, isParquet: boolean): Promise<void> {
  const { integration } = service;
  const [item] = await service.meta.items.byId([doubled]);
  const [stored] = await service.meta.calculationVersions.ofItem(doubled);
  const [input] = stored.calculation.inputs;
  const past = { interval: 'PT1M', actor: 'person:ada', savedAt: '2026-01-01T00:00:00Z' };
  const inputs = [{ id: input.item, alias: 'e' }];
  await resultOf(service, 'admin.importCalculation', {
    ...{ integration, id: doubled, item: { name: item.attributes.name } },
    versions: [5, 6].map((version) => ({ ...past, version, formula: `${version - 3} * e`, inputs })),
  });
  const summary = await importFile(service, path, isParquet);
  assert.equal(summary.rejected, 1);
  const rejects = await readFile(summary.rejectsPath, 'utf8');
  assert.match(rejects, /is there in version 6, which is not in the history up to 5/);
  const [after] = await service.meta.items.byId([doubled]);
  assert.equal(after.calculation?.version, 6);
}
