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

/** Imports a file into another service; says how many points were stored. */
async function importFile(service: ServiceUnderTest, path: string, isParquet: boolean): Promise<number> {
  const credentials = { integration: service.integration, apiUrl: `${service.url}/v1/` };
  const work = {
    path,
    target: new RemoteTarget({ client: clientOf(service), credentials }),
    timeForm: null,
    clock: { zone: 'UTC', instantsOf: instantsIn('UTC'), ambiguous: null },
    prefix: '',
    map: new Map(),
    from: null,
    rejects: new RejectsFile(`${path}.rejects.csv`, ['text']),
    progress: new Progress({ write: () => {} }),
  };
  const summary = await (isParquet ? importParquet({ ...work, time: null }) : importJsonLines(work));
  assert.equal(summary.rejected, 0);
  return summary.points;
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
        assert.equal(await importFile(second, path, isParquet), points);
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
