/** The cache of signals by input key, and by list of keys. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { NumberCache } from '#domain/signals/number-cache';

function filled(entriesMax: number): NumberCache {
  const cache = new NumberCache(entriesMax);
  for (const integration of ['i', 'j']) {
    for (const [k, input] of ['a', 'b', 'c'].entries()) {
      cache.remember(integration, input, { id: `${integration}${input}`, number: k + 1 });
    }
  }
  return cache;
}

test('R9 keys are found in the order asked for, of the integration that asks, all or none', () => {
  const cache = filled(100);
  assert.deepEqual(
    cache.find('i', ['c', 'a'])?.map(({ id }) => id),
    ['ic', 'ia'],
  );
  assert.equal(cache.find('i', ['a', 'x']), null);
  assert.equal(cache.find('k', ['a']), null);
});

test('R9 the same list gives the same answer, for each integration its own', () => {
  const cache = filled(100);
  const inputs = ['a', 'b'];
  const first = cache.find('i', inputs);
  assert.equal(cache.find('i', inputs), first);
  assert.deepEqual(
    cache.find('j', inputs)?.map(({ id }) => id),
    ['ja', 'jb'],
  );
  assert.deepEqual(
    cache.find('i', inputs)?.map(({ id }) => id),
    ['ia', 'ib'],
  );
});

test('R9 what a deleted integration had is forgotten, lists too', () => {
  const cache = filled(100);
  const inputs = ['a', 'b'];
  assert.notEqual(cache.find('i', inputs), null);
  assert.notEqual(cache.find('j', inputs), null);
  cache.keepOnly(new Set(['j']));
  assert.equal(cache.find('i', inputs), null);
  assert.notEqual(cache.find('j', inputs), null);
});

test('R9 a list that was not found is looked for again', () => {
  const cache = filled(100);
  const inputs = ['a', 'x'];
  assert.equal(cache.find('i', inputs), null);
  cache.remember('i', 'x', { id: 'ix', number: 9 });
  assert.deepEqual(
    cache.find('i', inputs)?.map(({ number }) => number),
    [1, 9],
  );
});

test('R9 keys that were not used while many others came are forgotten', () => {
  const cache = new NumberCache(4);
  for (const [k, input] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
    cache.remember('i', input, { id: input, number: k + 1 });
  }
  assert.equal(cache.find('i', ['a']), null);
  assert.notEqual(cache.find('i', ['f']), null);
});
