/** An example of each method in each version, for the manual: called in turn on a service of its own, and kept in spec/rpc/examples.json. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { withoutIds } from '../../support/node-stores.ts';
import { answerOf } from './cases.ts';
import { type IdOf, owner, type Plant, startPlant } from './plant.ts';

const versions = ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2'] as const;
type Version = (typeof versions)[number];

const kept = new URL('../../../../spec/rpc/examples.json', import.meta.url);

const day = { times: { $gte: '2026-02-28T00:00:00Z', $lt: '2026-03-01T00:00:00Z' } };
const hourly = { filter: day, rollup: 'PT1H' };
const cold = { filter: { 'labels.store': 'cold' } };

/** The parameters of each method, in the order of the calls: later ones name what earlier ones have made. */
const examples: Readonly<Record<string, (id: IdOf, version: Version) => object>> = {
  'integration.saveSignals': () => ({
    integration: owner,
    signalsByInput: {
      temperature: { name: 'Cold store temperature', engUnit: '°C', labels: { store: ['cold'] } },
      door: { name: 'Door', valueType: 'enum', enumValues: { '0': 'closed', '1': 'open' } },
    },
  }),
  'integration.insert': () => ({
    integration: owner,
    data: {
      times: ['2026-02-28T06:00:00Z', '2026-02-28T06:10:00Z', '2026-02-28T07:00:00Z'],
      series: { temperature: [-18.5, -18.25, -17.5], door: [0, 1, null] },
    },
  }),
  'admin.selectSignals': (_, version) =>
    version === '1.1beta1'
      ? { integration: owner, signals: { include: true, filter: cold.filter, limit: 10 } }
      : { integration: owner, query: { ...cold, limit: 10 } },
  'admin.publishSignals': (id, version) => {
    const typed = (type: string) =>
      version === '1.1beta1' ? { type, sourceType: 'measurement' } : { valueType: type };
    const states = { '0': 'closed', '1': 'open' };
    return {
      integration: owner,
      itemsBySignal: {
        [id('temperature')]: {
          name: 'Cold store temperature',
          engUnit: '°C',
          visible: true,
          ...typed('numeric'),
        },
        [id('door')]: { name: 'Door', enumValues: states, visible: true, ...typed('enum') },
      },
    };
  },
  'service.selectItems': (_, version) =>
    version === '1.1beta1'
      ? {
          items: { include: true, filter: {}, limit: 10 },
          data: { include: true, notBefore: day.times.$gte, rollup: 'PT1H' },
        }
      : { query: { filter: { name: { $regex: 'Cold' } }, limit: 10 } },
  'service.dataFrame': (id, version) => ({
    query: { filter: { id: { $in: [id('item of temperature')] } }, limit: 10 },
    data: { ...hourly, ...(version === '1.1beta2' ? {} : { timeZone: 'Europe/Berlin' }) },
  }),
  'service.evaluate': (id) => ({
    items: [
      { id: id('item of temperature'), aggregation: 'avg', alias: 'cold' },
      { id: id('item of door'), aggregation: 'state-seconds', state: 1, alias: 'open' },
    ],
    calculations: [{ formula: 'cold * 1.8 + 32', alias: 'fahrenheit' }],
    data: hourly,
  }),
  'admin.connectSignals': (id) => ({
    integration: owner,
    query: { filter: { id: id('temperature') } },
    item: id('item of temperature'),
  }),
  'admin.disconnectSignals': (id) => ({
    integration: owner,
    query: { filter: { id: id('door') } },
    dryRun: true,
  }),
  'admin.annotateSignals': (id) => ({
    integration: owner,
    data: [{ id: id('temperature'), annotations: { checked: '2026-02' } }],
  }),
  'admin.importCalculation': (id) => ({
    integration: owner,
    id: 'd6i2kg7a9722f7b606og',
    item: { name: 'Degrees above -20', engUnit: '°C', visible: true },
    versions: [
      {
        formula: 'cold + 20',
        inputs: [{ id: id('item of temperature'), alias: 'cold' }],
        interval: 'PT10M',
        version: 1,
        actor: 'person:d6i2kg7a9722f7b606p0',
        savedAt: '2026-02-01T12:00:00Z',
      },
    ],
  }),
  'admin.deleteData': () => ({ integration: owner, query: cold, data: { filter: day }, dryRun: true }),
};

const isUpdate = process.env.UPDATE === '1';
const expected = isUpdate ? {} : JSON.parse(readFileSync(kept, 'utf8'));
const actual: Record<string, object> = {};
const plants: Plant[] = [];
after(() => Promise.all(plants.map((plant) => plant.close())));

for (const version of versions) {
  test(`W9 each method of ${version} has an example, and answers it as the manual shows`, async () => {
    const plant = await startPlant();
    plants.push(plant);
    const inDocument = methodsOf(version);
    for (const [method, paramsOf] of Object.entries(examples)) {
      if (!inDocument.delete(method)) continue;
      let params: object = {};
      const answer = await answerOf(plant, {
        version,
        method,
        params: (id) => {
          params = paramsOf(id, version);
          return params;
        },
      });
      const example = {
        request: { jsonrpc: '2.0', id: 1, method, params },
        answer: { jsonrpc: '2.0', id: 1, ...answer },
      };
      assert.ok('result' in answer, `${method}: ${JSON.stringify(answer)}`);
      actual[`${version} ${method}`] = example;
      if (!isUpdate)
        assert.deepEqual(
          withoutIds(JSON.parse(JSON.stringify(example))),
          withoutIds(expected[`${version} ${method}`]),
        );
    }
    assert.deepEqual([...inDocument], [], 'methods without an example');
  });
}

test('W9 every kept example is of a method that there is', () => {
  if (isUpdate) writeFileSync(kept, `${JSON.stringify(actual, null, 2)}\n`);
  else assert.deepEqual(Object.keys(expected), Object.keys(actual));
});

/** The methods of a version that programs call; the console has a document of its own. */
function methodsOf(version: Version): Set<string> {
  const url = new URL(`../../../../spec/rpc/openrpc-${version}.json`, import.meta.url);
  const { methods } = JSON.parse(readFileSync(url, 'utf8')) as { methods: { name: string }[] };
  return new Set(methods.map(({ name }) => name).filter((name) => !/^(console|rpc)\./.test(name)));
}
