/** Reading over HTTP: the time of each kind of question, by one client, which parses the answers, and by several; an answer of each is checked. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Client, postBytes } from './client.ts';
import { chunks, cut, expectSeries, mean, sum } from './expected.ts';
import { requestRate, type Target } from './ingest.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import {
  endProcess,
  freePort,
  processorSeconds,
  residentBytes,
  type Service,
  untilSealed,
} from './service.ts';
import { minuteUs, type Stored, secondUs, sets, storeSets, weekStartUs } from './stored.ts';
import { timeOften, timesOf, timingNote, warmUp } from './timing.ts';

/** One kind of question. */
export interface Question<Result = AnswerResult> {
  name: string;
  mostMs: number;
  method: string;
  params: object;
  /** Throws when the answer is not what the generator says. */
  check(result: Result): void;
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
      mostMs: 6,
      method: 'service.dataFrame',
      params: { query: idIn(stored.seconds.slice(0, 1)), data: { filter: sixHours } },
      check: ({ data }) => expectSeries(data.series[stored.seconds[0]], sets.seconds.values(0), (v) => v),
    },
    {
      name: 'hourly rollup, 50 signals × 10,080 points',
      mostMs: 11,
      method: 'service.dataFrame',
      params: { query: idIn(stored.minutes), data: { filter: week, rollup: 'PT1H' } },
      check: ({ data }) =>
        expectSeries(data.series[`${stored.minutes[7]}_sum`], chunks(sets.minutes.values(7), 60), sum),
    },
    {
      name: 'one window, 50 signals × 10,080 points',
      mostMs: 2,
      method: 'service.evaluate',
      params: evaluate(stored.minutes, 'avg', { filter: week, rollup: 'window' }),
      check: ({ data }) => expectSeries(data.series['s8'], [sets.minutes.values(7)], mean),
    },
    {
      name: 'minute averages, 10 signals × 21,600 points',
      mostMs: 2.4,
      method: 'service.evaluate',
      params: evaluate(stored.seconds, 'avg', { filter: sixHours, rollup: 'PT1M' }),
      check: ({ data }) => expectSeries(data.series['s3'], chunks(sets.seconds.values(2), 60), mean),
    },
    {
      name: 'Europe/Berlin days, 10 signals × 10,080 points',
      mostMs: 1.5,
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
      name: 'formula of 3 signals, hourly, 7 days',
      mostMs: 0.8,
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

/** Asks a question over one connection, and checks the first answer: the time until an answer is parsed. */
export async function askOften<Result>(
  target: Target,
  question: Question<Result>,
  run: Run,
): Promise<Figure> {
  const timing = await asking(target, question, (ask, request) => timeOften(ask, target, request, run));
  const { name, mostMs } = question;
  return { name, value: timing.steady, unit: 'ms', target: { most: mostMs }, note: timingNote(timing) };
}

/** The same, with what the answer of a bare server takes, until it is parsed too. */
async function askByOne<Result>(service: Service, question: Question<Result>, run: Run): Promise<Figure> {
  const figure = await askOften(service, question, run);
  const { steady, best } = await withBareAnswer(service, requestOf(service, question), (bare) =>
    asking(bare, question, (ask, request) => timeOften(ask, bare, request, run)),
  );
  const bareNote = `${steady.toPrecision(3)} (best ${best.toPrecision(3)}) by a bare server`;
  return { ...figure, note: `${figure.note}; ${bareNote}` };
}

/** The answers of a service that has just started, none of whose code has run or been compiled. */
async function askFresh<Result>(service: Service, question: Question<Result>, run: Run): Promise<Figure> {
  await service.restart();
  const count = run.isTiny ? 1 : firstAnswers;
  const times = await asking(service, question, (ask) => timesOf(ask, count), false);
  return {
    name: `${question.name}, the first ${firstAnswers} after a start`,
    value: median(times),
    unit: 'ms',
  };
}

const firstAnswers = 50;

const clients = 8;

/** How many answers a second several clients get of a service that is warm, and what each takes of the service's processor time. */
async function askByMany<Result>(service: Service, question: Question<Result>, run: Run): Promise<Figure> {
  const request = requestOf(service, question);
  const load = { clients, seconds: run.seconds };
  const beforeS = processorSeconds(service.process);
  const { rate, count } = await requestRate(service, () => request, load);
  const processorMs = ((processorSeconds(service.process) - beforeS) / count) * 1000;
  const { rate: bare } = await withBareAnswer(service, request, async (target) => {
    if (!run.isTiny) await warmUp(target, () => request);
    return requestRate(target, () => request, load);
  });
  const note = `${processorMs.toPrecision(3)} ms of processor each; ${(rate / bare).toPrecision(2)} of ${bare.toPrecision(3)} by a bare server`;
  return { name: `${question.name}, ${clients} clients`, value: rate, unit: 'queries/s', note };
}

/** Runs `work` against a bare server that sends the answer to a request. */
export async function withBareAnswer<T>(
  service: Service,
  request: Buffer,
  work: (bare: Target) => Promise<T>,
): Promise<T> {
  const client = await Client.open(service.url);
  const { body } = await client.send(request);
  client.close();
  return withBareServer(service, body, work);
}

/** Runs `work` against a server that has the bytes of an answer in memory (answer-floor.ts), on as many threads as a service has by default. */
export async function withBareServer<T>(
  target: Target,
  body: Uint8Array,
  work: (bare: Target) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const script = join(import.meta.dirname, 'answer-floor.ts');
  const threads = Math.min(16, availableParallelism());
  const child = spawn(process.execPath, [script, String(port), String(threads)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    child.stdin.end(body);
    await once(child.stdout, 'data');
    return await work({ ...target, url: new URL(`http://127.0.0.1:${port}/v1/rpc`) });
  } finally {
    await endProcess(child);
  }
}

function requestOf<Result>({ url, authorization }: Target, { method, params }: Question<Result>): Buffer {
  return postBytes(
    url,
    authorization,
    Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
  );
}

/** Runs `work` with a function that asks once, and the request that it sends; the first answer is checked, before if `isChecked`. */
export async function asking<Result, T>(
  target: Target,
  question: Question<Result>,
  work: (ask: () => Promise<void>, request: Buffer) => Promise<T>,
  isChecked = true,
): Promise<T> {
  const client = await Client.open(target.url);
  const bytes = requestOf(target, question);
  const ask = async () => {
    const { body } = await client.send(bytes);
    const answer = JSON.parse(body.toString('utf8')) as { result?: Result; error?: unknown };
    if (answer.result === undefined) throw new Error(`${question.name}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  };
  if (isChecked) question.check(await ask());
  const found = await work(async () => void (await ask()), bytes);
  if (!isChecked) question.check(await ask());
  client.close();
  return found;
}

/** Questions by one client and by several, and of a service that has just started. */
export async function measureQuestions<Result>(
  service: Service,
  asked: readonly Question<Result>[],
  run: Run,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const question of asked) {
    figures.push(...run.print([await askByOne(service, question, run)]));
    figures.push(...run.print([await askByMany(service, question, run)]));
  }
  // Each takes a start, which is not tiny.
  for (const question of run.isTiny ? asked.slice(0, 1) : asked) {
    figures.push(...run.print([await askFresh(service, question, run)]));
  }
  return figures;
}

/** The questions of the table, one after the other. */
export async function measureQueries(service: Service, run: Run): Promise<Figure[]> {
  const stored = await storeSets(service);
  if (!run.isTiny) await untilSealed(service);
  const figures = await measureQuestions(service, questions(stored), run);
  const value = residentBytes(service.process) / 2 ** 20;
  return [...figures, ...run.print([{ name: 'memory after the questions', value, unit: 'MiB' }])];
}
