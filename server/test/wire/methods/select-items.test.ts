/** service.selectItems over the wire: flat, relational, and both in 1.1 (R5, R6, R12-R14, W8-W10). */
import { type Case, runCases } from './cases.ts';
import { type Call, logger, owner } from './plant.ts';

const method = 'service.selectItems';

const given: Call[] = [
  {
    method: 'integration.insert',
    params: {
      integration: owner,
      data: {
        times: ['2026-02-28T12:00:00Z', '2026-02-28T12:00:30Z', '2026-02-28T12:02:00Z'],
        series: { a: [1, 2, 6], b: [null, 5, null] },
      },
    },
  },
  {
    method: 'admin.publishSignals',
    params: (id) => ({
      integration: owner,
      itemsBySignal: {
        [id('a')]: { name: 'Ann', visible: true, labels: { site: ['x'] } },
        [id('b')]: { name: 'Bob' },
      },
    }),
  },
];

function select(params: object, version = '1.1'): Omit<Case, 'title'> {
  return { given, method, version, params };
}

const withData = { items: { include: true, limit: 1, filter: { name: 'Ann' } }, data: { include: true } };

const flat: Case[] = ['1.1beta1', '1.1'].flatMap((version) => [
  { title: `R6 flat in ${version}: items and raw data`, ...select(withData, version) },
  {
    title: `Q7 flat in ${version}: data by the minute`,
    ...select({ items: {}, data: { include: true, rollup: 'PT1M' } }, version),
  },
  {
    title: `Q4 flat in ${version}: the window as one row`,
    ...select(
      {
        data: {
          include: true,
          rollup: 'window',
          notBefore: '2026-02-28T12:00:00Z',
          before: '2026-02-28T12:01:00Z',
        },
      },
      version,
    ),
  },
  {
    title: `W10 flat in ${version}: the signals of the items`,
    ...select({ items: {}, signals: { include: true, filter: { input: 'b' } } }, version),
  },
  { title: `R6 flat in ${version}: nothing unless asked for`, ...select({ items: {} }, version) },
  {
    title: `R13 flat in ${version}: 50 items with data`,
    ...select({ items: { limit: 50 }, data: { include: true, before: 0 } }, version),
  },
  {
    title: `R13 flat in ${version}: not 51`,
    ...select({ items: { limit: 51 }, data: { include: true } }, version),
  },
  {
    title: `R13 flat in ${version}: 1000 without data`,
    ...select({ items: { limit: 1000 }, data: { include: false } }, version),
  },
  { title: `R13 flat in ${version}: not 1001`, ...select({ items: { limit: 1001 } }, version) },
  {
    title: `L2 flat in ${version}: 40 days raw`,
    ...select(
      { data: { include: true, notBefore: '2026-01-01T00:00:00Z', before: '2026-02-10T00:00:00Z' } },
      version,
    ),
  },
  {
    title: `L2 flat in ${version}: not a second more`,
    ...select(
      { data: { include: true, notBefore: '2026-01-01T00:00:00Z', before: '2026-02-10T00:00:01Z' } },
      version,
    ),
  },
  {
    title: `Q1 flat in ${version}: wrong times and rollup`,
    ...select({ data: { include: true, notBefore: 'x', before: 1.5, rollup: 'y' } }, version),
  },
]);

runCases('select-items', [
  { title: 'R5 R12 relational, the defaults in 1.1', ...select({ query: {} }) },
  { title: 'W10 without any member flat in 1.1', ...select({}) },
  { title: 'R12 relational in 1.1beta2', ...select({ query: { limit: 1, sort: ['-name'] } }, '1.1beta2') },
  { title: 'R12 relational in 1.2, as an object', ...select({ format: { dataAsArray: false } }, '1.2') },
  {
    title: 'W9 1.2 has a name of its own for it',
    ...select({ query: { limit: 0 } }, '1.2'),
    method: 'service.items.select',
  },
  { title: 'W8 the other namespace', ...select({ query: { limit: 0 } }), method: 'clarify.SelectItems' },
  {
    title: 'W8 the other namespace with the name of 1.2',
    ...select({ query: { limit: 0 } }, '1.2'),
    method: 'clarify.items.select',
  },
  { title: 'R14 by what only items have', ...select({ query: { filter: { visible: true } } }) },
  { title: 'R14 not by what only signals have', ...select({ query: { filter: { input: 'a' } } }) },
  { title: 'R13 one beyond the largest limit', ...select({ query: { limit: 1001 } }) },
  { title: 'R12 items have no relationship to include: it adds nothing', ...select({ include: ['item'] }) },
  { title: 'W10 both forms at once', ...select({ query: {}, include: ['item'], items: {} }) },
  {
    title: 'W10 null is absent: relational',
    ...select({ query: { limit: 0, total: true }, items: null, data: null, signals: null }),
  },
  { title: 'W10 1.2 has no flat form', ...select(withData, '1.2') },
  {
    title: 'W10 1.1beta2 refuses the flat parameters',
    ...select({ ...withData, query: { limit: 0 } }, '1.1beta2'),
  },
  { title: 'A5 without the grant', method, params: {}, as: logger },
  { title: 'W9 not in 1.0', method, version: '1.0', params: {} },
  ...flat,
]);
