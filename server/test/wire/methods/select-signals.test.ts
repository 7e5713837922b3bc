/** admin.selectSignals over the wire: flat in 1.1beta1, relational since (R5, R6, R12-R14). */
import { type Case, runCases } from './cases.ts';
import { type Call, type IdOf, logger, nobody, owner } from './plant.ts';

const method = 'admin.selectSignals';

const given: Call[] = [
  {
    method: 'integration.saveSignals',
    params: {
      integration: owner,
      inputs: {
        a: { name: 'Ann', labels: { site: ['x', 'y'] }, gapDetection: 'PT1H', annotations: { k: 'v' } },
        b: { name: 'Bob', type: 'enum', enumValues: { 0: 'off', 1: 'on' } },
        c: { name: 'Cid', labels: { site: ['z'] }, sampleInterval: 'PT30S' },
      },
    },
  },
  {
    method: 'admin.publishSignals',
    params: (id) => ({ integration: owner, itemsBySignal: { [id('a')]: { name: 'Item' } } }),
  },
  {
    method: 'integration.insert',
    as: logger,
    params: { integration: logger, data: { times: [0], series: { other: [1] } } },
  },
];

function select(query: object | undefined, version = '1.1', more: object = {}): Omit<Case, 'title'> {
  return { given, method, version, params: { integration: owner, query, ...more } };
}

/** Only the fields that distinguish the signals. */
const byFilter: [string, object][] = [
  ['name', { name: 'Bob' }],
  ['$ne of a name', { name: { $ne: 'Bob' } }],
  ['$regex', { name: { $regex: '^[AB]' } }],
  ['valueType by its other name', { type: 'enum' }],
  ['a label, any of its values', { 'labels.site': 'y' }],
  ['$ne of a label, when none is', { 'labels.site': { $ne: 'y' } }],
  ['a label that is absent', { 'labels.site': null }],
  ['$exists', { 'annotations.k': { $exists: true } }],
  ['a longer gap', { gapDetection: { $gt: 'PT59M' } }],
  ['an unset interval', { sampleInterval: null }],
  ['the input key', { input: { $in: ['a', 'c', 'other'] } }],
  ['no item', { item: null }],
  ['$or', { $or: [{ name: 'Ann' }, { name: 'Cid' }] }],
  ['an enum value', { 'enumValues.1': 'on' }],
  ['a date', { createdAt: { $gte: '2026-03-01T12:00:01Z', $lt: 1772366402 } }],
  ['nothing', { $or: [] }],
];

const zeroQuery = { filter: {}, sort: null, limit: 50, skip: 0, total: false };

runCases('select-signals', [
  { title: 'R5 R12 the defaults in 1.1', ...select(undefined) },
  { title: 'R12 1.1beta2 has its own meta', ...select({ limit: 1 }, '1.1beta2') },
  {
    title: 'R12 1.1beta2 groups what is included',
    ...select({}, '1.1beta2', { include: ['item'], groupIncludedByType: true }),
  },
  {
    title: 'W4 1.1beta2 ignores what it does not know',
    ...select({ limit: 0 }, '1.1beta2', { format: { dataAsArray: false } }),
  },
  {
    title: 'R12 1.2, as an object by ID',
    ...select({ limit: 2 }, '1.2', { format: { dataAsArray: false } }),
  },
  {
    title: 'W9 1.2 has a name of its own for it',
    ...select({ limit: 0 }, '1.2'),
    method: 'admin.signals.select',
  },
  {
    title: 'R12 the Go client: grouped, items included',
    ...select(zeroQuery, '1.1', {
      include: ['item'],
      format: { dataAsArray: true, groupIncludedByType: true },
    }),
  },
  {
    title: 'R12 the Go client without include sends null',
    ...select({ ...zeroQuery, limit: 0 }, '1.1', { include: null }),
  },
  {
    title: 'R12 the Python client: groupIncludedByType in 1.1',
    ...select({ limit: 1, sort: ['name'] }, '1.1', { include: ['item'], groupIncludedByType: true }),
  },
  { title: 'R12 an unknown relationship', ...select({}, '1.1', { include: ['item', 'owner'] }) },
  ...byFilter.map(
    ([what, filter]): Case => ({ title: `R14 by ${what}`, ...select({ filter, sort: ['input'] }, '1.1') }),
  ),
  { title: 'R13 sorted downwards', ...select({ sort: ['-name'] }) },
  { title: 'R13 a page', ...select({ sort: ['name'], skip: 1, limit: 1 }) },
  { title: 'R13 a page, counted', ...select({ sort: ['name'], skip: 1, limit: 1, total: true }) },
  { title: 'R13 only the total', ...select({ limit: 0, total: true }) },
  { title: 'R13 at the largest limit', ...select({ limit: 1000, filter: { name: 'none' } }) },
  { title: 'R13 one beyond it', ...select({ limit: 1001 }) },
  { title: 'R13 a negative limit is the largest', ...select({ limit: -1, filter: { name: 'none' } }) },
  {
    title: 'R14 every problem of a query by its path',
    ...select({ filter: { nam: 'x', name: { $is: 1 } }, sort: ['x'] }),
  },
  { title: 'E2 wrong types', ...select({ limit: '5', sort: 'name', filter: [] }) },
  { title: 'W4 an unknown parameter', ...select({}, '1.1', { skip: 1 }) },
  { title: 'W4 an unknown member of the query', ...select({ offset: 1 }) },
  {
    title: 'A3 another integration, with the grant',
    given,
    method,
    params: { integration: logger, query: { limit: 0, total: true } },
  },
  { title: 'A3 an integration that there is not', given, method, params: { integration: nobody } },
  { title: 'A5 without the grant', given, method, params: { integration: logger }, as: logger },
  { title: 'E2 the integration is required', method, params: {} },
  { title: 'W9 not in 1.0', method, version: '1.0', params: {} },
  {
    title: 'R6 flat: signals and items by ID in 1.1beta1',
    given,
    method,
    version: '1.1beta1',
    params: {
      integration: owner,
      signals: { include: true, filter: { name: 'Ann' } },
      items: { include: true },
    },
  },
  {
    title: 'R6 flat: nothing unless asked for',
    given,
    method,
    version: '1.1beta1',
    params: { integration: owner },
  },
  {
    title: 'R6 flat: as the Python client asked',
    given,
    method,
    version: '1.1beta1',
    params: (_id: IdOf) => ({
      integration: owner,
      signals: { include: true, filter: { input: 'b' }, skip: 0, limit: 50 },
      items: { include: false },
    }),
  },
  {
    title: 'R13 flat: one beyond the largest limit',
    given,
    method,
    version: '1.1beta1',
    params: { integration: owner, signals: { limit: 1001 } },
  },
]);
