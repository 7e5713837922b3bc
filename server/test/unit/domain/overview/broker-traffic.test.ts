/** Messages of the last minute, and those of all threads and nodes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BrokerTraffic } from '#domain/overview/broker-traffic';
import { MinuteCount } from '#domain/overview/minute-count';
import { FirstMember } from '#threads/members';
import { nodeGroup } from '#threads/node-group';
import { FixedClock } from '../../../support/world.ts';

test('M4d what has happened is counted for a minute', () => {
  const count = new MinuteCount();
  for (const ms of [0, 4_999, 5_000, 30_000]) count.add(ms);
  assert.deepEqual([count.sum(30_000), count.sum(59_999), count.sum(60_000)], [4, 4, 2]);
  assert.equal(count.sum(65_000), 1);
  count.add(600_000);
  assert.equal(count.sum(600_000), 1);
  assert.equal(count.sum(10 * 600_000), 0);
});

test('M4d the figures are sums over nodes; those that do not answer are named', async () => {
  const stopwatch = new FixedClock();
  const members = [new FirstMember(), new FirstMember(), new FirstMember()];
  const facts = (id: string) => ({ id, version: '', startedAtMs: 0, silentMs: 0, delayMs: 0 });
  const nodes = nodeGroup('a', async (question, detail) => [
    ...(await Promise.all(
      members.map(async (member, i) => ({ ...facts(`${i}`), answers: await member.ask(question, detail) })),
    )),
    { ...facts('gone'), answers: null },
  ]);
  const [first, second, alone] = members.map(
    (member) => new BrokerTraffic({ stopwatch, coordination: { members: member, nodes } }),
  );
  const silent = new Set<string>();
  assert.equal(await alone.of('plant', silent), null);
  assert.deepEqual([...silent], ['gone']);
  first.begin('own');
  second.begin('own');
  const disconnect = first.connect('plant');
  second.connect('plant');
  second.connect('other');
  first.note('plant', 'received');
  second.note('plant', 'received');
  second.note('plant', 'rejected');
  second.note('other', 'delivered');
  assert.deepEqual(await alone.of('plant'), { connections: 2, received: 2, rejected: 1, delivered: 0 });
  disconnect();
  assert.equal((await alone.of('plant'))?.connections, 1);
  await alone.forget('plant');
  first.note('plant', 'received');
  assert.deepEqual(await alone.of('plant'), { connections: 0, received: 0, rejected: 0, delivered: 0 });
  alone.begin('other');
  alone.noteForeign('plant', true);
  assert.deepEqual(await alone.of('plant'), { connections: 0, received: 1, rejected: 1, delivered: 0 });
  assert.equal((await first.of('new'))?.connections, 0, 'a node that has a broker of its own knows');
});
