/** All faults of one request in one answer: of names, of types, and of values (E2, E2a). */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { serviceOfFile } from '../../support/service.ts';
import { problemsOf, publish, resultOf } from './plant.ts';

const service = await serviceOfFile();
const { integration } = service;
const nobody = '00000000000000000000';
const soon = { $gte: 'soon' };

let signal: string;
let item: string;
before(async () => {
  ({ signal, item } = await publish(service, 'faults', {}));
});

interface Case {
  method: string;
  version?: string;
  params: () => Record<string, unknown>;
  /** The paths that are named, sorted. */
  paths: (string | (() => string))[];
}

const query = { limit: 1001, skip: 'x', sort: ['x', 5], filter: { colour: 'red' } };
const queryPaths = ['query.filter.colour', 'query.limit', 'query.skip', 'query.sort.0', 'query.sort.1'];

const cases: Case[] = [
  {
    method: 'service.evaluate',
    version: '1.2',
    params: () => ({
      items: [
        { id: 5, alias: 'a', state: 1.5, aggregation: 'most' },
        { id: item, alias: '1a', lag: 5000, lead: 'x' },
      ],
      groups: [
        { query: 5, alias: 'g', groupAggregation: 'x' },
        { filter: { colour: 1 }, alias: 'h' },
      ],
      calculations: [{ formula: 'a +', alias: 'c' }],
      data: { timeZone: 'Nowhere', rollup: 5, filter: { times: soon }, origin: 'never', zone: 'UTC' },
      include: ['x'],
      what: 1,
    }),
    paths: [
      'calculations.0.formula',
      'data.filter.times.$gte',
      'data.origin',
      'data.rollup',
      'data.timeZone',
      'data.zone',
      'groups.0.groupAggregation',
      'groups.0.query',
      'groups.1.filter.colour',
      'include.0',
      'items.0.aggregation',
      'items.0.id',
      'items.0.state',
      'items.1.alias',
      'items.1.lag',
      'items.1.lead',
      'what',
    ],
  },
  {
    method: 'service.dataFrame',
    params: () => ({ query: { ...query, limit: 51 }, data: { rollup: 'PT0S', last: 'x', timeZone: 'x' } }),
    paths: [...queryPaths, 'data.last', 'data.rollup', 'data.timeZone'],
  },
  {
    method: 'service.selectItems',
    params: () => ({ items: { limit: 1001, skip: 'x' }, data: { include: 'yes', rollup: 'x' }, what: 1 }),
    paths: ['data.include', 'data.rollup', 'items.limit', 'items.skip', 'what'],
  },
  {
    method: 'service.selectItems',
    version: '1.2',
    params: () => ({ query, include: ['x', 5], format: 5 }),
    paths: [...queryPaths, 'format', 'include.0', 'include.1'],
  },
  {
    method: 'service.selectItems',
    version: '1.1beta1',
    params: () => ({ items: { limit: 1001 }, query: {} }),
    paths: ['items.limit', 'query'],
  },
  {
    method: 'admin.selectSignals',
    params: () => ({ integration: nobody, query, what: 1 }),
    paths: ['integration', ...queryPaths, 'what'],
  },
  {
    method: 'admin.selectSignals',
    version: '1.1beta1',
    params: () => ({ integration: nobody, signals: { limit: 1001, skip: 'x' } }),
    paths: ['integration', 'signals.limit', 'signals.skip'],
  },
  {
    method: 'admin.connectSignals',
    version: '1.2',
    params: () => ({ integration: nobody, query, dryRun: 'no' }),
    paths: ['dryRun', 'integration', 'item', ...queryPaths],
  },
  {
    method: 'admin.disconnectSignals',
    version: '1.2',
    params: () => ({ integration: 5, query, what: 1 }),
    paths: ['integration', ...queryPaths, 'what'],
  },
  {
    method: 'admin.annotateSignals',
    version: '1.2',
    params: () => ({ integration: nobody, data: [{ id: signal, annotations: { a: 5 } }], include: ['x'] }),
    paths: ['data.0.annotations.a', 'include.0', 'integration'],
  },
  {
    method: 'admin.deleteData',
    version: '1.2',
    params: () => ({ integration: nobody, query, data: { filter: { times: { $gte: 1.5, $lt: 'x' } } } }),
    paths: ['data.filter.times.$gte', 'data.filter.times.$lt', 'integration', ...queryPaths],
  },
  {
    method: 'admin.publishSignals',
    params: () => ({
      integration: nobody,
      itemsBySignal: { [signal]: { name: 5, engUnit: 'x'.repeat(256), gapDetection: 'soon', type: 'text' } },
      createOnly: 'no',
    }),
    paths: [
      'createOnly',
      'integration',
      ...['engUnit', 'gapDetection', 'name', 'type'].map((name) => () => `itemsBySignal.${signal}.${name}`),
    ],
  },
  {
    method: 'admin.publishSignals',
    version: '1.1beta1',
    params: () => ({ integration, itemsBySignal: { [signal]: { valueType: 5, visible: 'yes' } } }),
    paths: ['name', 'sourceType', 'valueType', 'visible'].map(
      (name) => () => `itemsBySignal.${signal}.${name}`,
    ),
  },
  {
    method: 'integration.saveSignals',
    params: () => ({
      integration,
      inputs: { good: {}, s: { type: 5, name: 'x'.repeat(129), colour: 'red', labels: { a: [5] } } },
      what: 1,
    }),
    paths: ['inputs.s.colour', 'inputs.s.labels.a.0', 'inputs.s.name', 'inputs.s.type', 'what'],
  },
  {
    method: 'integration.insert',
    params: () => ({ integration: 5, data: { times: [0, 'x'], series: { good: [1, true], s: [1] } } }),
    paths: ['data.series.s', 'data.times.1', 'integration'],
  },
  {
    method: 'integration.insert',
    params: () => ({ data: { series: 5 }, what: 1 }),
    paths: ['data.series', 'data.times', 'integration', 'what'],
  },
];

for (const { method, version = '1.1', params, paths } of cases) {
  const named = Object.keys(params()).join(', ');
  test(`E2 E2a ${method} (${version}; ${named}) names faults of names, types and values together`, async () => {
    const problems = await problemsOf(service, method, params(), { version });
    const expected = paths.map((path) => (typeof path === 'string' ? path : path()));
    assert.deepEqual(Object.keys(problems).sort(), expected.sort());
  });
}

test('E2a what follows only from a part that is wrong is not named', async () => {
  const evaluate = (params: object) => problemsOf(service, 'service.evaluate', params, { version: '1.2' });
  const times = { $gte: 0, $lt: 86_400 * 365 };
  assert.deepEqual(
    await evaluate({ items: [{ id: item, alias: 'a' }], data: { rollup: 5, filter: { times } } }),
    {
      'data.rollup': 'must be a string, got 5',
    },
  );
  const calculations = [{ formula: 'a + b', alias: 'c' }];
  const series = { $in: ['a', 'c'] };
  assert.deepEqual(await evaluate({ items: 5, calculations, data: { filter: { series } } }), {
    items: 'must be an array, got 5',
  });
  assert.deepEqual(
    await evaluate({ items: [{ id: item, alias: 5 }], calculations, data: { filter: { series } } }),
    {
      'items.0.alias': 'must be a string, got 5',
    },
  );
  assert.deepEqual(Object.keys(await evaluate({ items: [{ id: 5, alias: 'a' }], calculations })), [
    'items.0.id',
    'calculations.0.formula',
  ]);
});

test('E2 nothing is stored by a call of which a part is wrong', async () => {
  const signalsByInput = { stored: {} };
  await problemsOf(service, 'integration.saveSignals', { integration, signalsByInput, what: 1 });
  await problemsOf(service, 'integration.insert', {
    integration,
    data: { times: [0], series: { stored: [1] } },
    what: 1,
  });
  await problemsOf(service, 'admin.disconnectSignals', { integration, what: 1 }, { version: '1.2' });
  const { data } = await resultOf(service, 'admin.selectSignals', { integration, query: { limit: 1000 } });
  const inputs = data.map(({ attributes }: { attributes: { input: string } }) => attributes.input);
  assert.deepEqual(inputs, ['faults']);
  assert.equal(data[0].relationships.item.data?.id, item);
});

test('E2 no call with a part of another type is an internal error', async () => {
  const wrong = fc.constantFrom<unknown>(5, 1.5, 'x', true, [], [5], {}, { x: 5 }, [[]]);
  const versions = fc.constantFrom('1.1beta1', '1.1beta2', '1.1', '1.2');
  const call = fc.record({ index: fc.nat(cases.length - 1), version: versions, at: fc.nat(), wrong });
  await fc.assert(
    fc.asyncProperty(call, async ({ index, version, at, wrong }) => {
      const { method, params } = cases[index];
      const changed = params();
      replace(changed, at, structuredClone(wrong));
      const { error } = await service.call(method, changed, { version });
      assert.notEqual(error?.code, -32603, JSON.stringify([method, version, changed]));
    }),
    { numRuns: 300 },
  );
});

/** Replaces one of the values that are in a value, at any level. */
function replace(value: object, at: number, by: unknown): void {
  const places: [Record<string, unknown>, string][] = [];
  const visit = (each: unknown) => {
    if (typeof each !== 'object' || each === null) return;
    for (const name of Object.keys(each)) {
      places.push([each as Record<string, unknown>, name]);
      visit((each as Record<string, unknown>)[name]);
    }
  };
  visit(value);
  const [holder, name] = places[at % places.length];
  holder[name] = by;
}
