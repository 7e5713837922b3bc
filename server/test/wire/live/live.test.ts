/** `GET /v1/live` over HTTP: who may have a stream, what is sent, and when it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStream, type TestStream } from '../../support/event-stream.ts';
import { newIntegration, serviceOfFile } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';

const service = await serviceOfFile({ limits: { liveWatchersMax: 8, liveItemsMax: 3 } });
const { integration, authorization } = service;

type Ids = Record<string, { id: string }>;

async function call<T>(method: string, params: object): Promise<T> {
  const { result, error } = await service.call(method, params);
  assert.equal(error, undefined);
  return result as T;
}

async function insert(seconds: (number | string)[], series: Record<string, (number | null)[]>): Promise<Ids> {
  const data = { times: seconds, series };
  return (await call<{ signalsByInput: Ids }>('integration.insert', { integration, data })).signalsByInput;
}

/** New signals with an item each; the IDs of the items. */
async function newItems(...keys: string[]): Promise<string[]> {
  const signals = await insert([1], Object.fromEntries(keys.map((key) => [key, [0]])));
  const itemsBySignal = Object.fromEntries(
    keys.map((key) => [signals[key].id, { name: key, labels: { group: [key.slice(0, 1)] } }]),
  );
  const saved = await call<{ itemsBySignal: Ids }>('admin.publishSignals', { integration, itemsBySignal });
  return keys.map((key) => saved.itemsBySignal[signals[key].id].id);
}

function open(query: string, headers: Record<string, string> = {}): Promise<TestStream> {
  return openStream(`${service.url}/v1/live?${query}`, { authorization, ...headers });
}

/** Resolves when the service knows that all streams have ended. */
async function allGone(): Promise<void> {
  while (service.live.watcherCount > 0) await new Promise((resolve) => setImmediate(resolve));
}

/** Status and problem of a request that is refused. */
async function refused(query: string, headers: Record<string, string> = { authorization }) {
  const response = await fetch(`${service.url}/v1/live?${query}`, { headers });
  const { status, detail, params } = (await response.json()) as Record<string, unknown>;
  return { status, detail, ...(params === undefined ? {} : { params }) };
}

test('N3 each insert is an event with its place, the times and the values of each item', async () => {
  const [a, b] = await newItems('a1', 'a2');
  const stream = await open(`items=${a},${b}`);
  await insert([10, '1970-01-01T00:00:20.5Z'], { a1: [1.5, 2], a2: [null, -3] });
  await insert([30], { other: [1] });
  await insert([5], { a2: [4] });
  const events = await stream.take(2);
  assert.deepEqual(
    events.map(({ event, data }) => [event, data]),
    [
      [
        'message',
        {
          [a]: { times: ['1970-01-01T00:00:10Z', '1970-01-01T00:00:20.5Z'], values: [1.5, 2] },
          [b]: { times: ['1970-01-01T00:00:20.5Z'], values: [-3] },
        },
      ],
      ['message', { [b]: { times: ['1970-01-01T00:00:05Z'], values: [4] } }],
    ],
  );
  assert.notEqual(events[0].id, events[1].id);
  stream.leave();
});

test('N3 a query selects the items when the stream begins', async () => {
  const [, c2] = await newItems('c1', 'c2');
  const query = { filter: { 'labels.group': 'c' }, sort: ['-name'], limit: 1 };
  const stream = await open(`query=${encodeURIComponent(JSON.stringify(query))}`);
  await insert([7], { c1: [1], c2: [2] });
  const [{ data }] = await stream.take(1);
  assert.deepEqual(data, { [c2]: { times: ['1970-01-01T00:00:07Z'], values: [2] } });
  stream.leave();
});

test('N4 Last-Event-ID, or after, continues without a gap and without repetition, also before the first event', async () => {
  const [a] = await newItems('d1');
  const stream = await open(`items=${a}`);
  await insert([1], { d1: [1] });
  const [{ id }] = await stream.take(1);
  stream.leave();
  await insert([2], { d1: [2] });
  await insert([3], { d1: [3] });
  const values = async (from: TestStream, count: number) => {
    const events = await from.take(count);
    from.leave();
    return events.map(({ data }) => data[a].values[0]);
  };
  assert.deepEqual(await values(await open(`items=${a}`, { 'last-event-id': id }), 2), [2, 3]);
  assert.deepEqual(await values(await open(`items=${a}&after=${id}`), 2), [2, 3]);
});

test('N4 a place that is not known gives a reset, and the stream goes on', async () => {
  const [a] = await newItems('e1');
  const stream = await open(`items=${a}`, { 'last-event-id': 'of-another-service' });
  const [reset] = await stream.take(1);
  assert.deepEqual([reset.event, reset.data], ['reset', {}]);
  await insert([1], { e1: [1] });
  assert.deepEqual((await stream.take(1))[0].data[a].values, [1]);
  stream.leave();
});

test('N3 A5 wrong requests are refused with what is wrong', async () => {
  const [a] = await newItems('f1');
  assert.deepEqual(await refused('', {}), {
    status: 401,
    detail: 'This needs credentials: Basic, or a Bearer token',
  });
  const without = await newIntegration(service.identity, []);
  assert.deepEqual(await refused(`items=${a}`, { authorization: without.authorization }), {
    status: 403,
    detail: 'Live values need the grant service',
  });
  const invalid = (params: object) => ({ status: 400, detail: 'Invalid params', params });
  const oneOf = 'give either items, IDs separated by commas, or query';
  assert.deepEqual(await refused(''), invalid({ items: [oneOf] }));
  assert.deepEqual(await refused(`items=${a}&query={}`), invalid({ items: [oneOf] }));
  assert.deepEqual(await refused('items='), invalid({ items: ['must name at least one item'] }));
  assert.deepEqual(await refused(`items=${a},nothing`), invalid({ items: ['no item has the ID "nothing"'] }));
  assert.deepEqual(await refused('items=1,2,3,4'), invalid({ items: ['must be at most 3 items, got 4'] }));
  assert.deepEqual(await refused('query=[]'), invalid({ query: ['must be an object, got an array'] }));
  assert.deepEqual(
    await refused(`query=${encodeURIComponent('{"filter":{"name":"nothing"}}')}`),
    invalid({ query: ['selects no item'] }),
  );
  assert.deepEqual(await refused('query={'), {
    status: 400,
    detail: 'query must be a resource query as JSON',
  });
});

test('N6 L1 beyond its share of streams a client gets 503; a stream that ends makes room', async () => {
  const [a] = await newItems('g1');
  await allGone();
  const streams = await Promise.all(Array.from({ length: 6 }, () => open(`items=${a}`)));
  assert.deepEqual(await refused(`items=${a}`), {
    status: 503,
    detail: 'Try again: too many streams of live values are open',
  });
  for (const stream of streams) stream.leave();
  await allGone();
  (await open(`items=${a}`)).leave();
});

test('N4 A1 a stream ends when its credential is revoked, and when the grant is taken', async () => {
  const [a] = await newItems('h1');
  const { identity } = service;
  const revoked = await newIntegration(identity, ['service']);
  const streams = [
    await open(`items=${a}`, { authorization: revoked.authorization }),
    await open(`items=${a}`, { authorization: revoked.authorization }),
  ];
  const [{ id }] = (await identity.listCredentials(revoked.integration)).filter(
    ({ type }) => type === 'basic-auth',
  );
  await identity.revokeCredential(testAct, id);
  for (const stream of streams) assert.equal(await stream.next(), null);
  const taken = await newIntegration(identity, ['service']);
  const stream = await open(`items=${a}`, { authorization: taken.authorization });
  await identity.revokeGrant(testAct, taken.integration, 'service');
  assert.equal(await stream.next(), null);
});

test('N4 a stream ends when the service is about to end', async () => {
  const [a] = await newItems('i1');
  const stream = await open(`items=${a}`);
  const closing = service.server.close(60_000);
  assert.equal(await stream.next(), null);
  await closing;
});
