/** The bounded cache: the least recently used values are evicted, by their number or their size. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LruCache } from '#model/lru-cache';

it('of more values than it may hold the least recently used is evicted', () => {
  const cache = new LruCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.equal(cache.get('a'), 1);
  cache.set('c', 3);
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3]);
  assert.deepEqual([...cache.values()], [1, 3]);
});

it('looking whether a value is there does not use it', () => {
  const cache = new LruCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  assert.ok(cache.has('a'));
  cache.set('c', 3);
  assert.ok(!cache.has('a'));
});

it('sizes count, also of values that are replaced or deleted', () => {
  const cache = new LruCache<string, string>(10, ({ length }) => length);
  cache.set('a', 'xxxx');
  cache.set('b', 'xxxx');
  cache.set('a', 'xx');
  assert.equal(cache.size, 6);
  cache.set('c', 'xxxxxx');
  assert.deepEqual([...cache.values()], ['xx', 'xxxxxx']);
  cache.delete('c');
  cache.delete('c');
  assert.equal(cache.size, 2);
});

it('a value that is larger than the bound is not kept', () => {
  const cache = new LruCache<string, string>(3, ({ length }) => length);
  cache.set('a', 'x');
  cache.set('b', 'xxxx');
  assert.deepEqual([cache.size, [...cache.values()]], [0, []]);
});

it('a value is made once, until it is evicted', () => {
  const cache = new LruCache<string, number>(1);
  let made = 0;
  const take = (key: string) => cache.getOrMake(key, () => ++made);
  assert.deepEqual([take('a'), take('a'), take('b'), take('a')], [1, 1, 2, 3]);
});

it('a lower bound applies from the next value on', () => {
  const cache = new LruCache<string, number>(3);
  for (const key of ['a', 'b', 'c']) cache.set(key, 1);
  cache.sizeMax = 1;
  assert.equal(cache.size, 3);
  cache.set('d', 1);
  assert.equal(cache.size, 1);
});
