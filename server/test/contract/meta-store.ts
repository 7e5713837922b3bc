/** What every MetaStore promises (storage/meta-store.ts), as one suite for all of them. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { AppError } from '#model/error';
import type { Filter } from '#model/filter';
import type { Item, Signal } from '#model/signal';
import type { MetaStore, MetaTopic } from '#storage/meta-store';
import { attributes, credential, integration, item, newId, query, signal } from '../support/resources.ts';
import { filterCases, filteredSignals, sortCases } from './meta-filters.ts';
import { openForSuite, type UnderTest } from './under-test.ts';

/** Declares the suite for one kind of store. */
export function metaStoreContract(name: string, underTest: () => UnderTest<MetaStore>): void {
  describe(`MetaStore contract: ${name}`, () => {
    let store: MetaStore;
    const kind = openForSuite(underTest(), (opened) => {
      store = opened;
    });

    it('R8 a signal is read back as it was written, by input, ID, item and query', async () => {
      const mine = newId();
      const [full] = filteredSignals(mine).slice(1);
      const [stored] = await store.write((tx) => tx.signals.insert([full]));
      assert.deepEqual({ ...full, number: stored.number }, stored);
      assert.ok(Number.isSafeInteger(stored.number) && stored.number > 0);
      assert.deepEqual(await store.signals.byInput(mine, ['b', 'unknown']), [stored]);
      assert.deepEqual(await store.signals.byId([stored.id, newId(), stored.id]), [stored]);
      assert.deepEqual(await store.signals.ofItems([full.item ?? '', newId()]), [stored]);
      assert.deepEqual((await store.signals.select(query(), mine)).records, [stored]);
      assert.deepEqual(await store.signals.byInput(newId(), ['b']), []);
      await store.write((tx) => tx.integrations.deleteWithSignals(mine));
    });

    it('R10 an item is read back as it was written', async () => {
      const written = item({ visible: true, attributes: attributes({ labels: new Map([['k', ['v']]]) }) });
      await store.write((tx) => tx.items.insert([written]));
      assert.deepEqual(await store.items.byId([written.id]), [written]);
      const filter: Filter = { op: 'eq', path: { field: 'id' }, value: written.id };
      assert.deepEqual((await store.items.select(query(filter))).records, [written]);
    });

    it('R8 an update replaces what can change, and nothing else', async () => {
      const mine = newId();
      const [before] = await store.write((tx) => tx.signals.insert([filteredSignals(mine)[0]]));
      const changed: Signal = {
        ...before,
        attributes: attributes({ name: 'new', labels: new Map([['site', ['w']]]) }),
        annotations: new Map([['a', 'b']]),
        item: newId(),
        updatedAtMs: 5000,
      };
      const fixed = { integration: newId(), input: 'other', number: before.number + 7, createdAtMs: 1 };
      await store.write((tx) => tx.signals.update([{ ...changed, ...fixed }]));
      assert.deepEqual(await store.signals.byId([before.id]), [changed]);
      assert.deepEqual(await found(store, mine, labelled('site', 'x')), []);
      assert.deepEqual(await found(store, mine, labelled('site', 'w')), ['a']);
    });

    it('R10 an update of an item replaces what can change', async () => {
      const before = item({ attributes: attributes({ labels: new Map([['k', ['1', '2']]]) }) });
      const after: Item = { ...before, visible: true, attributes: attributes({ name: 'x' }), updatedAtMs: 9 };
      await store.write((tx) => tx.items.insert([before]));
      await store.write((tx) => tx.items.update([{ ...after, createdAtMs: 77 }]));
      assert.deepEqual(await store.items.byId([before.id]), [after]);
    });

    it('R8 an update of an unknown ID changes nothing', async () => {
      const mine = newId();
      await store.write((tx) => tx.signals.update([{ ...signal(mine, 'x'), number: 1 }]));
      assert.deepEqual(await store.signals.byInput(mine, ['x']), []);
    });

    it('R9 numbers ascend in the order given and are never used again', async () => {
      const mine = newId();
      const numbers = async (count: number) => {
        const inputs = Array.from({ length: count }, (_, i) => `n${i}`).reverse();
        const signals = await store.write((tx) => tx.signals.insert(inputs.map((key) => signal(mine, key))));
        return signals.map(({ number }) => number);
      };
      const first = await numbers(5);
      assert.deepEqual(
        first,
        [...first].sort((a, b) => a - b),
      );
      assert.deepEqual(await store.write((tx) => tx.integrations.deleteWithSignals(mine)), first);
      assert.ok(Math.min(...(await numbers(3))) > Math.max(...first));
    });

    it('R9 an input key that is taken is refused, and nothing of that write stays', async () => {
      const mine = newId();
      await store.write((tx) => tx.signals.insert([signal(mine, 'taken')]));
      const both = [signal(mine, 'free'), signal(mine, 'taken')];
      await assert.rejects(store.write((tx) => tx.signals.insert(both)));
      assert.deepEqual(await found(store, mine), ['taken']);
      await store.write((tx) => tx.signals.insert([signal(newId(), 'taken')]));
    });

    it('A4 when an integration was seen outlives its credentials, and only moves on', async () => {
      const [mine, other] = [integration(), integration()];
      const secret = credential(mine.id);
      await store.write(async (tx) => {
        await tx.integrations.insert(mine);
        await tx.integrations.insert(other);
        await tx.credentials.insert(secret);
        await tx.integrations.noteSeen(
          new Map([
            [mine.id, 9],
            [newId(), 9],
          ]),
        );
        await tx.integrations.noteSeen(new Map());
      });
      await store.write((tx) => tx.integrations.noteSeen(new Map([[mine.id, 8]])));
      await store.write((tx) => tx.credentials.delete(secret.id));
      const seen = await store.integrations.lastSeen();
      assert.deepEqual([seen.get(mine.id), seen.get(other.id)], [9, undefined]);
      await store.write((tx) => tx.integrations.noteSeen(new Map([[mine.id, 10]])));
      assert.equal((await store.integrations.lastSeen()).get(mine.id), 10);
      await store.write((tx) => tx.integrations.deleteWithSignals(mine.id));
      assert.equal((await store.integrations.lastSeen()).get(mine.id), undefined);
    });

    it('A4 integrations, credentials and keys are read back as they were written and changed', async () => {
      const written = integration({ grants: ['admin', 'service'], name: `it's "so"` });
      const secret = credential(written.id, { expiresAtMs: 77 });
      const other = credential(written.id);
      const key = { id: newId(), secret: 'ab'.repeat(32), createdAtMs: 5 };
      const lastUsedFrom = { address: '2001:db8::7', userAgent: `it's "curl"` };
      await store.write(async (tx) => {
        await tx.integrations.insert(written);
        await tx.credentials.insert(secret);
        await tx.credentials.insert(other);
        await tx.signingKeys.insert(key);
      });
      assert.deepEqual((await store.integrations.all()).find(byId(written.id)), written);
      assert.deepEqual((await store.credentials.all()).find(byId(secret.id)), secret);
      assert.deepEqual((await store.signingKeys.all()).find(byId(key.id)), key);
      await store.write(async (tx) => {
        await tx.integrations.update({
          ...written,
          name: 'new',
          grants: [],
          disabledAtMs: 7,
          createdAtMs: 0,
        });
        await tx.credentials.update({
          ...secret,
          label: 'new',
          lastUsedAtMs: 8,
          expiresAtMs: null,
          type: 'basic-auth',
        });
        const unknown = { id: newId(), lastUsedAtMs: 9, lastUsedFrom };
        await tx.credentials.noteUses([{ id: other.id, lastUsedAtMs: 7, lastUsedFrom: null }, unknown]);
        await tx.credentials.noteUses([{ id: secret.id, lastUsedAtMs: 9, lastUsedFrom }]);
        await tx.credentials.noteUses([]);
        await tx.signingKeys.delete(key.id);
      });
      const renamed = { ...written, name: 'new', grants: [], disabledAtMs: 7 };
      assert.deepEqual((await store.integrations.all()).find(byId(written.id)), renamed);
      const relabelled = { ...secret, label: 'new', lastUsedAtMs: 9, lastUsedFrom, expiresAtMs: null };
      assert.deepEqual((await store.credentials.all()).find(byId(secret.id)), relabelled);
      assert.deepEqual(await store.credentials.find(secret.id), relabelled);
      assert.deepEqual(await store.credentials.find(other.id), { ...other, lastUsedAtMs: 7 });
      assert.equal((await store.signingKeys.all()).find(byId(key.id)), undefined);
      await store.write((tx) => tx.credentials.delete(secret.id));
      assert.equal((await store.credentials.all()).find(byId(secret.id)), undefined);
    });

    it('A4 deleting an integration takes its credentials and signals, and leaves others and items', async () => {
      const [mine, other] = [integration(), integration()];
      const published = item();
      await store.write(async (tx) => {
        for (const { id } of [mine, other]) {
          await tx.integrations.insert(integration({ id }));
          await tx.credentials.insert(credential(id));
          await tx.signals.insert([signal(id, 'x', { item: published.id })]);
        }
        await tx.items.insert([published]);
      });
      const [{ number }] = await store.signals.byInput(mine.id, ['x']);
      assert.deepEqual(await store.write((tx) => tx.integrations.deleteWithSignals(mine.id)), [number]);
      assert.deepEqual(await found(store, mine.id), []);
      assert.deepEqual(await found(store, other.id), ['x']);
      const left = (await store.credentials.all()).map((one) => one.integration);
      assert.deepEqual([left.includes(mine.id), left.includes(other.id)], [false, true]);
      assert.equal((await store.signals.ofItems([published.id])).length, 1);
      assert.deepEqual(await store.items.byId([published.id]), [published]);
      assert.deepEqual(await store.write((tx) => tx.integrations.deleteWithSignals(newId())), []);
    });

    it('R10 the signals of items come ascending by number', async () => {
      const [mine, target] = [newId(), newId()];
      const signals = ['z', 'y', 'x'].map((input) => signal(mine, input, { item: target }));
      await store.write((tx) => tx.signals.insert(signals));
      const ofItem = await store.signals.ofItems([target, newId()]);
      assert.deepEqual(
        ofItem.map(({ input }) => input),
        ['z', 'y', 'x'],
      );
      assert.deepEqual(await store.signals.ofItems([]), []);
    });

    it('Q14 items come with the numbers of their signals, ascending', async () => {
      const mine = newId();
      const [fed, idle] = [item(), item()];
      await store.write((tx) => tx.items.insert([fed, idle]));
      const inputs = ['z', 'y', 'x'].map((input) => signal(mine, input, { item: fed.id }));
      const signals = await store.write((tx) => tx.signals.insert(inputs));
      const numbers = signals.map(({ number }) => number);
      const expected = [
        { ...fed, signals: numbers },
        { ...idle, signals: [] },
      ].sort((a, b) => (a.id < b.id ? -1 : 1));
      const found = await store.items.fedById([idle.id, newId(), fed.id]);
      assert.deepEqual(
        found.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
        expected,
      );
      const values = [fed.id, idle.id];
      const filter = { op: 'in' as const, path: { field: 'id' as const }, values };
      assert.deepEqual((await store.items.selectFed(query(filter))).records, expected);
      assert.deepEqual(await store.items.fedById([]), []);
    });

    it('C1, C7 calculated items are kept with their versions, and deleted with them', async () => {
      const input = { item: newId(), alias: 'a', aggregation: 'avg', state: null, lead: 0, lag: 2 } as const;
      const calculation = { formula: 'a * "\\\\é', inputs: [input], intervalUs: 60e6, version: 1 };
      const [first, second] = [newId(), newId()].sort();
      const attributesOf = (name: string) => attributes({ name, labels: new Map([['site', [name]]]) });
      const items = [
        item({ id: second, calculation, attributes: attributesOf('second') }),
        item({ id: first, calculation, attributes: attributesOf('first') }),
        item(),
      ];
      const version = { item: first, calculation, actor: 'cli:ann', savedAtMs: 7 };
      const changed = { ...calculation, formula: 'a', version: 2 };
      await store.write(async (tx) => {
        await tx.items.insert(items);
        await tx.calculationVersions.insert(version);
        await tx.calculationVersions.insert({ ...version, calculation: changed, savedAtMs: 9 });
        await tx.calculationVersions.insert({ ...version, item: second });
        await tx.items.update([{ ...items[1], calculation: changed }]);
      });
      const after = { ...items[1], calculation: changed };
      assert.deepEqual(await store.items.calculated(), [after, items[0]]);
      assert.deepEqual(await store.items.fedById([first]), [{ ...after, signals: [] }]);
      const newest = { ...version, calculation: changed, savedAtMs: 9 };
      assert.deepEqual(await store.calculationVersions.ofItem(first), [newest, version]);
      await assert.rejects(store.write((tx) => tx.calculationVersions.insert(version)));
      await store.write((tx) => tx.calculationVersions.deleteThrough(first, 1));
      assert.deepEqual(await store.calculationVersions.ofItem(first), [newest]);
      await store.write(async (tx) => {
        await tx.items.deleteCalculated(first);
        await tx.items.deleteCalculated(items[2].id);
      });
      assert.deepEqual(await store.items.byId([first]), []);
      assert.deepEqual(await store.items.byId([items[2].id]), [items[2]]);
      assert.deepEqual(await store.calculationVersions.ofItem(first), []);
      assert.equal((await store.calculationVersions.ofItem(second)).length, 1);
      const bySite = (value: string) => query(labelled('site', value));
      assert.deepEqual((await store.items.select(bySite('first'))).records, []);
      await store.write((tx) => tx.items.deleteCalculated(second));
      assert.deepEqual(await store.items.calculated(), []);
    });

    it('a write that fails leaves nothing behind, and the next one works', async () => {
      const mine = newId();
      const failing = store.write(async (tx) => {
        await tx.signals.insert([signal(mine, 'x')]);
        assert.equal((await tx.signals.byInput(mine, ['x'])).length, 1, 'a write sees itself');
        assert.equal((await tx.signals.select(query(), mine)).records.length, 1);
        throw new Error('changed my mind');
      });
      await assert.rejects(failing, /changed my mind/);
      assert.deepEqual(await found(store, mine), []);
      await store.write((tx) => tx.signals.insert([signal(mine, 'y')]));
      assert.deepEqual(await found(store, mine), ['y']);
    });

    it('a write is not seen before it is committed', async () => {
      const mine = newId();
      let seen: unknown[] = [];
      await store.write(async (tx) => {
        await tx.signals.insert([signal(mine, 'x')]);
        seen = await found(store, mine);
      });
      assert.deepEqual(seen, []);
      assert.deepEqual(await found(store, mine), ['x']);
    });

    it('writes are serialised: no change is lost among fifty at once', async () => {
      const counter = integration({ name: '0' });
      await store.write((tx) => tx.integrations.insert(counter));
      const increment = () =>
        store.write(async (tx) => {
          const now = (await tx.integrations.all()).find(byId(counter.id));
          await tx.integrations.update({ ...counter, name: String(Number(now?.name) + 1) });
        });
      await Promise.all(Array.from({ length: 50 }, increment));
      assert.equal((await store.integrations.all()).find(byId(counter.id))?.name, '50');
    });

    it('a subscriber hears what a change was about, and of the last use of a credential nothing', async () => {
      const topics: MetaTopic[] = [];
      const unsubscribe = store.subscribe((topic) => topics.push(topic));
      const mine = integration();
      const secret = credential(mine.id);
      await store.write((tx) => tx.integrations.insert(mine));
      assert.deepEqual(topics, ['identity']);
      await store.write((tx) => tx.signals.insert([signal(mine.id, 'x')]));
      await store.write((tx) => tx.items.insert([item()]));
      assert.deepEqual(topics.splice(0), ['identity', 'signals', 'signals']);
      await store.write((tx) => tx.credentials.insert(secret));
      await store.write((tx) =>
        tx.credentials.noteUses([{ id: secret.id, lastUsedAtMs: 5, lastUsedFrom: null }]),
      );
      await store.write((tx) => tx.signals.update([]));
      await assert.rejects(
        store.write(async (tx) => {
          await tx.credentials.delete(secret.id);
          throw new Error('no');
        }),
      );
      assert.deepEqual(topics.splice(0), ['identity']);
      unsubscribe();
      await store.write((tx) => tx.integrations.deleteWithSignals(mine.id));
      assert.deepEqual(topics, []);
    });

    describe('filters and orders', () => {
      const mine = newId();
      before(() => store.write((tx) => tx.signals.insert(filteredSignals(mine))));

      for (const [title, filter, expected] of filterCases(mine)) {
        it(`R14 ${title}`, async () => {
          assert.equal((await found(store, mine, filter)).join(''), expected);
          const counted = await store.signals.select(query(filter, { limit: 0, total: true }), mine);
          assert.deepEqual(counted, { records: [], total: expected.length });
        });
      }

      for (const [sort, expected] of sortCases) {
        const title = sort.map(
          ({ path, descending }) => `${descending ? '-' : ''}${Object.values(path).join('.')}`,
        );
        it(`R13 by ${title.join(', then ') || 'ID'}`, async () => {
          const { records } = await store.signals.select(query(undefined, { sort }), mine);
          assert.equal(records.map(({ input }) => input).join(''), expected);
        });
      }

      it('R13 pages: limit, skip, and the total where it was asked for or the end was seen', async () => {
        const page = async (limit: number, skip: number, total: boolean) => {
          const selected = await store.signals.select(query(undefined, { limit, skip, total }), mine);
          return [selected.records.map(({ input }) => input).join(''), selected.total];
        };
        assert.deepEqual(await page(2, 0, false), ['ab', null]);
        assert.deepEqual(await page(2, 0, true), ['ab', 4]);
        assert.deepEqual(await page(2, 2, false), ['cd', null]);
        assert.deepEqual(await page(3, 2, false), ['cd', 4]);
        assert.deepEqual(await page(3, 9, false), ['', null]);
        assert.deepEqual(await page(3, 9, true), ['', 4]);
        assert.deepEqual(await page(0, 0, false), ['', null]);
        assert.deepEqual(await page(0, 0, true), ['', 4]);
        assert.deepEqual(await page(5, 0, false), ['abcd', 4]);
      });

      it('R14 items by their flag', async () => {
        const label = new Map([['set', [mine]]]);
        const items = [true, false].map((visible) =>
          item({ visible, attributes: attributes({ labels: label }) }),
        );
        await store.write((tx) => tx.items.insert(items));
        const flags = async (value: boolean | null) => {
          const visible: Filter = { op: 'eq', path: { field: 'visible' }, value };
          const filter: Filter = { op: 'and', filters: [visible, labelled('set', mine)] };
          return (await store.items.select(query(filter, { total: true }))).records.map((one) => one.visible);
        };
        assert.deepEqual(await flags(true), [true]);
        assert.deepEqual(await flags(false), [false]);
        assert.deepEqual(await flags(null), []);
      });

      it('R13 an aborted search ends with the reason', async () => {
        const reason = new Error('gone');
        const signal = AbortSignal.abort(reason);
        const isReason = (error: unknown) => error === reason;
        await assert.rejects(store.signals.select(query(), mine, signal), isReason);
        await assert.rejects(store.items.select(query(), signal), isReason);
      });

      it('R14 a pattern that is none is refused with its field', async () => {
        for (const pattern of ['(', '(a)\\1', '(?=a)', 'a{1001}']) {
          const filter: Filter = { op: 'regex', path: { field: 'name' }, pattern };
          await assert.rejects(
            store.signals.select(query(filter), mine),
            (error: unknown) =>
              error instanceof AppError &&
              error.kind === 'invalid-params' &&
              /RE2/.test(String(error.params?.name)),
          );
        }
      });

      it('R14 a pattern takes time in proportion to the text, whatever it is', async () => {
        const evil = newId();
        const attribute = attributes({ description: 'a'.repeat(1000) });
        await store.write((tx) => tx.signals.insert([signal(evil, 'x', { attributes: attribute })]));
        const filter: Filter = { op: 'regex', path: { field: 'description' }, pattern: '^(a+)+$|(a|a)*b' };
        assert.deepEqual(await found(store, evil, filter), ['x']);
      });
    });

    it('R9 a hundred thousand signals at once, found again by label, input and order', async () => {
      const mine = newId();
      const many = Array.from({ length: 100_000 }, (_, i) =>
        signal(mine, `many/${i}`, {
          attributes: attributes({ name: `many ${i}`, labels: new Map([['thousand', [String(i % 1000)]]]) }),
        }),
      );
      const stored = await store.write((tx) => tx.signals.insert(many));
      assert.equal(stored.length, many.length);
      const page = query(labelled('thousand', '777'), { limit: 50, total: true });
      const { records, total } = await store.signals.select(page, mine);
      assert.deepEqual([records.length, total], [50, 100]);
      assert.ok(records.every(({ input }) => input.endsWith('777')));
      const inputs = many.filter((_one, i) => i % 100 === 0).map(({ input }) => input);
      assert.equal((await store.signals.byInput(mine, inputs)).length, 1000);
      const last = await store.signals.select(
        query(undefined, { sort: [{ path: { field: 'id' }, descending: true }], limit: 1 }),
        mine,
      );
      assert.equal(last.records[0].input, 'many/99999');
    });

    it('what was written is there after closing and opening', async () => {
      const mine = integration();
      const key = { id: newId(), secret: 'cd'.repeat(32), createdAtMs: 5 };
      await store.write(async (tx) => {
        await tx.integrations.insert(mine);
        await tx.signingKeys.insert(key);
        await tx.signals.insert(filteredSignals(mine.id));
      });
      const before = await store.signals.select(query(), mine.id);
      store = await kind.reopen();
      assert.deepEqual(await store.signals.select(query(), mine.id), before);
      assert.deepEqual((await store.signingKeys.all()).find(byId(key.id)), key);
      const [next] = await store.write((tx) => tx.signals.insert([signal(mine.id, 'next')]));
      assert.ok(before.records.every(({ number }) => number < next.number));
    });
  });
}

function byId(id: string): (record: { id: string }) => boolean {
  return (record) => record.id === id;
}

function labelled(key: string, value: string): Filter {
  return { op: 'eq', path: { field: 'labels', key }, value };
}

/** The inputs of an integration's signals that a filter finds, in order of ID. */
async function found(store: MetaStore, integrationId: string, filter?: Filter): Promise<string[]> {
  return (await store.signals.select(query(filter), integrationId)).records.map(({ input }) => input);
}
