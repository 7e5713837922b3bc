/** Reading past the limits of one call: a service with small limits gives the same as one with large limits. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ServiceUnderTest, startService } from '../../server/test/support/service.ts';
import { readArrow } from '../src/arrow.ts';
import { Client, ServiceError, systemEnvironment } from '../src/client.ts';
import type { Columns } from '../src/frame.ts';
import { completeStates, joinColumns, keepLast } from '../src/join-columns.ts';

const small = {
  windowDaysMax: 2,
  windowMinuteDaysMax: 5,
  windowDayDaysMax: 60,
  windowMonthDaysMax: 100,
  answerValuesMax: 250,
};
const large = {
  windowDaysMax: 4000,
  windowMinuteDaysMax: 4000,
  windowDayDaysMax: 4000,
  windowMonthDaysMax: 4000,
};

/** A client of a service, and its items in the order of their inputs. */
interface Rig {
  service: ServiceUnderTest;
  client: Client;
  ids: string[];
  /** The calls that the client has made since it was last emptied. */
  calls: string[];
}

const services: ServiceUnderTest[] = [];
let rigs: { small: Rig; large: Rig };
before(async () => {
  rigs = { small: await open(small), large: await open(large) };
});
after(async () => {
  for (const service of services) await service.close();
});

async function open(limits: object): Promise<Rig> {
  const service = await startService({ limits });
  services.push(service);
  const [, encoded] = service.authorization.split(' ');
  const [clientId, clientSecret] = Buffer.from(encoded, 'base64').toString().split(':');
  const calls: string[] = [];
  const client = new Client({
    apiUrl: `${service.url}/v1/`,
    credentials: { type: 'basic-auth', clientId, clientSecret },
    environment: {
      ...systemEnvironment,
      fetch: (url, init) => {
        calls.push(String(init.body));
        return fetch(url, init);
      },
    },
  });
  return { service, client, ids: await fill(client, service.integration), calls };
}

/** Hours of 200 days around the change of the clocks in Oslo, a state that changes each 50 hours, and a few points apart. */
async function fill(client: Client, integration: string): Promise<string[]> {
  const hours = Array.from({ length: 200 * 24 }, (_, i) => i);
  const startS = Date.parse('2025-12-01T00:00:00Z') / 1000;
  const data = {
    times: hours.map((hour) => startS + hour * 3600),
    series: {
      level: hours.map((hour) => (hour * 7) % 101),
      state: hours.map((hour) => (hour % 50 === 0 ? Math.floor(hour / 50) % 3 : null)),
      rare: hours.map((hour) => (hour % 997 === 0 ? hour : null)),
    },
  };
  const { signalsByInput } = await client.call('integration.insert', { integration, data });
  await client.call('integration.saveSignals', {
    integration,
    signalsByInput: { state: { valueType: 'enum' } },
  });
  const signals = ['level', 'state', 'rare'].map((input) => signalsByInput[input].id);
  const { itemsBySignal } = await client.call('admin.publishSignals', {
    integration,
    itemsBySignal: Object.fromEntries(signals.map((id) => [id, {}])),
  });
  return signals.map((id) => itemsBySignal[id].id);
}

/** Rows with the names of inputs in the place of item IDs, so that two services can be compared. */
function rows({ timesUs, series }: Columns, { ids }: Rig): unknown {
  const name = (key: string) => key.replace(/^[a-v0-9]{20}/, (id) => `item${ids.indexOf(id)}`);
  const columns = [...series].map(([key, values]) => [name(key), [...values]]);
  return { times: [...timesUs], series: Object.fromEntries(columns.sort()) };
}

const window = { $gte: '2025-12-02T10:17:00Z', $lt: '2026-06-10T05:00:00Z' };
const oslo = { timeZone: 'Europe/Oslo', firstDayOfWeek: 7 };

for (const rollup of [undefined, 'PT15M', 'PT1H', 'PT5H', 'PT6H', 'P1D', 'P1W', 'P1M', 'window']) {
  test(`L2 L3 Q3 Q7 frames of a long window are those of one call: rollup ${rollup ?? 'none'}`, async () => {
    const params = {
      data: { filter: { times: window }, ...oslo, ...(rollup === undefined ? {} : { rollup }) },
    };
    const [divided, whole] = [await rigs.small.client.frame(params), await rigs.large.client.frame(params)];
    assert.ok(whole.timesUs.length > 0);
    assert.deepEqual(rows(divided, rigs.small), rows(whole, rigs.large));
  });
}

/** Whole buckets: one that a window cuts has another value in it than for a formula that looks at it from outside. */
const whole = { $gte: '2025-12-02T05:00:00Z', $lt: '2026-06-09T22:00:00Z' };

/** Moving averages are sums of the values before, which round differently. */
function rounded({ timesUs, series }: Columns): Columns {
  const round = (values: Float64Array) => values.map((value) => Math.round(value * 1e6) / 1e6);
  return { timesUs, series: new Map([...series].map(([key, values]) => [key, round(values)])) };
}

test('L2 Q9 F4 an evaluation of a long window is that of one call, whatever its formulas look back at', async () => {
  const evaluate = ({ client, ids }: Rig, last?: number) =>
    client.evaluate({
      items: [
        { id: ids[0], alias: 'a', aggregation: 'avg' },
        { id: ids[2], alias: 'rare', aggregation: 'last', lag: 30 },
        { id: ids[1], alias: 's', aggregation: 'state-seconds', state: 1 },
      ],
      calculations: [
        { alias: 'd', formula: 'delta(a) + movavg(a, 20)' },
        { alias: 't', formula: 'coalesce(rare, time_seconds)' },
      ],
      data: { filter: { times: whole }, rollup: 'PT6H', ...oslo, ...(last === undefined ? {} : { last }) },
    });
  for (const last of [undefined, 400]) {
    rigs.small.calls.length = 0;
    const [divided, one] = [await evaluate(rigs.small, last), await evaluate(rigs.large, last)];
    assert.deepEqual(rows(rounded(divided), rigs.small), rows(rounded(one), rigs.large));
    assert.ok(rigs.small.calls.length > 30, `${rigs.small.calls.length} calls`);
  }
});

test('F4a a formula that needs the whole window is refused where the window is too long, and computed where not', async () => {
  const { client, ids } = rigs.small;
  const params = (days: number) => ({
    items: [{ id: ids[0], alias: 'a' }],
    calculations: [{ alias: 'c', formula: '1 + cumsum (a)' }],
    data: { filter: { times: { $gte: 1_767_225_600, $lt: 1_767_225_600 + days * 86_400 } }, rollup: 'PT1H' },
  });
  await assert.rejects(
    client.evaluate(params(20)),
    /the calculation c has cumsum\(\), which needs the whole window/,
  );
  const { series } = await client.evaluate(params(1));
  assert.equal(series.get('c')?.length, 24);
});

test('parts of frames come in order, and as Arrow where that is asked for', async () => {
  const { client } = rigs.small;
  const params = { data: { filter: { times: window }, rollup: 'PT6H' } };
  const parts: Columns[] = [];
  for await (const part of client.frames(params, { arrow: { readArrow } })) parts.push(part);
  assert.ok(parts.length > 30, `${parts.length} parts`);
  const timesUs = parts.flatMap((part) => [...part.timesUs]);
  assert.deepEqual(
    timesUs,
    [...new Set(timesUs)].sort((a, b) => a - b),
  );
  assert.deepEqual(joinColumns(completeStates(parts)), await client.frame(params));
});

test('what is wrong with a call is not asked for again', async () => {
  const { client, calls } = rigs.small;
  calls.length = 0;
  const data = {
    filter: { times: { $gte: '2026-03-01T00:00:00Z', $lt: '2026-03-02T00:00:00Z' } },
    rollup: 'P1X',
  };
  await assert.rejects(
    client.frame({ data }),
    (error) => error instanceof ServiceError && error.code === -32602,
  );
  assert.equal(calls.length, 2);
});

test('R13 items come in pages, each once, and only those that match; so do the frames of more than 50', async () => {
  const { client, service } = rigs.small;
  const { integration } = service;
  const inputs = Array.from({ length: 1100 }, (_, i) => `many/${i}`);
  const signalsByInput = Object.fromEntries(inputs.map((input) => [input, { labels: { kind: ['many'] } }]));
  const saved = await client.call('integration.saveSignals', { integration, signalsByInput });
  const signals = inputs.map((input) => saved.signalsByInput[input].id);
  await client.call('admin.publishSignals', {
    integration,
    itemsBySignal: Object.fromEntries(
      signals.map((id, i) => [id, { name: inputs[i], labels: { kind: ['many'] } }]),
    ),
  });
  const names: string[] = [];
  for await (const { attributes } of client.items({ filter: { 'labels.kind': 'many' } }))
    names.push(attributes.name);
  assert.deepEqual(names.sort(), inputs.sort());
  const some = inputs.slice(0, 120);
  await client.call('integration.insert', {
    integration,
    data: { times: [1_767_225_600], series: Object.fromEntries(some.map((input, i) => [input, [i]])) },
  });
  const { series } = await client.frame({
    query: { filter: { name: { $in: some } } },
    data: { filter: { times: { $gte: 1_767_225_600, $lt: 1_767_225_601 } } },
  });
  assert.equal(series.size, 120);
  assert.deepEqual(await client.frame({ query: { filter: { name: 'nothing' } } }), empty);
});

const empty: Columns = { timesUs: new Float64Array(), series: new Map() };

test('columns are joined by time, states are completed, and the newest values kept', () => {
  const frame = (times: number[], series: Record<string, number[]>): Columns => ({
    timesUs: Float64Array.from(times),
    series: new Map(Object.entries(series).map(([key, values]) => [key, Float64Array.from(values)])),
  });
  const parts = [
    frame([1, 3], { a: [1, 3], x_state_1: [5, Number.NaN] }),
    frame([2, 3], { a: [2, 4], x_state_2: [6, 7] }),
  ];
  const joined = joinColumns(completeStates(parts));
  assert.deepEqual(joined, frame([1, 2, 3], { a: [1, 2, 4], x_state_1: [5, 0, 0], x_state_2: [0, 6, 7] }));
  assert.deepEqual(keepLast(frame([1, 2, 3], { a: [1, 2, Number.NaN], b: [1, Number.NaN, Number.NaN] }), 1), {
    ...frame([1, 2], { a: [Number.NaN, 2], b: [1, Number.NaN] }),
  });
  assert.deepEqual(joinColumns([]), empty);
});
