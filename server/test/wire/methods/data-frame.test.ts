/** service.dataFrame over the wire, from 1.1beta2 on (Q1-Q8, Q13, R12, R13). */
import { type Case, runCases } from './cases.ts';
import { logger } from './plant.ts';
import { at, day, stored } from './stored.ts';

const method = 'service.dataFrame';
const ann = { filter: { name: 'Ann' } };
const hour = { filter: { times: day }, rollup: 'PT1H' };

function read(params: object, version = '1.1'): Omit<Case, 'title'> {
  return { given: stored, method, version, params };
}

function window(from: string, before: string, rollup?: string, version = '1.1') {
  return read(
    { query: { limit: 1 }, data: { filter: { times: { $gte: from, $lt: before } }, rollup } },
    version,
  );
}

const versions: Case[] = ['1.1beta2', '1.1', '1.2'].flatMap((version) => [
  { title: `Q1 raw points of all items in ${version}`, ...read({}, version) },
  { title: `Q7 by the hour in ${version}, states in seconds`, ...read({ data: hour }, version) },
  {
    title: `R12 items included and grouped in ${version}`,
    ...read({ query: ann, data: hour, include: ['item'], groupIncludedByType: true }, version),
  },
]);

const asArray = { dataAsArray: true, groupIncludedByType: false };

runCases('data-frame', [
  ...versions,
  {
    title: 'R12 one frame for each series',
    ...read({ data: { filter: { times: day } }, format: asArray, include: ['items'] }),
  },
  { title: 'R12 1.1beta2 has no array of frames', ...read({ query: ann, format: asArray }, '1.1beta2') },
  {
    title: 'R13 a page of items, counted',
    ...read({ query: { sort: ['-name'], skip: 1, limit: 1, total: true }, data: hour }),
  },
  { title: 'R13 a limit of 0 is the default', ...read({ query: { limit: 0, total: true } }) },
  { title: 'R13 50 items', ...read({ query: { ...ann, limit: 50 } }) },
  { title: 'R13 not 51', ...read({ query: { limit: 51 } }) },
  { title: 'R13 a negative limit is 50', ...read({ query: { ...ann, limit: -1 } }) },
  {
    title: 'Q4 the window as one row',
    ...read({
      query: ann,
      data: { filter: { times: { $gte: at('06:05:00'), $lt: at('08:00:00') } }, rollup: 'window' },
    }),
  },
  { title: 'Q1 an empty window', ...window(at('07:00:00'), at('07:00:00')) },
  {
    title: 'Q1 zero values of the Go client',
    ...read({
      query: ann,
      data: { filter: { times: { $gte: '0001-01-01T00:00:00Z', $lt: '0001-01-01T00:00:00Z' }, series: {} } },
      include: null,
      format: asArray,
    }),
  },
  {
    title: 'Q3 days in a time zone, from its midnight',
    ...read({ query: ann, data: { filter: { times: day }, rollup: 'P1D', timeZone: 'America/New_York' } }),
  },
  {
    title: 'Q2 an origin',
    ...read({ query: ann, data: { filter: { times: day }, rollup: 'PT1H', origin: at('00:30:00') } }),
  },
  { title: 'Q2 months', ...read({ query: ann, data: { filter: { times: day }, rollup: 'P1M' } }) },
  { title: 'Q8 the newest value of each series', ...read({ data: { filter: { times: day }, last: 1 } }) },
  {
    title: 'Q13 the nearest points outside',
    ...read({
      query: ann,
      data: { filter: { times: { $gte: at('06:30:00'), $lt: at('08:00:00') } }, outsidePoints: true },
    }),
  },
  {
    title: 'Q11 one series is chosen by its key',
    given: stored,
    method,
    params: (id) => ({
      data: { ...hour, filter: { times: day, series: { $in: [`${id('item of s')}_state_1`] } } },
    }),
  },
  {
    title: 'Q11 a series that there is not',
    ...read({ data: { ...hour, filter: { times: day, series: { $in: ['x'] } } } }),
  },
  { title: 'L2 40 days raw', ...window('2026-01-01T00:00:00Z', '2026-02-10T00:00:00Z') },
  { title: 'L2 not a second more', ...window('2026-01-01T00:00:00Z', '2026-02-10T00:00:01Z') },
  { title: 'L2 400 days by the minute', ...window('2025-01-01T00:00:00Z', '2026-02-05T00:00:00Z', 'PT1M') },
  {
    title: 'L2 not a second more by the minute',
    ...window('2025-01-01T00:00:00Z', '2026-02-05T00:00:01Z', 'PT1M'),
  },
  { title: 'L2 1900 days by the day', ...window('2020-01-01T00:00:00Z', '2025-03-15T00:00:00Z', 'P1D') },
  {
    title: 'L2 not a second more by the day',
    ...window('2020-01-01T00:00:00Z', '2025-03-15T00:00:01Z', 'P1D'),
  },
  { title: 'L2 3660 days by the month', ...window('2015-01-01T00:00:00Z', '2025-01-08T00:00:00Z', 'P1M') },
  {
    title: 'L2 not a second more by the month',
    ...window('2015-01-01T00:00:00Z', '2025-01-08T00:00:01Z', 'P1M'),
  },
  {
    title: 'Q1 Q2 Q3 what is wrong, by path',
    ...read({ data: { filter: { times: { $gte: 'x', $lt: 1e12 } }, rollup: 'P1MT1H', origin: 'y' } }),
  },
  {
    title: 'Q2 Q3 what cannot be, by path',
    ...read({ data: { rollup: 'PT0S', timeZone: 'Mars/Olympus', firstDayOfWeek: 8 } }),
  },
  { title: 'W4 an unknown member of the data query', ...read({ data: { times: {} } }) },
  { title: 'W4 an unknown operator of the times', ...read({ data: { filter: { times: { $gt: 0 } } } }) },
  { title: 'R12 an unknown relationship', ...read({ include: ['signal'] }) },
  { title: 'W8 the other namespace', ...read({ query: { limit: 0 } }), method: 'clarify.dataFrame' },
  { title: 'W9 not in 1.1beta1', ...read({}, '1.1beta1') },
  { title: 'A5 without the grant', method, params: {}, as: logger },
]);
