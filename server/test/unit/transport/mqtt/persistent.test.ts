/** The parts of persistent sessions that are pure: filters, packets, and what is on its way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesFilter } from '#transport/mqtt/persistent/filter';
import { parseMessages, printMessages } from '#transport/mqtt/persistent/message';
import { Outbox, OutboxEnded } from '#transport/mqtt/persistent/outbox';

test('M3c filters match as MQTT says', () => {
  const matching = ['a/b', 'a/+', '+/b', 'a/#', '#', '+/+', 'a/b/#'];
  for (const filter of matching) assert.ok(matchesFilter(filter, 'a/b'), filter);
  const others = ['a', 'a/b/c', 'a/b/+', '+', 'b/#', 'A/b', 'a/', '/a/b'];
  for (const filter of others) assert.ok(!matchesFilter(filter, 'a/b'), filter);
  assert.ok(matchesFilter('a/+/c', 'a//c'));
});

test('M3c messages are stored and read back byte for byte', () => {
  const payloads = ['21.5', '', 'ü\u0000', '"\\'].map((text) => Buffer.from(text));
  const messages = [...payloads, Buffer.from([0xff, 0x00, 0x1f, 0x8b])].map((payload) => {
    return { topic: 'x/ä', payload };
  });
  assert.deepEqual(parseMessages(printMessages(messages)), messages);
});

test('M3c a hundred messages are on their way, each further one when an earlier one is acknowledged', async () => {
  const packets: Buffer[] = [];
  const outbox = new Outbox({ write: (bytes) => packets.push(bytes) });
  const message = (n: number) => ({ topic: 't', payload: Buffer.from(String(n)) });
  const sending = Array.from({ length: 250 }, (_, i) => outbox.send(message(i), { dup: i === 0 }));
  assert.equal(packets.length, 100);
  assert.deepEqual(packets[0], Buffer.from('3a0600017400' + '0130', 'hex'));
  for (let id = 1; id <= 250; id++) outbox.acknowledge(id);
  await Promise.all(sending);
  assert.deepEqual(
    packets.map((packet) => packet.subarray(7).toString()),
    Array.from({ length: 250 }, (_, i) => String(i)),
  );
  const ending = outbox.send(message(1));
  outbox.acknowledge(9999);
  outbox.end();
  await assert.rejects(ending, OutboxEnded);
  await assert.rejects(outbox.send(message(2)), OutboxEnded);
});

test('M3c a message that is larger than what may be on the way goes alone', () => {
  let count = 0;
  const outbox = new Outbox({ write: () => count++ });
  const large = { topic: 't', payload: Buffer.alloc(1024 * 1024) };
  void outbox.send(large);
  void outbox.send(large);
  assert.equal(count, 1);
  outbox.acknowledge(1);
  assert.equal(count, 1 + 1);
});
