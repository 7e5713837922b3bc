/** Blocks in ClickHouse's Native format: columns that are copied have the same bytes as values that are written one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockMemory, BlockWriter, timeWordsOf, versionOf } from '#storage/clickhouse/native-writer';

test('a column that is copied is the same as its values one by one', () => {
  const timesUs = Float64Array.from({ length: 40 }, (_, i) => (i - 20) * 2 ** 47 - i);
  const values = Float64Array.from(timesUs, (time) => time / 3);
  const [signal, version] = [2 ** 52 + 5, versionOf(2 ** 41 + 4097, 77)];
  const [whole, single] = [new BlockWriter(100), new BlockWriter(100)];
  for (const writer of [whole, single])
    writer.add(1, timeWordsOf(timesUs.subarray(0, 1)), values, 0, version);
  whole.add(signal, timeWordsOf(timesUs), values, 0, version);
  for (let i = 0; i < 40; i++)
    single.add(signal, timeWordsOf(timesUs.subarray(i, i + 1)), values, i, version);
  assert.equal(whole.space, 59);
  assert.deepEqual(Buffer.concat(whole.finish()), Buffer.concat(single.finish()));
});

test('a value that is NaN is left out of a long column', () => {
  const values = Float64Array.from({ length: 40 }, (_, i) => (i === 7 ? Number.NaN : i));
  const writer = new BlockWriter(100);
  writer.add(1, timeWordsOf(values.map((_, i) => i)), values, 0, versionOf(1, 0));
  assert.equal(writer.space, 61);
});

test('the memory of blocks is used again after an insert that has ended, and not after one that has failed', () => {
  const memory = new BlockMemory();
  memory.begin();
  const failed = [memory.take(), memory.take()];
  memory.begin();
  const sent = [memory.take(), memory.take()];
  assert.equal(new Set([...failed, ...sent]).size, 4);
  memory.end();
  memory.begin();
  assert.deepEqual(new Set([memory.take(), memory.take()]), new Set(sent));
  assert.equal([...failed, ...sent].includes(memory.take()), false);
});

test('a block in memory that was used before has the same bytes as one in new memory', () => {
  const used = new BlockMemory().take();
  new Uint8Array(used).fill(255);
  const values = Float64Array.from({ length: 40 }, (_, i) => i / 3);
  const [again, first] = [new BlockWriter(50, used), new BlockWriter(50)];
  for (const writer of [again, first]) writer.add(7, timeWordsOf(values), values, 0, versionOf(3, 1));
  assert.deepEqual(Buffer.concat(again.finish()), Buffer.concat(first.finish()));
});
