/** Watches of items over the memory stores: what each gets, in which order, and when it is told that it has missed something. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveNews, LiveWatch } from '#domain/live/live-watch';
import { isAtOrAfter, parsePosition, printPosition } from '#domain/live/position';
import { AppError } from '#model/error';
import { serviceOfFile } from '../../../support/service.ts';

const limits = { liveWatchersMax: 8, liveItemsMax: 3, liveQueueBytesMax: 16 * 1024 };
const service = await serviceOfFile({ limits });
const { live, integration } = service;

/** Calls, and gives the result. */
async function call<T>(method: string, params: object): Promise<T> {
  const { result, error } = await service.call(method, params);
  assert.equal(error, undefined);
  return result as T;
}

/** Inserts values by input key at these seconds. */
async function insert(seconds: number[], series: Record<string, (number | null)[]>): Promise<Signals> {
  const { signalsByInput } = await call<{ signalsByInput: Signals }>('integration.insert', {
    integration,
    data: { times: seconds, series },
  });
  return signalsByInput;
}

type Signals = Record<string, { id: string }>;

/** New signals with an item each: key → ID of the item. */
async function newItems(...keys: string[]): Promise<string[]> {
  const signals = await insert([1], Object.fromEntries(keys.map((key) => [key, [0]])));
  const itemsBySignal = Object.fromEntries(keys.map((key) => [signals[key].id, { name: key }]));
  const saved = await call<{ itemsBySignal: Signals }>('admin.publishSignals', {
    integration,
    itemsBySignal,
  });
  return keys.map((key) => saved.itemsBySignal[signals[key].id].id);
}

function watch(items: readonly string[], after: string | null = null): Promise<LiveWatch> {
  return live.watch({ party: integration, items, after });
}

/** Lets a signal feed an item too. */
async function connect(signal: string, item: string): Promise<void> {
  await service.call(
    'admin.connectSignals',
    { integration, query: { filter: { id: signal } }, item },
    { version: '1.2' },
  );
}

/** News as plain values: item → pairs of seconds and value, for each event. */
function plain(news: LiveNews | null): unknown {
  if (news?.kind !== 'events') return news?.kind ?? null;
  return news.events.map(({ points }) =>
    Object.fromEntries(
      [...points].map(([item, { timesUs, values }]) => [
        item,
        [...timesUs].map((us, i) => [us / 1e6, values[i]]),
      ]),
    ),
  );
}

/** What a watch gets next, of `count` events. */
async function take(from: LiveWatch, count: number): Promise<unknown[]> {
  const events: unknown[] = [];
  while (events.length < count) events.push(...(plain(await from.next()) as unknown[]));
  return events;
}

test('N1 a watch gets each insert that touches its items, once, with its times and values', async () => {
  const [a, b] = await newItems('one-a', 'one-b');
  const own = await watch([a, b]);
  await insert([10, 20], { 'one-a': [1, 2], 'one-b': [null, 3] });
  await insert([30], { other: [9] });
  await insert([5, 20], { 'one-a': [7, 8] });
  assert.deepEqual(await take(own, 2), [
    {
      [a]: [
        [10, 1],
        [20, 2],
      ],
      [b]: [[20, 3]],
    },
    {
      [a]: [
        [5, 7],
        [20, 8],
      ],
    },
  ]);
  own.close();
  assert.equal(await own.next(), null);
});

test('N2 a watch that begins after the place of an event gets the rest, and nothing twice', async () => {
  const [a] = await newItems('two');
  const first = await watch([a]);
  for (let i = 1; i <= 5; i++) await insert([i], { two: [i] });
  const places: string[] = [];
  while (places.length < 5) {
    const news = await first.next();
    if (news?.kind === 'events') places.push(...news.events.map(({ position }) => position));
  }
  first.close();
  for (const [i, place] of places.slice(0, 4).entries()) {
    const later = await watch([a], place);
    const rest = [2, 3, 4, 5].slice(i).map((value) => ({ [a]: [[value, value]] }));
    assert.deepEqual(await take(later, rest.length), rest);
    later.close();
  }
});

test('N2 a place that is not known begins with a reset, and goes on from then', async () => {
  const [a] = await newItems('three');
  for (const place of ['nonsense', 'zzzzzz.0', '1.5']) {
    const own = await watch([a], place);
    assert.deepEqual(plain(await own.next()), 'reset');
    await insert([10], { three: [1] });
    assert.deepEqual(await take(own, 1), [{ [a]: [[10, 1]] }]);
    own.close();
  }
});

test('N5 a slow watcher gets everything: what its queue has no room for is read from the store', async () => {
  const [a] = await newItems('four');
  const own = await watch([a]);
  const stop = new AbortController();
  const nothing = own.next(stop.signal);
  stop.abort();
  assert.equal(await nothing, null);
  const times = Array.from({ length: 300 }, (_, i) => i + 1);
  for (let i = 0; i < 12; i++) await insert(times, { four: times.map(() => i) });
  const events = (await take(own, 12)) as Record<string, number[][]>[];
  assert.deepEqual(
    events.map((event) => [event[a].length, event[a][0][1]]),
    times.slice(0, 12).map((_, i) => [300, i]),
  );
  own.close();
});

test('N1 Q14 of several signals at one time the newest counts, whichever is inserted last', async () => {
  const [a] = await newItems('old');
  const { young } = await insert([1], { young: [0] });
  await connect(young.id, a);
  const own = await watch([a]);
  await insert([10], { young: [2] });
  await insert([10, 20], { old: [1, 1] });
  assert.deepEqual(await take(own, 2), [
    { [a]: [[10, 2]] },
    {
      [a]: [
        [10, 2],
        [20, 1],
      ],
    },
  ]);
  own.close();
});

test('N1 signals that begin to feed a watched item count from then on; items can be added and dropped', async () => {
  const [a, b] = await newItems('five-a', 'five-b');
  const own = await watch([a]);
  await insert([10], { 'five-a': [1], 'five-b': [1] });
  await own.add([b]);
  await insert([20], { 'five-a': [2], 'five-b': [2] });
  assert.deepEqual((await take(own, 2)).at(-1), { [a]: [[20, 2]], [b]: [[20, 2]] });
  own.drop([a]);
  await insert([30], { 'five-a': [3], 'five-b': [3] });
  assert.deepEqual(await take(own, 1), [{ [b]: [[30, 3]] }]);
  const { late } = await insert([1], { late: [0] });
  await connect(late.id, b);
  await insert([40], { late: [4] });
  assert.deepEqual(await take(own, 1), [{ [b]: [[40, 4]] }]);
  own.close();
});

test('N2 points that were deleted are not told: a watch before the deletion begins with a reset', async () => {
  const [a] = await newItems('six');
  const own = await watch([a]);
  await insert([10], { six: [1] });
  await take(own, 1);
  const { place } = own;
  own.close();
  await insert([20], { six: [2] });
  const { number } = (await service.meta.signals.ofItems([a]))[0];
  await service.series.deletePoints([number], { startUs: 0, endUs: 15e6 });
  const later = await watch([a], place);
  assert.deepEqual(plain(await later.next()), 'reset');
  later.close();
});

test('N6 L1 one client has at most its share of the watches; a closed one makes room', async () => {
  const [a] = await newItems('seven');
  const own = await Promise.all(Array.from({ length: 6 }, () => watch([a])));
  assert.equal(live.watcherCount, 6);
  await assert.rejects(watch([a]), /Try again: too many streams of live values are open/);
  const other = await live.watch({ party: 'another', items: [a], after: null });
  for (const one of [other, ...own]) one.close();
  assert.equal(live.watcherCount, 0);
  (await watch([a])).close();
});

test('N6 items are checked: none, too many, unknown ones, signals', async () => {
  const [a] = await newItems('eight');
  const [{ id: signal }] = await service.meta.signals.ofItems([a]);
  const problems = async (ids: string[]) => {
    const error = await live.checkItems(ids).then(
      () => null,
      (error: unknown) => error,
    );
    return error instanceof AppError ? error.params?.items : error;
  };
  assert.equal(await problems([a]), null);
  assert.deepEqual(await problems([]), ['must name at least one item']);
  assert.deepEqual(await problems([a, 'b', 'c', 'd']), ['must be at most 3 items, got 4']);
  assert.deepEqual(await problems(['b', signal]), [
    'no item has the ID "b"',
    `is a signal; its item is ${a}`,
  ]);
});

test('N2 places as text can be read back, and are ordered', () => {
  const places = [
    { seq: 0, mark: 0, row: 0 },
    { seq: 7, mark: 2 ** 32 - 1, row: 3 },
    { seq: 7, mark: 2 ** 32 - 1, row: 8192 },
    { seq: 7, mark: 2 ** 32 - 1, row: 0 },
    { seq: 2 ** 40, mark: 1, row: 0 },
  ];
  for (const [i, place] of places.entries()) {
    assert.deepEqual(parsePosition(printPosition(place)), place);
    for (const [k, other] of places.entries()) assert.equal(isAtOrAfter(place, other), i >= k);
  }
  for (const text of ['', '1', '1.2.3.4', '-1.2', '1.2 ', '__proto__', '1.'.repeat(20)])
    assert.equal(parsePosition(text), null);
});
