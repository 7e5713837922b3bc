/** Saving, publishing, connecting and annotating (R8-R11), and numbers for ingest (R9), on the memory store. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { SignalChange } from '#domain/signals/change';
import { Signals } from '#domain/signals/signals';
import { type Account, type Accounts, unmetered } from '#load/account';
import { AppError } from '#model/error';
import { XidSource } from '#model/xid';
import type { MetaTopic } from '#storage/meta-store';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { integration, newId, query } from '../../../support/resources.ts';
import { FixedClock, SeededRandom, testAct } from '../../../support/world.ts';

const replace = { createOnly: false };
const createOnly = { createOnly: true };
const really = { dryRun: false };

let meta: MemoryMetaStore;
let clock: FixedClock;
let signals: Signals;
let topics: MetaTopic[];
const mine = newId();

beforeEach(() => {
  meta = new MemoryMetaStore();
  clock = new FixedClock();
  signals = new Signals({ meta, clock, ids: new XidSource(clock, new SeededRandom(77)) });
  topics = [];
  meta.subscribe((topic) => topics.push(topic));
});

/** Has so many IDs, and no more. */
class FewIds extends XidSource {
  #left: number;

  constructor(clock: FixedClock, random: SeededRandom, idsMax: number) {
    super(clock, random);
    this.#left = idsMax;
  }

  override next(): string {
    if (this.#left-- <= 0) throw new Error('no more IDs');
    return super.next();
  }
}

function refused(...paths: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof AppError && error.kind === 'invalid-params', String(error));
    assert.deepEqual(Object.keys(error.params ?? {}), paths);
    return true;
  };
}

async function save(changes: Record<string, SignalChange>, options = replace) {
  return signals.save(mine, new Map(Object.entries(changes)), options);
}

async function stored(input: string) {
  const [found] = await meta.signals.byInput(mine, [input]);
  return found;
}

describe('save', () => {
  it('R8 creates, updates, and leaves alone what is the same', async () => {
    const first = await save({ a: { name: 'A' }, b: {} });
    const idOf = (input: string) => first.get(input)?.id ?? '';
    assert.deepEqual([...first.keys()], ['a', 'b']);
    assert.deepEqual(first.get('a'), { id: idOf('a'), created: true, updated: false });
    clock.advance(1);
    const second = await save({ b: {}, a: { name: 'B' }, c: {} });
    assert.deepEqual(
      [...second].map(([input, { created, updated }]) => [input, created, updated]),
      [
        ['b', false, false],
        ['a', false, true],
        ['c', true, false],
      ],
    );
    assert.equal(second.get('a')?.id, idOf('a'));
    assert.equal((await stored('b')).attributes.name, 'b');
  });

  it('R8 writes nothing when nothing changes: no new date, nothing to hear of', async () => {
    await save({ a: { annotations: new Map([['k', 'v']]), labels: new Map([['l', ['2', '1']]]) } });
    const before = await stored('a');
    topics.length = 0;
    clock.advance(1);
    const same = { annotations: new Map([['k', 'v']]), labels: new Map([['l', ['1', '2', '1']]]) };
    const again = await save({ a: same });
    assert.deepEqual(again.get('a'), { id: before.id, created: false, updated: false });
    assert.deepEqual(await stored('a'), before);
    assert.deepEqual(topics, []);
  });

  it('R8 replaces attributes, merges annotations, and notes when', async () => {
    await save({ a: { engUnit: 'C', annotations: new Map(Object.entries({ x: '1', y: '2' })) } });
    const before = await stored('a');
    clock.advance(1);
    await save({ a: { description: 'd', annotations: new Map(Object.entries({ y: '', z: '3' })) } });
    const after = await stored('a');
    assert.equal(after.attributes.engUnit, '');
    assert.equal(after.attributes.description, 'd');
    assert.deepEqual(Object.fromEntries(after.annotations), { x: '1', z: '3' });
    assert.deepEqual([after.createdAtMs, after.updatedAtMs], [before.createdAtMs, before.createdAtMs + 1000]);
  });

  it('R8 createOnly leaves existing signals untouched', async () => {
    const first = await save({ a: { name: 'A' } });
    const second = await save({ a: { name: 'B' }, b: { name: 'B' } }, createOnly);
    assert.deepEqual(second.get('a'), { id: first.get('a')?.id, created: false, updated: false });
    assert.equal(second.get('b')?.created, true);
    assert.equal((await stored('a')).attributes.name, 'A');
  });

  it('R8 a signal of another integration under the same key is another signal', async () => {
    const other = newId();
    await save({ a: { name: 'mine' } });
    const saved = await signals.save(other, new Map([['a', { name: 'other' }]]), replace);
    assert.equal(saved.get('a')?.created, true);
    assert.equal((await stored('a')).attributes.name, 'mine');
  });

  it('R2 names every wrong part, and stores none', async () => {
    const wrong = save({ good: {}, 'bad key': {}, b: { name: '', valueType: 'x' } });
    await assert.rejects(
      wrong,
      refused('signalsByInput.bad key', 'signalsByInput.b.name', 'signalsByInput.b.valueType'),
    );
    assert.equal(await stored('good'), undefined);
  });

  it('R2 a key like __proto__ is a key like any other', async () => {
    const changes: [string, SignalChange][] = [['__proto__', { labels: new Map([['__proto__', ['x']]]) }]];
    await signals.save(mine, new Map(changes), replace);
    assert.deepEqual([...(await stored('__proto__')).attributes.labels], [['__proto__', ['x']]]);
    await assert.rejects(save({ constructor: { name: '' } }), refused('signalsByInput.constructor.name'));
  });

  it('R8 ten saves of the same new key at once create one signal', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => save({ a: {} })));
    const ids = new Set(all.map((saved) => saved.get('a')?.id));
    assert.equal(ids.size, 1);
    assert.equal(all.filter((saved) => saved.get('a')?.created).length, 1);
  });
});

describe('publish', () => {
  const idOf = async (input: string) => (await stored(input)).id;

  it('R10 gives a signal an item, named as the signal unless said otherwise, and updates it from then on', async () => {
    await save({ a: { name: 'Signal A', engUnit: 'C' } });
    const id = await idOf('a');
    const first = await signals.publish(testAct, mine, new Map([[id, { description: 'x' }]]), replace);
    const itemId = first.get(id)?.id ?? '';
    assert.deepEqual(first.get(id), { id: itemId, created: true, updated: false });
    assert.equal((await stored('a')).item, itemId);
    const [item] = await signals.itemsById([itemId]);
    assert.deepEqual(
      [item.attributes.name, item.attributes.description, item.attributes.engUnit, item.visible],
      ['Signal A', 'x', '', false],
    );
    clock.advance(1);
    const second = await signals.publish(
      testAct,
      mine,
      new Map([[id, { name: 'B', visible: true }]]),
      replace,
    );
    assert.deepEqual(second.get(id), { id: itemId, created: false, updated: true });
    const [after] = await signals.itemsById([itemId]);
    assert.deepEqual([after.attributes.name, after.visible, after.attributes.description], ['B', true, '']);
    assert.equal(after.updatedAtMs, item.updatedAtMs + 1000);
  });

  it('R10 publishing the same again writes nothing', async () => {
    await save({ a: {} });
    const id = await idOf('a');
    await signals.publish(testAct, mine, new Map([[id, {}]]), replace);
    topics.length = 0;
    const again = await signals.publish(testAct, mine, new Map([[id, {}]]), replace);
    assert.deepEqual([again.get(id)?.created, again.get(id)?.updated, topics], [false, false, []]);
  });

  it('R10 createOnly skips items that exist', async () => {
    await save({ a: {}, b: {} });
    const [a, b] = [await idOf('a'), await idOf('b')];
    await signals.publish(testAct, mine, new Map([[a, { name: 'A' }]]), replace);
    const changes = new Map([a, b].map((id) => [id, { name: 'new' }] as const));
    const saved = await signals.publish(testAct, mine, changes, createOnly);
    assert.deepEqual(
      [saved.get(a)?.created, saved.get(a)?.updated, saved.get(b)?.created],
      [false, false, true],
    );
    const [item] = await signals.itemsById([saved.get(a)?.id ?? '']);
    assert.equal(item.attributes.name, 'A');
  });

  it('R10 two signals of one item: the later of the request decides', async () => {
    await save({ a: {}, b: {} });
    const [a, b] = [await idOf('a'), await idOf('b')];
    const published = await signals.publish(testAct, mine, new Map([[a, {}]]), replace);
    const item = published.get(a)?.id ?? '';
    await signals.connect(testAct, mine, query(), item, really);
    const changes = new Map([
      [a, { name: 'from a' }],
      [b, { name: 'from b' }],
    ]);
    const saved = await signals.publish(testAct, mine, changes, replace);
    assert.deepEqual([saved.get(a)?.id, saved.get(b)?.id], [item, item]);
    assert.equal((await signals.itemsById([item]))[0].attributes.name, 'from b');
  });

  it('R10 refuses signals that the integration does not have, and publishes none', async () => {
    await save({ a: {} });
    const id = await idOf('a');
    const other = newId();
    const theirs = await signals.save(other, new Map([['a', {}]]), replace);
    const foreign = theirs.get('a')?.id ?? '';
    const unknown = newId();
    const all = new Map([id, foreign, unknown].map((one) => [one, {}] as const));
    await assert.rejects(
      signals.publish(testAct, mine, all, replace),
      refused(`itemsBySignal.${foreign}`, `itemsBySignal.${unknown}`),
    );
    assert.equal((await stored('a')).item, null);
    await assert.rejects(
      signals.publish(testAct, mine, new Map([[id, { name: '' }]]), replace),
      refused(`itemsBySignal.${id}.name`),
    );
  });
});

describe('connect, disconnect, annotate', () => {
  async function published(): Promise<string> {
    await save({ a: {}, b: {}, c: {} });
    const { id } = await stored('a');
    return (await signals.publish(testAct, mine, new Map([[id, {}]]), replace)).get(id)?.id ?? '';
  }

  it('R11 connects the selected signals and answers with them as they are then', async () => {
    const item = await published();
    clock.advance(1);
    const { records, total } = await signals.connect(testAct, mine, query(), item, really);
    assert.deepEqual(
      records.map((signal) => signal.item),
      [item, item, item],
    );
    assert.equal(total, 3);
    assert.deepEqual(await meta.signals.byInput(mine, ['a', 'b', 'c']), records);
    assert.notEqual(records[0].updatedAtMs, records[1].updatedAtMs, 'the first one was connected before');
  });

  it('R11 a dry run answers the same and writes nothing', async () => {
    const item = await published();
    topics.length = 0;
    const dry = await signals.connect(testAct, mine, query(), item, { dryRun: true });
    assert.deepEqual(topics, []);
    assert.equal((await stored('b')).item, null);
    assert.deepEqual(await signals.connect(testAct, mine, query(), item, really), dry);
  });

  it('R11 disconnects; the item stays', async () => {
    const item = await published();
    const { records } = await signals.connect(testAct, mine, query(), null, really);
    assert.ok(records.every((signal) => signal.item === null));
    assert.equal((await stored('a')).item, null);
    assert.equal((await signals.itemsById([item])).length, 1);
  });

  it('R11 touches only signals of the integration', async () => {
    const item = await published();
    const other = newId();
    await signals.save(other, new Map([['a', {}]]), replace);
    assert.equal((await signals.connect(testAct, other, query(), item, really)).records.length, 1);
    assert.equal((await stored('b')).item, null);
  });

  it('R11 refuses an item that does not exist', async () => {
    await published();
    await assert.rejects(signals.connect(testAct, mine, query(), newId(), { dryRun: true }), refused('item'));
  });

  it('R11 annotates by ID, merging, each signal once in the answer', async () => {
    await published();
    const [a, b] = [await stored('a'), await stored('b')];
    const changes = [
      { id: b.id, annotations: new Map([['x', '1']]) },
      { id: a.id, annotations: new Map([['y', '']]) },
      { id: b.id, annotations: new Map(Object.entries({ x: '2', z: '3' })) },
    ];
    const dry = await signals.annotate(testAct, mine, changes, { dryRun: true });
    assert.deepEqual(await stored('b'), b);
    clock.advance(1);
    const { records, total } = await signals.annotate(testAct, mine, changes, really);
    assert.equal(total, 2);
    assert.deepEqual(
      records.map(({ input, annotations }) => [input, Object.fromEntries(annotations)]),
      [
        ['b', { x: '2', z: '3' }],
        ['a', {}],
      ],
    );
    assert.deepEqual(dry.records[0].annotations, records[0].annotations);
    assert.deepEqual(await stored('a'), a, 'nothing changed there');
    assert.deepEqual(await stored('b'), records[0]);
  });

  it('R11 refuses unknown signals and wrong annotations with their places', async () => {
    await published();
    const { id } = await stored('a');
    const none = new Map<string, string>();
    await assert.rejects(
      signals.annotate(
        testAct,
        mine,
        [
          { id, annotations: none },
          { id: newId(), annotations: none },
        ],
        really,
      ),
      refused('data.1.id'),
    );
    await assert.rejects(
      signals.annotate(testAct, mine, [{ id, annotations: new Map([['a b', 'x']]) }], really),
      refused('data.0.annotations.a b'),
    );
  });
});

describe('numbers', () => {
  /** Signals whose account counts what it permits, and what is created of it; there are so many IDs for them. */
  function counted(limitsSignals: boolean, idsMax = Infinity) {
    const counts = { permitted: 0, created: 0 };
    const permit: Account['permit'] = async (creating) => {
      counts.permitted += creating.signals;
      const settle = (created = creating) => {
        counts.created += created.signals;
      };
      return { settle };
    };
    const accounts: Accounts = { accountOf: () => ({ ...unmetered, limitsSignals, permit }) };
    const ids = new FewIds(clock, new SeededRandom(79), idsMax);
    return { signals: new Signals({ meta, clock, ids, accounts }), counts };
  }

  it('R9 creates unknown keys once, named by their key, and remembers all', async () => {
    await save({ b: { name: 'B' } });
    assert.equal(signals.cachedNumbers(mine, ['b']), null);
    const first = await signals.numbers(mine, ['a', 'b', 'c']);
    assert.deepEqual(
      first.map(({ created }) => created),
      [true, false, true],
    );
    assert.equal((await stored('a')).attributes.name, 'a');
    assert.deepEqual(
      signals.cachedNumbers(mine, ['c', 'a']),
      [first[2], first[0]].map(({ id, number }) => ({ id, number })),
    );
    assert.equal(signals.cachedNumbers(mine, ['c', 'd']), null);
    assert.equal(signals.cachedNumbers(newId(), ['a']), null);
    assert.deepEqual(
      (await signals.numbers(mine, ['a', 'b'])).map(({ created }) => created === true),
      [false, false],
    );
  });

  it('R9 the same new keys at once are created once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => signals.numbers(mine, ['a', 'b'])));
    assert.equal(new Set(all.map((found) => JSON.stringify(found.map(({ number }) => number)))).size, 1);
    assert.equal(all.filter((found) => found[0].created).length, 1);
  });

  it('R9 creates many in several transactions, between which others write, where no plan limits their number', async () => {
    const inputs = Array.from({ length: 600 }, (_, i) => `k${i}`);
    await signals.numbers(mine, ['k0', 'k599']);
    topics = [];
    const found = await signals.numbers(mine, inputs);
    assert.equal(new Set(found.map(({ number }) => number)).size, 600);
    assert.equal(found.filter(({ created }) => created).length, 598);
    assert.equal(topics.length, 6);
    const { signals: counting } = counted(true);
    topics = [];
    await counting.numbers(newId(), inputs);
    assert.equal(topics.length, 1);
  });

  it('R8 saves many in several transactions, and answers with every key in order', async () => {
    const keys = Array.from({ length: 600 }, (_, i) => `k${i}`);
    await save({ k0: {}, k300: { name: 'Other' }, k599: {} });
    topics = [];
    const saved = await save(Object.fromEntries(keys.map((key) => [key, {}])));
    assert.deepEqual([...saved.keys()], keys);
    assert.deepEqual(
      keys.filter((key) => saved.get(key)?.created !== true),
      ['k0', 'k300', 'k599'],
    );
    assert.deepEqual(
      keys.filter((key) => saved.get(key)?.updated),
      ['k300'],
    );
    assert.equal(new Set([...saved.values()].map(({ id }) => id)).size, 600);
    assert.equal(topics.length, 6);
    assert.equal((await stored('k300')).attributes.name, 'k300');
  });

  it('R8 two saves of the same new signals write once, and each answers with all', async () => {
    const changes = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, {}]));
    topics = [];
    const [one, other] = await Promise.all([save(changes), save(changes)]);
    assert.equal(topics.length, 6);
    for (const [key, { id, created }] of one) {
      assert.equal(other.get(key)?.id, id);
      assert.notEqual(other.get(key)?.created, created, key);
    }
  });

  it('R9a when some cannot be created those before them remain, and are counted', async () => {
    const inputs = Array.from({ length: 600 }, (_, i) => `k${i}`);
    for (const { limitsSignals, idsMax, permitted, remaining } of [
      { limitsSignals: false, idsMax: 250, permitted: 600, remaining: 200 },
      { limitsSignals: true, idsMax: 599, permitted: 0, remaining: 0 },
    ]) {
      const { signals: counting, counts } = counted(limitsSignals, idsMax);
      const owner = newId();
      await assert.rejects(counting.numbers(owner, inputs), /no more IDs/);
      assert.equal((await meta.signals.byInput(owner, inputs)).length, remaining);
      assert.deepEqual(counts, { permitted, created: remaining });
    }
  });

  it('R9 refuses keys that are no input keys, and creates none', async () => {
    await assert.rejects(signals.numbers(mine, ['a', 'b c', '']), refused('data.series.b c', 'data.series.'));
    assert.equal(await stored('a'), undefined);
  });

  it('R9 what is remembered is bounded', async () => {
    const few = new Signals({ meta, clock, ids: new XidSource(clock, new SeededRandom(78)), numbersMax: 4 });
    for (const input of ['a', 'b', 'c', 'd', 'e', 'f']) await few.numbers(mine, [input]);
    assert.equal(few.cachedNumbers(mine, ['a']), null);
    assert.notEqual(few.cachedNumbers(mine, ['f']), null);
  });

  it('A4 a deleted integration is forgotten', async () => {
    const { id } = integration();
    const kept = integration();
    for (const one of [integration({ id }), kept]) {
      await meta.write((tx) => tx.integrations.insert(one));
      await signals.numbers(one.id, ['a']);
    }
    await meta.write((tx) => tx.integrations.deleteWithSignals(id));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(signals.cachedNumbers(id, ['a']), null);
    assert.notEqual(signals.cachedNumbers(kept.id, ['a']), null);
  });
});
