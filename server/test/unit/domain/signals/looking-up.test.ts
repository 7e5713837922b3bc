/** Who needs the same keys at the same time has them looked up once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as later } from 'node:timers/promises';
import { LookingUp } from '#domain/signals/looking-up';

/** A store of upper-case keys, and how it was asked. */
function slowStore() {
  const [kept, asked, running] = [new Map<string, string>(), [] as string[], { now: 0, most: 0 }];
  const known = (keys: readonly string[]) => () =>
    keys.every((key) => kept.has(key)) ? keys.map((key) => kept.get(key)) : null;
  const find = (keys: readonly string[]) => async () => {
    asked.push(keys.join(''));
    running.most = Math.max(running.most, ++running.now);
    await later();
    running.now--;
    for (const key of keys) kept.set(key, key.toUpperCase());
    return keys.map((key) => kept.get(key));
  };
  return { asked, running, known, find };
}

test('R9 keys that many ask for at once are looked up once, others at the same time', async () => {
  const { asked, running, known, find } = slowStore();
  const lookingUp = new LookingUp();
  const wanted = [...Array.from({ length: 20 }, () => ['a', 'b']), ['c'], ['b', 'd']];
  const found = await Promise.all(wanted.map((keys) => lookingUp.run(keys, known(keys), find(keys))));
  assert.deepEqual(
    found.map((texts) => texts.join('')),
    [...Array.from({ length: 20 }, () => 'AB'), 'C', 'BD'],
  );
  assert.deepEqual(asked, ['ab', 'c', 'bd']);
  assert.equal(running.most, 2);
});

test('R9 where looking keys up has failed, who waited tries by itself', async () => {
  const { known, find } = slowStore();
  const lookingUp = new LookingUp();
  const first = lookingUp.run(['a'], known(['a']), () => Promise.reject(new Error('down')));
  const second = lookingUp.run(['a'], known(['a']), find(['a']));
  await assert.rejects(first, /down/);
  assert.deepEqual(await second, ['A']);
});
