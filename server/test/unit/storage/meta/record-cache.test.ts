/** Records of rows that were read before: the same object while the row is the same, another one after any change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordCache } from '#storage/meta/record-cache';

const row = { id: 'a', name: 'Pump', labels: '{"site":["north"]}', item: null, created_at_ms: 7 };
const parse = (given: typeof row) => ({ ...given });

test('R5 an unchanged row gives the same record, and each changed column another one', () => {
  const cache = new RecordCache();
  const first = cache.recordOf('signal', { ...row }, parse);
  assert.equal(cache.recordOf('signal', { ...row }, parse), first);
  const changes = [{ name: 'Fan' }, { labels: '{}' }, { item: 'b' }, { created_at_ms: 8 }] as const;
  for (const change of changes) {
    const changed = { ...row, ...change } as typeof row;
    assert.deepEqual(cache.recordOf('signal', changed, parse), changed);
  }
});

test('rows of other tables and other IDs are others', () => {
  const cache = new RecordCache();
  const first = cache.recordOf('signal', row, parse);
  assert.notEqual(cache.recordOf('item', row, parse), first);
  assert.equal(cache.recordOf('signal', { ...row, id: 'b' }, parse).id, 'b');
});
