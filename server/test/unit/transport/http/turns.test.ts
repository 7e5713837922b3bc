/** Turns of large bodies: integrations alternate, and a round is short. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from '#transport/http/turns';

const mebibyte = 1024 * 1024;

test('E3 however many large bodies of one integration wait, the body of another is next but one', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const take = (who: string) => turns.take(who, mebibyte).then(() => order.push(who));
  const all = [...Array.from({ length: 8 }, () => take('flood')), take('calm')];
  await Promise.all(all);
  assert.deepEqual(order.slice(0, 3), ['flood', 'calm', 'flood']);
  assert.equal(order.length, 9);
});

test('E3 between two rounds of half a mebibyte the event loop goes on', async () => {
  const turns = new Turns();
  let started = 0;
  const all = Array.from({ length: 8 }, () => turns.take('a', 256 * 1024).then(() => started++));
  const seen: number[] = [];
  for (let i = 0; i < 4; i++) {
    await nextTurn();
    seen.push(started);
  }
  await Promise.all(all);
  assert.ok(
    seen.every((count, i) => count <= 2 * (i + 1)),
    seen.join(),
  );
});
