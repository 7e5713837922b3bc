/** What every MetaStore promises about people, sessions and preferences (storage/meta-store.ts), as one suite for all of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Person, Session } from '#model/person';
import type { SavedView } from '#model/saved-view';
import type { MetaStore, MetaTopic } from '#storage/meta-store';
import { newId } from '../support/resources.ts';
import { openForSuite, type UnderTest } from './under-test.ts';

function person(changes: Partial<Person> = {}): Person {
  return {
    id: newId(),
    name: `O'Neil "é" 🐴`,
    role: 'viewer',
    passwordHash: 'scrypt$4$8$1$x$y',
    createdAtMs: 1000,
    updatedAtMs: 1000,
    ...changes,
  };
}

function session(of: string, changes: Partial<Session> = {}): Session {
  return {
    id: newId(),
    person: of,
    tokenSha256: '0f'.repeat(32),
    createdAtMs: 2000,
    usedAtMs: 2000,
    expiresAtMs: 2 ** 45,
    address: '2001:db8::1',
    userAgent: 'browser; "quoted"',
    ...changes,
  };
}

/** Declares the suite for one kind of store. */
export function metaPeopleContract(name: string, underTest: () => UnderTest<MetaStore>): void {
  describe(`MetaStore contract, people: ${name}`, () => {
    let store: MetaStore;
    const kind = openForSuite(underTest(), (opened) => {
      store = opened;
    });

    const personOf = async (id: string) => (await store.people.all()).find((one) => one.id === id);
    const sessionsOf = async (id: string) => (await store.sessions.all()).filter((one) => one.person === id);

    it('people are read back as they were written and changed', async () => {
      const written = person();
      await store.write((tx) => tx.people.insert(written));
      assert.deepEqual(await personOf(written.id), written);
      const changed: Person = {
        ...written,
        name: 'New',
        role: 'admin',
        passwordHash: 'other',
        updatedAtMs: 9,
      };
      await store.write((tx) => tx.people.update({ ...changed, createdAtMs: 77 }));
      assert.deepEqual(await personOf(written.id), changed);
      await store.write((tx) => tx.people.update(person({ id: newId() })));
      assert.equal((await store.people.all()).filter(({ name: of }) => of === written.name).length, 0);
    });

    it('of a session only the last use changes', async () => {
      const written = session(newId());
      await store.write((tx) => tx.sessions.insert(written));
      await store.write((tx) =>
        tx.sessions.update({ ...written, usedAtMs: 5000, person: newId(), expiresAtMs: 1 }),
      );
      assert.deepEqual(await sessionsOf(written.person), [{ ...written, usedAtMs: 5000 }]);
      await store.write((tx) => tx.sessions.delete(written.id));
      assert.deepEqual(await sessionsOf(written.person), []);
    });

    it('who is deleted goes with all sessions, and others stay', async () => {
      const [mine, other] = [person(), person()];
      await store.write(async (tx) => {
        for (const one of [mine, other]) {
          await tx.people.insert(one);
          await tx.sessions.insert(session(one.id));
          await tx.sessions.insert(session(one.id));
        }
      });
      await store.write((tx) => tx.people.delete(mine.id));
      assert.equal(await personOf(mine.id), undefined);
      assert.deepEqual([(await sessionsOf(mine.id)).length, (await sessionsOf(other.id)).length], [0, 2]);
    });

    it('a saved view is read back as it was saved, replaced and deleted', async () => {
      const view: SavedView = {
        id: newId(),
        name: `Ada's "view"`,
        query: 'items=a%20b&from=-P1D',
        owner: newId(),
        createdAtMs: 1000,
        updatedAtMs: 2000,
      };
      const find = async () => (await store.savedViews.all()).filter(({ id }) => id === view.id);
      await store.write((tx) => tx.savedViews.save(view));
      assert.deepEqual(await find(), [view]);
      const changed = { ...view, name: 'Other', query: '', updatedAtMs: 3000 };
      await store.write((tx) => tx.savedViews.save({ ...changed, owner: newId(), createdAtMs: 7 }));
      assert.deepEqual(await find(), [changed]);
      await store.write((tx) => tx.savedViews.delete(view.id));
      assert.deepEqual(await find(), []);
    });

    it('records are found by their key, before and after a change', async () => {
      const [one, other] = [person(), person()];
      await store.write(async (tx) => {
        await tx.people.insert(one);
        assert.deepEqual(await tx.people.find(one.id), one);
        await tx.people.insert(other);
      });
      assert.deepEqual(await store.people.find(other.id), other);
      assert.equal(await store.people.find(newId()), undefined);
      await store.write((tx) => tx.people.delete(one.id));
      assert.equal(await store.people.find(one.id), undefined);
    });

    it('a preference is replaced, and others stay', async () => {
      await store.write((tx) => tx.preferences.save('a.name', 'one'));
      await store.write((tx) => tx.preferences.save('b.name', ''));
      await store.write((tx) => tx.preferences.save('a.name', `it's "two"`));
      const kept = await store.preferences.all();
      assert.deepEqual([kept.get('a.name'), kept.get('b.name')], [`it's "two"`, '']);
    });

    it('a subscriber hears of people, sessions and preferences, and of the use of a session nothing', async () => {
      const topics: MetaTopic[] = [];
      const unsubscribe = store.subscribe((topic) => topics.push(topic));
      const mine = person();
      const open = session(mine.id);
      await store.write((tx) => tx.people.insert(mine));
      await store.write((tx) => tx.sessions.insert(open));
      await store.write((tx) => tx.preferences.save('c', 'd'));
      await store.write((tx) => tx.sessions.update({ ...open, usedAtMs: 7 }));
      await store.write((tx) => tx.people.delete(mine.id));
      unsubscribe();
      assert.deepEqual(topics, ['people', 'people', 'people', 'people']);
    });

    it('a write that fails leaves neither person nor session behind', async () => {
      const mine = person();
      const failing = store.write(async (tx) => {
        await tx.people.insert(mine);
        await tx.sessions.insert(session(mine.id));
        assert.equal(
          (await tx.people.all()).some(({ id }) => id === mine.id),
          true,
          'a write sees itself',
        );
        throw new Error('changed my mind');
      });
      await assert.rejects(failing, /changed my mind/);
      assert.equal(await personOf(mine.id), undefined);
      assert.deepEqual(await sessionsOf(mine.id), []);
    });

    it('what was written is there when the store is opened again', async () => {
      const mine = person();
      await store.write(async (tx) => {
        await tx.people.insert(mine);
        await tx.sessions.insert(session(mine.id));
        await tx.preferences.save('kept', 'yes');
      });
      store = await kind.reopen();
      assert.deepEqual(await personOf(mine.id), mine);
      assert.equal((await sessionsOf(mine.id)).length, 1);
      assert.equal((await store.preferences.all()).get('kept'), 'yes');
    });
  });
}
