/** How many messages of the connections of one integration are read at one time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MessageShare, MessagesUnderWay } from '#transport/mqtt/under-way';

/** Two connections of one integration, and how often each was told to go on. */
function pair(underWay: MessagesUnderWay) {
  const goneOn = [0, 0];
  const join = (at: number) => underWay.join('a', () => goneOn[at]++);
  return { goneOn, shares: [join(0), join(1)] as const };
}

/** Adds messages until no more may be read; how many. */
function fill(share: MessageShare): number {
  let count = 0;
  for (; !share.mustWait(); count++) share.add(1);
  return count;
}

test('M3a the connections of an integration wait for each other, and go on together when half is done', () => {
  const underWay = new MessagesUnderWay();
  const { goneOn, shares } = pair(underWay);
  const count = fill(shares[0]);
  assert.ok(count > 100 && shares[1].mustWait());
  assert.equal(underWay.join('b', () => {}).mustWait(), false, 'others are not concerned');
  for (let i = 1; i < count / 2; i++) shares[0].add(-1);
  assert.deepEqual(goneOn, [0, 0]);
  shares[0].add(-1);
  assert.deepEqual(goneOn, [1, 1]);
  shares[0].add(-1);
  assert.deepEqual(goneOn, [1, 1], 'once');
});

test('M3a what a connection that ends has under way is not counted any more', () => {
  const { goneOn, shares } = pair(new MessagesUnderWay());
  fill(shares[0]);
  assert.ok(shares[1].mustWait());
  shares[0].leave();
  assert.deepEqual(goneOn, [0, 1]);
  assert.equal(shares[1].mustWait(), false);
});
