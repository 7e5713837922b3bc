/**
 * The longest iteration of an event loop while one large answer is computed and sent, with nothing else at work, as {@link
 * measureIterations} does for large requests. The first answer of each kind counts by itself: its code is not compiled yet.
 */
import { arrowType } from '#protocol/arrow/format';
import { Client } from './client.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import { longestIterationMs, type Service } from './service.ts';

/** What is expected, ms. */
const iterationMsMax = 50;

/** Times that each is asked for after the first. */
const roundCount = 3;

/** Asks for every answer several times. */
export async function measureAnswers(service: Service, run: Run): Promise<Figure[]> {
  const client = await Client.open(service.url);
  const items = await store(client, service, run.isTiny ? 2 : 40);
  client.close();
  const figures: Figure[] = [];
  for (const [name, request] of requests(service, items)) {
    const longest: number[] = [];
    for (let round = 0; round <= (run.isTiny ? 1 : roundCount); round++) {
      await longestIterationMs(service);
      await readAll(name, request);
      longest.push(await longestIterationMs(service));
    }
    const [first, ...later] = longest;
    const figure = { value: first, unit: 'ms', target: { most: iterationMsMax } };
    const note = `later ones ${median(later).toFixed(1)}`;
    figures.push(...run.print([{ name: `iteration: ${name}`, ...figure, note }]));
  }
  return figures;
}

/** Reads an answer and keeps none of it: a client that copies 200 MB keeps a processor from a service thread. */
async function readAll(name: string, request: Request): Promise<void> {
  const { status, body } = await fetch(request.clone());
  let start = '';
  for await (const chunk of body ?? [])
    if (start === '') start = Buffer.from(chunk).toString('latin1', 0, 300);
  if (status !== 200 || start.includes('"error"')) throw new Error(`${name}: ${status} ${start}`);
}

/** Name → request. */
function requests({ url, authorization }: Service, items: readonly string[]): Map<string, Request> {
  const found = new Map<string, Request>();
  const ask = ([method, params]: Question, accept = '*/*') => {
    const headers = { authorization, accept, 'content-type': 'application/json', 'x-api-version': '1.2' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return new Request(url, { method: 'POST', headers, body });
  };
  const asked = questions(items);
  for (const [name, question] of Object.entries(asked)) found.set(name, ask(question));
  found.set('points as Arrow', ask(asked['points with other times'], arrowType));
  for (const options of [
    'format=csv',
    'format=jsonl&form=wide',
    'format=parquet',
    'format=csv&rollup=PT1M',
  ]) {
    const exported = new URL(`/v1/export?items=*&${options}`, url);
    found.set(`export ${options}`, new Request(exported, { headers: { authorization } }));
  }
  return found;
}

/** A method and its parameters. */
type Question = [string, object];

const startMs = Date.parse('2024-01-01T00:00:00Z');
const frameRows = 25_000;

/** Four signals with a point a second: two with the same times, and two with times of their own; and one of states. */
async function store(client: Client, service: Service, frameCount: number): Promise<string[]> {
  const { integration } = service;
  const columns: Record<string, number> = { a: 0, b: 0, c: 250, d: 500, state: 0 };
  const inputs = Object.keys(columns);
  const enumValues = { '0': 'off', '1': 'on' };
  await client.call(service, 'integration.saveSignals', {
    integration,
    signalsByInput: Object.fromEntries(
      inputs.map((input) => [
        input,
        { name: input, ...(input === 'state' && { valueType: 'enum', enumValues }) },
      ]),
    ),
  });
  for (let frame = 0; frame < frameCount; frame++)
    for (const [input, shiftMs] of Object.entries(columns)) {
      const rows = Array.from({ length: frameRows }, (_, row) => frame * frameRows + row);
      const times = rows.map((row) => new Date(startMs + row * 1000 + shiftMs).toISOString());
      const values = rows.map((row) => (input === 'state' ? Math.floor(row / 7) % 3 : (row * 7919) % 1000));
      await client.call(service, 'integration.insert', {
        integration,
        data: { times, series: { [input]: values } },
      });
    }
  const { data } = await client.call<{ data: { id: string }[] }>(service, 'admin.selectSignals', {
    integration,
    query: { filter: { input: { $in: inputs } }, sort: ['input'], limit: 10 },
    format: { dataAsArray: true },
  });
  const { itemsBySignal } = await client.call<{ itemsBySignal: Record<string, { id: string }> }>(
    service,
    'admin.publishSignals',
    {
      integration,
      itemsBySignal: Object.fromEntries(data.map(({ id }, i) => [id, { name: inputs[i], visible: true }])),
    },
  );
  return data.map(({ id }) => itemsBySignal[id].id);
}

/** Name → question. */
function questions([a, b, c, d, state]: readonly string[]): Record<string, Question> {
  const times = { $gte: '2024-01-01T00:00:00Z', $lt: '2024-01-31T00:00:00Z' };
  const frame = (ids: readonly string[], data: object): Question => [
    'service.dataFrame',
    { query: { filter: { id: { $in: ids } }, limit: 10 }, data: { filter: { times }, ...data } },
  ];
  const evaluate = (formula: string, more: object = {}): Question => [
    'service.evaluate',
    {
      items: [
        { id: a, alias: 'a', aggregation: 'avg' },
        { id: c, alias: 'c', aggregation: 'max' },
      ],
      calculations: [{ alias: 'x', formula }],
      data: { filter: { times, series: { $in: ['x'] } }, rollup: 'PT1S', ...more },
    },
  ];
  const seconds = (aggregation: string): Question => [
    'service.evaluate',
    {
      items: [{ id: state, alias: 's', aggregation, state: 1, lead: 3 }],
      calculations: [],
      data: { filter: { times }, rollup: 'PT1S' },
    },
  ];
  return {
    'points of one item': frame([a], {}),
    'points with the same times': frame([a, b], {}),
    'points with other times': frame([a, c], {}),
    'the last points': frame([a, c], { last: 400_000 }),
    'seconds of an item': frame([a], { rollup: 'PT1S' }),
    'seconds of states': frame([state], { rollup: 'PT1S' }),
    'the last seconds': evaluate('a', { last: 400_000 }),
    'seconds in a state, percent': seconds('state-percent'),
    'a group of items': [
      'service.evaluate',
      {
        items: [],
        groups: [
          {
            alias: 'g',
            query: { filter: { id: { $in: [a, b, c, d] } } },
            timeAggregation: 'avg',
            groupAggregation: 'avg',
          },
        ],
        calculations: [],
        data: { filter: { times }, rollup: 'PT1S' },
      },
    ],
    'a formula': evaluate('sqrt(a) * 2 + c ** 2'),
    'values before and after': evaluate('lag(a, 3) + lead(c, 5)'),
    differences: evaluate('delta(a) + rate(c)'),
    'moving averages': evaluate('movavg(a, 60) + movmax(c, 60)'),
    'a running sum': evaluate('cumsum(a)'),
    'filled gaps': evaluate('interpolate(a) + gapfill(c)'),
  };
}
