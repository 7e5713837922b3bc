/** service.evaluate over the wire, in 1.1 and 1.2 (Q9-Q12, F1-F6, R12). */
import { type Case, runCases } from './cases.ts';
import { type IdOf, logger, nobody } from './plant.ts';
import { at, day, stored } from './stored.ts';

const method = 'service.evaluate';
const data = { filter: { times: { $gte: at('06:00:00'), $lt: at('10:00:00') } }, rollup: 'PT1H' };

/** Items by input key: alias → what is asked of it. */
function items(id: IdOf, wanted: Record<string, object>) {
  return Object.entries(wanted).map(([alias, more]) => ({ id: id(`item of ${alias[0]}`), alias, ...more }));
}

function evaluate(wanted: Record<string, object>, more: object = {}, version = '1.1'): Omit<Case, 'title'> {
  return { given: stored, method, version, params: (id) => ({ items: items(id, wanted), data, ...more }) };
}

const two = { a: { aggregation: 'sum' }, b: {} };
const total = [{ alias: 'total', formula: 'a + b' }];

function withData(more: object) {
  return { data: { ...data, ...more } };
}

const site = { filter: { 'labels.site': 'x' } };

runCases('evaluate', [
  { title: 'Q11 items and a calculation in 1.1', ...evaluate(two, { calculations: total }) },
  { title: 'Q11 the same in 1.2', ...evaluate(two, { calculations: total }, '1.2') },
  { title: 'W8 the other namespace', ...evaluate({ a: {} }), method: 'clarify.evaluate' },
  {
    title: 'Q11 only what is to be returned, all that is needed',
    ...evaluate(two, {
      calculations: total,
      ...withData({ filter: { times: data.filter.times, series: { $in: ['total'] } } }),
    }),
  },
  {
    title: 'Q11 an unknown alias is not returned',
    ...evaluate(two, withData({ filter: { series: { $in: ['c'] } } })),
  },
  {
    title: 'R12 items included and grouped',
    ...evaluate(
      { a: {}, a2: { aggregation: 'max' } },
      { include: ['item'], format: { groupIncludedByType: true } },
    ),
  },
  { title: 'R12 one frame for each series', ...evaluate(two, { format: { dataAsArray: true } }) },
  { title: 'Q4 the window as one row', ...evaluate(two, withData({ rollup: 'window' })) },
  {
    title: 'Q9 lag and lead',
    ...evaluate({
      a: { aggregation: 'last' },
      a_lag: { aggregation: 'last', lag: 1 },
      a_lead: { aggregation: 'last', lead: 1 },
    }),
  },
  { title: 'Q9 1000 buckets', ...evaluate({ a: { lag: 1000 } }) },
  {
    title: 'Q9 not 1001, nor by the difference',
    ...evaluate({ a: { lag: 1001 }, b: { lead: 1000, lag: -1 } }),
  },
  { title: 'Q9 no shift of the window', ...evaluate({ a: { lag: 1 } }, withData({ rollup: 'window' })) },
  {
    title: 'Q10 states: seconds, percent, rate',
    ...evaluate({
      s_on: { aggregation: 'state-seconds', state: 1 },
      s_off: { aggregation: 'state-percent', state: 0 },
      s_rate: { aggregation: 'state-histogram-rate', state: 0 },
    }),
  },
  {
    title: 'Q10 a state is required, and has a range',
    ...evaluate({ s: { aggregation: 'state-seconds' }, s2: { aggregation: 'state-rate', state: 10000 } }),
  },
  {
    title: 'Q6 every aggregation of 1.1',
    ...evaluate(
      Object.fromEntries(
        ['count', 'sum', 'min', 'max', 'avg', 'first', 'last'].map((name) => [
          `a_${name}`,
          { aggregation: name },
        ]),
      ),
    ),
  },
  {
    title: 'Q6 the extensions of 1.2',
    ...evaluate(
      Object.fromEntries(
        ['median', 'p05', 'p95', 'stddev'].map((name) => [`a_${name}`, { timeAggregation: name }]),
      ),
      {},
      '1.2',
    ),
  },
  { title: 'Q6 which 1.1 has not', ...evaluate({ a: { aggregation: 'median' } }) },
  {
    title: 'Q11 nulls as the Python client sends them',
    ...evaluate(
      { a: { aggregation: 'avg', state: null, lead: null, lag: null } },
      { calculations: [], include: [], ...withData({ timeZone: 'UTC', last: -1 }) },
    ),
  },
  {
    title: 'Q11 nulls as the Go client sends them',
    given: stored,
    method,
    version: '1.2',
    params: {
      items: null,
      groups: null,
      calculations: [{ alias: 'x', formula: '1' }],
      data,
      include: null,
      format: { dataAsArray: false, groupIncludedByType: true },
    },
  },
  {
    title: 'Q12 groups by filter and by query',
    ...evaluate(
      {},
      {
        groups: [
          { alias: 'mean', filter: site.filter, timeAggregation: 'sum' },
          {
            alias: 'many',
            query: { ...site, sort: null, limit: 50, skip: 0, total: false },
            timeAggregation: 'sum',
            groupAggregation: 'count',
          },
        ],
      },
      '1.2',
    ),
  },
  {
    title: 'Q12 groups in formulas',
    ...evaluate(
      { a: { aggregation: 'sum' } },
      {
        groups: [{ alias: 'g', filter: site.filter, timeAggregation: 'sum', groupAggregation: 'sum' }],
        calculations: [{ alias: 'share', formula: 'a / g' }],
      },
      '1.2',
    ),
  },
  { title: 'Q12 1.1 knows no groups', ...evaluate({}, { groups: [] }) },
  { title: 'Q12 a group that selects in no way', ...evaluate({}, { groups: [{ alias: 'g' }] }, '1.2') },
  {
    title: 'Q12 a group of signals',
    ...evaluate({}, { groups: [{ alias: 'g', filter: { input: 'a' } }] }, '1.2'),
  },
  {
    title: 'Q11 a repeated alias, and ones that are none',
    ...evaluate(
      { a: {} },
      {
        calculations: [
          { alias: 'a', formula: '1' },
          { alias: 'PI', formula: '1' },
          { alias: 'null', formula: '1' },
          { alias: '1st', formula: '1' },
          { alias: '', formula: '1' },
        ],
      },
    ),
  },
  {
    title: 'Q11 items that there are not',
    given: stored,
    method,
    params: {
      items: [
        { id: nobody, alias: 'x' },
        { id: 'y', alias: 'y' },
      ],
      data,
    },
  },
  {
    title: 'F6 a formula with an unknown name',
    ...evaluate(
      { a: {} },
      {
        calculations: [
          { alias: 'x', formula: 'a +' },
          { alias: 'y', formula: '1 + aa' },
        ],
      },
    ),
  },
  {
    title: 'F6 1000 characters',
    ...evaluate(
      { a: {} },
      { calculations: [{ alias: 'x', formula: `a+1${' '.repeat(997)}` }], ...withData({ rollup: 'window' }) },
    ),
  },
  {
    title: 'F6 not 1001',
    ...evaluate({ a: {} }, { calculations: [{ alias: 'x', formula: `a+1${' '.repeat(998)}` }] }),
  },
  {
    title: 'L1 100 calculations',
    ...evaluate(
      {},
      {
        calculations: Array.from({ length: 100 }, (_, i) => ({ alias: `c${i}`, formula: '1' })),
        ...withData({ rollup: 'window', filter: { times: data.filter.times, series: { $in: ['c99'] } } }),
      },
    ),
  },
  {
    title: 'L1 not 101',
    ...evaluate(
      {},
      { calculations: Array.from({ length: 101 }, (_, i) => ({ alias: `c${i}`, formula: '1' })) },
    ),
  },
  { title: 'E2 a rollup is required', ...evaluate({ a: {} }, { data: { filter: { times: day } } }) },
  {
    title: 'Q11 in 1.2 a missing rollup is window',
    ...evaluate({ a: {} }, { data: { filter: { times: day } } }, '1.2'),
  },
  {
    title: 'Q11 an empty rollup is a missing one',
    ...evaluate({ a: {} }, { data: { filter: { times: day }, rollup: '' } }, '1.2'),
  },
  {
    title: 'Q11 in 1.1 an empty rollup is a missing one too',
    ...evaluate({ a: {} }, { data: { filter: { times: day }, rollup: '' } }),
  },
  {
    title: 'Q5 Q11 no series are returned, and no rows',
    ...evaluate({ a: {} }, withData({ filter: { times: day, series: { $in: [] } } })),
  },
  {
    title: 'Q5 Q11 no series are returned, and the one row of window',
    ...evaluate({ a: {} }, withData({ rollup: 'window', filter: { times: day, series: { $in: [] } } })),
  },
  {
    title: 'Q1 a window without end',
    ...evaluate(
      { a: { aggregation: 'count' } },
      withData({
        rollup: 'window',
        filter: { times: { $gte: '2024-01-01T00:00:00Z', $lt: '9999-12-31T23:59:59Z' } },
      }),
    ),
  },
  { title: 'E2 so it is when there is no data query', ...evaluate({ a: {} }, { data: undefined }) },
  {
    title: 'E2 what an item, a group and a calculation need',
    ...evaluate({}, { items: [{}], groups: [{}], calculations: [{}] }, '1.2'),
  },
  { title: 'Q11 nothing is asked', ...evaluate({}) },
  { title: 'W4 an unknown member of an item', ...evaluate({ a: { agregation: 'sum' } }) },
  {
    title: 'L2 1900 days by the day',
    ...evaluate(
      { a: {} },
      {
        data: {
          rollup: 'PT24H',
          filter: { times: { $gte: '2020-01-01T00:00:00Z', $lt: '2025-03-15T00:00:00Z' } },
        },
      },
    ),
  },
  {
    title: 'L2 not a second more, nor by the month',
    ...evaluate(
      { a: {} },
      {
        data: {
          rollup: 'P1M',
          filter: { times: { $gte: '2020-01-01T00:00:00Z', $lt: '2025-03-15T00:00:01Z' } },
        },
      },
    ),
  },
  { title: 'W9 not in 1.1beta2', ...evaluate({ a: {} }, {}, '1.1beta2') },
  { title: 'A5 without the grant', method, params: {}, as: logger },
]);
