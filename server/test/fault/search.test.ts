/** Searches with the most that a filter may ask for: they end when they are cancelled, and count what they look at. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Filter } from '#model/filter';
import { limitDefaults } from '#model/limits';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import { attributes, integration, query, signal } from '../support/resources.ts';
import { silentLog as log } from '../support/world.ts';

const signalCount = 3000;
const limits = { ...limitDefaults, patternWorkMax: 50_000_000 };

/** Matches nothing, and an automaton has a state for nearly every character of what it looks at. */
const hostile: Filter = { op: 'regex', path: { field: 'description' }, pattern: 'a[ab]{300}[!?]' };

describe('searches with patterns', () => {
  let directory: string;
  let store: SqliteStore;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tidemark-search-'));
    store = await openSqlite({
      directory,
      clock: { nowUs: () => 0 },
      log,
      limits,
      serving: true,
      readerCount: 1,
    });
    const owner = integration();
    const description = Array.from({ length: 1000 }, (_, i) => ((i * 7919) % 101 < 50 ? 'a' : 'b')).join('');
    const signals = Array.from({ length: signalCount }, (_, i) =>
      signal(owner.id, `input${i}`, { attributes: attributes({ name: `Pump ${i}`, description }) }),
    );
    await store.meta.write(async (tx) => {
      await tx.integrations.insert(owner);
      await tx.signals.insert(signals);
    });
  });
  after(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  it('R14b a query that looks at too much text ends with an error that says so', async () => {
    await assert.rejects(store.meta.signals.select(query(hostile), null), {
      kind: 'invalid-params',
      message: /would look at too much text: .* 50000000 in all/,
    });
  });

  it('R14b the same holds inside a write, of which nothing stays', async () => {
    const work = store.meta.write(async (tx) => {
      await tx.preferences.save('name', 'changed');
      await tx.signals.select(query(hostile), null);
    });
    await assert.rejects(work, { kind: 'invalid-params' });
    assert.equal((await store.meta.preferences.all()).get('name'), undefined);
  });

  it('R14b cancelled searches leave the thread to others, and reads without patterns wait for none', async () => {
    const gone = new AbortController();
    const searches = Array.from({ length: 40 }, () =>
      store.meta.signals.select(query(hostile), null, gone.signal),
    );
    const ended = Promise.allSettled(searches);
    const plain = await store.meta.signals.select(query(undefined, { limit: 5, total: true }), null);
    assert.equal(plain.total, signalCount);
    gone.abort(new Error('gone'));
    for (const answer of await ended) assert.equal(answer.status, 'rejected');
    const named: Filter = { op: 'regex', path: { field: 'name' }, pattern: '^Pump 299\\d$' };
    const { records } = await store.meta.signals.select(query(named), null);
    assert.equal(records.length, 10);
  });

  it('R14 a page of a sorted search is the same whether it is read at once or in steps', async () => {
    const sort = [{ path: { field: 'name' as const }, descending: true }];
    const any: Filter = { op: 'regex', path: { field: 'name' }, pattern: '' };
    const changes = { sort, limit: 7, skip: 1234, total: true };
    const inSteps = await store.meta.signals.select(query(any, changes), null);
    assert.deepEqual(inSteps, await store.meta.signals.select(query(undefined, changes), null));
    assert.equal(inSteps.total, signalCount);
  });
});
