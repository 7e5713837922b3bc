/** admin.publishSignals over the wire, in every version (R10). */
import { type Case, runCases } from './cases.ts';
import { type Call, type IdOf, logger, nobody, owner } from './plant.ts';

const method = 'admin.publishSignals';

const save: Call = {
  method: 'integration.saveSignals',
  params: { integration: owner, inputs: { a: { name: 'Signal A', labels: { x: ['y'] } }, b: {} } },
};

function publish(views: Record<string, object>, version = '1.1', more: object = {}) {
  const params = (id: IdOf) => ({
    integration: owner,
    itemsBySignal: Object.fromEntries(Object.entries(views).map(([input, view]) => [id(input), view])),
    ...more,
  });
  return { method, version, params };
}

const required = { name: 'A', type: 'numeric', sourceType: 'measurement' };

const versions: Case[] = ['1.1beta1', '1.1beta2', '1.1', '1.2'].map((version) => ({
  title: `R10 two signals become items in ${version}`,
  given: [save],
  ...publish({ b: required, a: { ...required, visible: true } }, version),
}));

const items: Call = { method: 'service.selectItems', params: { query: { sort: ['name'] } } };

runCases('publish-signals', [
  ...versions,
  { title: 'W9 not in 1.0', given: [save], ...publish({ a: {} }, '1.0') },
  {
    title: 'W9 1.2 has a name of its own for it',
    given: [save],
    ...publish({ a: {} }, '1.2'),
    method: 'admin.signals.publish',
  },
  {
    title: 'R10 the name defaults to the signal, and nothing else does',
    given: [save, publish({ a: {} })],
    ...items,
  },
  {
    title: 'R10 an item as the Go client publishes it, read back',
    given: [
      save,
      publish({
        a: {
          annotations: { 'example/source': 'x' },
          name: 'Item',
          description: '',
          valueType: 'numeric',
          sourceType: '',
          engUnit: '°C',
          sampleInterval: 'PT15M',
          gapDetection: null,
          labels: { x: ['2', '1'] },
          enumValues: {},
          visible: true,
        },
      }),
    ],
    ...items,
  },
  {
    title: 'R10 again is an update of the same item',
    given: [save, publish({ a: {} })],
    ...publish({ a: { name: 'B' } }),
  },
  { title: 'R10 the same again changes nothing', given: [save, publish({ a: {} })], ...publish({ a: {} }) },
  {
    title: 'R10 createOnly leaves an item as it is',
    given: [save, publish({ a: {} })],
    ...publish({ a: { name: 'B' }, b: {} }, '1.1', { createOnly: true }),
  },
  { title: 'R10 1.1beta1 requires three members', given: [save], ...publish({ a: {} }, '1.1beta1') },
  {
    title: 'R10 a signal that there is not, and one of another integration',
    given: [
      save,
      {
        method: 'integration.insert',
        params: { integration: logger, data: { times: [0], series: { c: [1] } } },
        as: logger,
      },
    ],
    method,
    params: (id) => ({ integration: owner, itemsBySignal: { [nobody]: {}, nonsense: {}, [id('c')]: {} } }),
  },
  {
    title: 'A3 the signals of any integration, with the grant',
    given: [
      {
        method: 'integration.insert',
        params: { integration: logger, data: { times: [0], series: { c: [1] } } },
        as: logger,
      },
    ],
    method,
    params: (id) => ({ integration: logger, itemsBySignal: { [id('c')]: {} } }),
  },
  {
    title: 'A3 an integration that there is not',
    method,
    params: { integration: nobody, itemsBySignal: {} },
  },
  { title: 'A5 without the grant', method, params: { integration: logger, itemsBySignal: {} }, as: logger },
  {
    title: 'R2 wrong values, by path',
    given: [save],
    ...publish({ a: { name: '', visible: 'yes' }, b: { name: '' } }),
  },
  { title: 'E2 what is required and missing', method, params: {} },
]);
