/** What the broker does with bytes and values before any call is made. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PacketFrames } from '#transport/mqtt/packet-frames';
import { parseItemTopic, parsePublishTopic } from '#transport/mqtt/topics';
import { ArrivalTimes, firstFrame } from '#transport/mqtt/value-frames';

/** The bytes of a packet of this kind and length. */
function packet(kind: number, length: number): Buffer {
  const head = [kind << 4];
  let rest = length;
  do {
    head.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from(head), Buffer.alloc(length, 0xff)]);
}

test('M1 packets are found wherever the bytes are cut', () => {
  const packets = fc.array(fc.tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: 0, max: 20_000 })), {
    maxLength: 10,
  });
  const property = fc.property(packets, fc.integer({ min: 1, max: 5000 }), (list, size) => {
    const bytes = Buffer.concat(list.map(([kind, length]) => packet(kind, length)));
    const found: [number, number][] = [];
    const frames = new PacketFrames((kind, length) => found.push([kind, length]));
    for (let at = 0; at < bytes.length; at += size) frames.feed(bytes.subarray(at, at + size), 1000);
    assert.deepEqual(found, list);
    assert.equal(frames.isWithin, false);
  });
  fc.assert(property, { numRuns: 50 });
});

test('M2 what follows the head of a large packet is found by itself, wherever the bytes are cut', () => {
  const packets = fc.array(fc.integer({ min: 0, max: 6000 }), { maxLength: 10 });
  const property = fc.property(packets, fc.integer({ min: 1, max: 5000 }), (lengths, size) => {
    const bytes = Buffer.concat(lengths.map((length) => packet(3, length)));
    const frames = new PacketFrames(() => {}, 3000);
    const large: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      const { largeBytes } = frames;
      const end = at + frames.feed(bytes.subarray(at, at + size), 1000);
      assert.ok(end > at);
      const slice = bytes.subarray(at, end);
      if (largeBytes > 0) large.push(slice.length);
      // Heads have no byte 0xff, and small packets end in this slice or go on in another one.
      assert.equal(largeBytes > 0 && !slice.every((byte) => byte === 0xff), false);
      at = end;
    }
    const expected = lengths.filter((length) => length >= 3000).reduce((sum, length) => sum + length, 0);
    assert.equal(
      large.reduce((sum, length) => sum + length, 0),
      expected,
    );
  });
  fc.assert(property, { numRuns: 100 });
});

test('M1 a length of more than four bytes is malformed', () => {
  const frames = new PacketFrames(() => {});
  assert.throws(() => frames.feed(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff]), 1), /malformed/);
});

test('M2 topics with and without the integration; an input key may hold slashes', () => {
  const input = (topic: string) => parsePublishTopic(topic, 'own')?.input;
  assert.equal(input('value/a'), 'a');
  assert.equal(input('value/a/b/c'), 'a/b/c');
  assert.equal(input('other/value/value/a'), 'value/a');
  assert.equal(parsePublishTopic('other/value/a', 'own')?.integration, 'other');
  assert.equal(input('dataframe'), null);
  for (const topic of ['value', 'own/value', 'dataframe/x', 'own/dataframe/x', 'constructor', '/', ''])
    assert.equal(parsePublishTopic(topic, 'own'), null, topic);
  assert.deepEqual(parseItemTopic('items/x/frame'), { item: 'x', isFrame: true });
  for (const topic of ['items/', 'items/+', 'items/x/y', 'items/#'])
    assert.equal(parseItemTopic(topic), null, topic);
});

test('M2 M2a values become a frame of bounded size; those that arrive together have different times', () => {
  const arrivals = new ArrivalTimes();
  arrivals.begin(100);
  assert.deepEqual([arrivals.next('a'), arrivals.next('b'), arrivals.next('a')], [100, 100, 101]);
  arrivals.begin(100);
  assert.equal(arrivals.next('a'), 102, 'the clock has not moved on');
  const messages = Array.from({ length: 1000 }, (_, i) => {
    return { input: `k${i}`, values: [{ timeUs: i, value: i }] };
  });
  let frames = 0;
  for (let from = 0; from < messages.length; frames++) {
    const { columns, count } = firstFrame(messages, from, messages.length);
    assert.ok(columns.values.length <= 16_384);
    assert.equal(columns.pointCount, count);
    from += count;
  }
  assert.ok(frames > 1);
  const again = [{ input: 'a', values: [1, 2].map((value) => ({ timeUs: 5, value })) }];
  assert.deepEqual([...firstFrame(again, 0, 1).columns.values], [2], 'the later value for a time wins');
});
