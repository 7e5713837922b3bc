/** Reading over HTTP, parsed by the client: medians of each kind of question, and every answer checked once. */
import { Client, postBytes } from './client.ts';
import { cycle, states, steps, walk } from './data.ts';
import type { Target } from './ingest.ts';
import { median } from './report.ts';

/** The stored data that is asked for: a minute signal set and a second signal set. */
export interface Stored {
  /** Item IDs of 50 signals with 10,080 points a minute apart (a week). */
  minutes: string[];
  /** Item IDs of 10 signals with 21,600 points a second apart (six hours). */
  seconds: string[];
}

/** 2024-03-25T00:00:00Z: a week that holds the spring change of Europe/Berlin. */
export const weekStartUs = Date.UTC(2024, 2, 25) * 1000;
const minuteUs = 60e6;
const secondUs = 1e6;

/** The sets of generated series: key → times and values. */
export const sets = {
  minutes: { count: 50, points: 10_080, stepUs: minuteUs, values: (k: number) => cycle(10_080, 1000 + k) },
  seconds: { count: 10, points: 21_600, stepUs: secondUs, values: (k: number) => walk(21_600, 2000 + k) },
  states: { count: 2, points: 10_080, stepUs: minuteUs, values: (k: number) => states(10_080, 3000 + k) },
} as const;

/** The params of an insert that holds rows `from`..`to` of a set. */
export function insertParams(integration: string, name: keyof typeof sets, from: number, to: number): object {
  const { count, stepUs, values } = sets[name];
  const timesUs = steps(to - from, weekStartUs + from * stepUs, stepUs);
  const times = Array.from(timesUs, (us) => new Date(us / 1000).toISOString());
  const series = Object.fromEntries(
    Array.from({ length: count }, (_, k) => [`query/${name}/${k}`, [...values(k).subarray(from, to)]]),
  );
  return { integration, data: { times, series } };
}

/** One kind of question. */
export interface Question {
  name: string;
  mostMs: number;
  method: string;
  params: object;
  /** Throws when the answer is not what the generator says. */
  check(result: AnswerResult): void;
}

/** What the questions look at in an answer. */
export interface AnswerResult {
  data: { times: string[]; series: Record<string, (number | null)[]> };
}

/** The questions of the reading side. */
export function questions(stored: Stored): Question[] {
  const at = (us: number) => new Date(us / 1000).toISOString();
  const week = { times: { $gte: at(weekStartUs), $lt: at(weekStartUs + 10_080 * minuteUs) } };
  const sixHours = { times: { $gte: at(weekStartUs), $lt: at(weekStartUs + 21_600 * secondUs) } };
  const idIn = (ids: string[]) => ({ filter: { id: { $in: ids } }, limit: 50 });
  const evaluate = (ids: string[], aggregation: string, data: object, calculations: object[] = []) => ({
    items: ids.map((id, k) => ({ id, alias: `s${k + 1}`, aggregation })),
    calculations,
    data,
  });
  return [
    {
      name: 'raw 21,600 points of one signal',
      mostMs: 10,
      method: 'service.dataFrame',
      params: { query: idIn(stored.seconds.slice(0, 1)), data: { filter: sixHours } },
      check: ({ data }) => expectSeries(data.series[stored.seconds[0]], sets.seconds.values(0), (v) => v),
    },
    {
      name: 'hourly rollup, 50 signals × 10,080 points',
      mostMs: 60,
      method: 'service.dataFrame',
      params: { query: idIn(stored.minutes), data: { filter: week, rollup: 'PT1H' } },
      check: ({ data }) =>
        expectSeries(data.series[`${stored.minutes[7]}_sum`], chunks(sets.minutes.values(7), 60), sum),
    },
    {
      name: 'one window, 50 signals × 10,080 points',
      mostMs: 30,
      method: 'service.evaluate',
      params: evaluate(stored.minutes, 'avg', { filter: week, rollup: 'window' }),
      check: ({ data }) => expectSeries(data.series['s8'], [sets.minutes.values(7)], mean),
    },
    {
      name: 'minute averages, 10 signals × 21,600 points',
      mostMs: 30,
      method: 'service.evaluate',
      params: evaluate(stored.seconds, 'avg', { filter: sixHours, rollup: 'PT1M' }),
      check: ({ data }) => expectSeries(data.series['s3'], chunks(sets.seconds.values(2), 60), mean),
    },
    {
      name: 'Europe/Berlin days, 10 signals × 10,080 points',
      mostMs: 20,
      method: 'service.evaluate',
      params: evaluate(stored.minutes.slice(0, 10), 'sum', {
        filter: week,
        rollup: 'P1D',
        timeZone: 'Europe/Berlin',
      }),
      // The week starts at 01:00 in Berlin; Sunday the 31st has 23 hours.
      check: ({ data }) => {
        const hours = [23, 24, 24, 24, 24, 24, 23, 2];
        expectSeries(
          data.series['s1'],
          cut(
            sets.minutes.values(0),
            hours.map((h) => h * 60),
          ),
          sum,
        );
      },
    },
    {
      name: '(s1+s2)/2-s3 on hourly averages, 7 days',
      mostMs: 5,
      method: 'service.evaluate',
      params: {
        ...evaluate(
          stored.minutes.slice(0, 3),
          'avg',
          { filter: { ...week, series: { $in: ['c'] } }, rollup: 'PT1H' },
          [{ alias: 'c', formula: '(s1+s2)/2-s3' }],
        ),
      },
      check: ({ data }) => {
        const [a, b, c] = [0, 1, 2].map((k) => chunks(sets.minutes.values(k), 60).map(mean));
        expectSeries(
          data.series['c'],
          a.map((_, i) => i),
          (i) => (a[i] + b[i]) / 2 - c[i],
        );
      },
    },
  ];
}

/** Asks a question some times over one connection; the median time until the answer is parsed, ms. */
export async function askMedian(target: Target, question: Question, times: number): Promise<number> {
  const client = await Client.open(target.url);
  const request = { jsonrpc: '2.0', id: 1, method: question.method, params: question.params };
  const bytes = postBytes(target.url, target.authorization, Buffer.from(JSON.stringify(request)));
  const durations: number[] = [];
  for (let i = 0; i < times + 3; i++) {
    const start = performance.now();
    const { body } = await client.send(bytes);
    const answer = JSON.parse(body.toString('utf8')) as { result?: AnswerResult; error?: unknown };
    if (i >= 3) durations.push(performance.now() - start);
    if (answer.result === undefined) throw new Error(`${question.name}: ${JSON.stringify(answer.error)}`);
    if (i === 0) question.check(answer.result);
  }
  client.close();
  return median(durations);
}

function expectSeries<T>(
  got: (number | null)[] | undefined,
  groups: ArrayLike<T>,
  value: (group: T) => number,
): void {
  if (got?.length !== groups.length) throw new Error(`expected ${groups.length} rows, got ${got?.length}`);
  for (let i = 0; i < groups.length; i++) {
    const expected = value(groups[i]);
    if (Math.abs((got[i] ?? Number.NaN) - expected) > 1e-9 * Math.abs(expected) + 1e-9) {
      throw new Error(`row ${i}: expected ${expected}, got ${got[i]}`);
    }
    if (got[i] === null) throw new Error(`row ${i}: expected ${expected}, got null`);
  }
}

function cut(values: Float64Array, lengths: readonly number[]): Float64Array[] {
  let from = 0;
  return lengths.map((length) => {
    from += length;
    return values.subarray(from - length, from);
  });
}

function chunks(values: Float64Array, length: number): Float64Array[] {
  return cut(values, Array(values.length / length).fill(length));
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: Float64Array): number {
  return sum(values) / values.length;
}
