/** The life of signing keys (A1): how long an old one verifies, and which one is the newest. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byAge } from '#domain/follower';
import { type KeyMaking, overdueKeys, rotateKeys, tendKeys } from '#domain/identity/signing-keys';
import type { SigningKey } from '#storage/meta-store';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { newId } from '../../../support/resources.ts';
import { SeededRandom } from '../../../support/world.ts';

const tokenTtlS = 7200;
/** What tokens of a key last at most, and the minute in which other processes may still sign with it. */
const overdueMs = tokenTtlS * 1000 + 60_000;

function key(createdAtMs: number): SigningKey {
  return { id: newId(), secret: '00', createdAtMs };
}

test('A1 a key verifies until the last token that may have been signed with it has expired', () => {
  const [old, next] = [key(1000), key(5000)];
  const overdueAt = (nowMs: number) => overdueKeys([old, next], { nowMs, tokenTtlS });
  assert.deepEqual(
    overdueAt(5000 + tokenTtlS * 1000 + 1),
    [],
    'another process may have signed a minute later',
  );
  assert.deepEqual(overdueAt(5000 + overdueMs), []);
  assert.deepEqual(overdueAt(5000 + overdueMs + 1), [old]);
});

test('A1 the newest key is never overdue, and each older one counts from its successor', () => {
  const keys = [key(0), key(1000), key(9_000_000)];
  assert.deepEqual(overdueKeys(keys, { nowMs: 1000 + overdueMs + 1, tokenTtlS }), [keys[0]]);
  assert.deepEqual(overdueKeys(keys, { nowMs: 9_000_000 + overdueMs + 1, tokenTtlS }), keys.slice(0, 2));
  assert.deepEqual(overdueKeys([keys[0]], { nowMs: Number.MAX_SAFE_INTEGER, tokenTtlS }), []);
});

test('A1 keys made at the same millisecond, or after the clock was set back, have an order: the last one made is the newest', async () => {
  const meta = new MemoryMetaStore();
  const random = new SeededRandom();
  // IDs that descend: they do not decide.
  let id = 9;
  const making = (nowMs: number): KeyMaking => ({ nextId: () => `key${id--}`, random, nowMs, tokenTtlS });
  const made: string[] = [];
  for (const nowMs of [1_000_000, 1_000_000, 1_000_000, 500_000]) {
    const change = await meta.write((tx) =>
      made.length === 0 ? tendKeys(tx, making(nowMs)) : rotateKeys(tx, making(nowMs)),
    );
    made.push(...(change?.created ?? []));
    const keys = byAge(await meta.signingKeys.all());
    assert.deepEqual(
      keys.map((one) => one.id),
      made,
    );
  }
  const times = (await meta.signingKeys.all()).map(({ createdAtMs }) => createdAtMs);
  assert.equal(new Set(times).size, times.length);
});
