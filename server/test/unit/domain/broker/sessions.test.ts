/** What the broker stores of its sessions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrokerSessions } from '#domain/broker/sessions';
import type { BrokerSession } from '#model/broker-session';
import type { MetaPart } from '#storage/meta-store';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';

function session(id: string, owner: string): BrokerSession {
  return { id, integration: 'plant', owner, filters: [], place: null, leftAtMs: null };
}

function message(id: string, lastSeq: number) {
  return { session: id, lastSeq, count: 1, bytes: 1, messages: 'x' };
}

/** Runs each transaction twice and keeps the second time, as a store may that others have disturbed. */
function repeating(meta: MemoryMetaStore): MetaPart<'brokerSessions'> {
  return {
    brokerSessions: meta.brokerSessions,
    subscribe: (listener) => meta.subscribe(listener),
    revision: (topic) => meta.revision(topic),
    refresh: () => meta.refresh(),
    write: async (work) => {
      const undone = new Error('undone');
      const first = meta.write(async (tx) => {
        await work(tx);
        throw undone;
      });
      await assert.rejects(first, undone);
      return meta.write(work);
    },
  };
}

test('M3c changes of sessions are stored whole also when their transaction runs twice', async () => {
  const meta = new MemoryMetaStore();
  const sessions = new BrokerSessions(repeating(meta));
  const map = new Map([session('a', 'me'), session('b', 'me')].map((one) => [one.id, one]));
  const none = { saved: [], deleted: [], appended: [], forgotten: new Map() };
  assert.deepEqual(await sessions.change('me', { ...none, saved: map.values() }), new Set());
  assert.deepEqual((await sessions.all()).sessions.map(({ id }) => id).sort(), ['a', 'b']);
  const gone = await sessions.change('me', {
    ...none,
    deleted: map.keys().take(1),
    appended: [message('a', 1)],
  });
  assert.deepEqual(gone, new Set(['a']), 'nothing is queued for a session that was deleted');
  assert.deepEqual(
    (await sessions.all()).sessions.map(({ id }) => id),
    ['b'],
  );
});

test('M3c messages are queued for sessions that the broker has, those it saves just now among them', async () => {
  const meta = new MemoryMetaStore();
  const sessions = new BrokerSessions(meta);
  await meta.write((tx) => tx.brokerSessions.save(session('theirs', 'other')));
  const appended = ['new', 'theirs', 'unknown'].map((id) => message(id, 1));
  const changes = { saved: [session('new', 'me')], deleted: [], appended, forgotten: new Map() };
  assert.deepEqual(await sessions.change('me', changes), new Set(['theirs', 'unknown']));
  assert.equal((await sessions.queued('new', 0, 10)).length, 1);
  assert.equal((await sessions.queued('theirs', 0, 10)).length, 0);
});
