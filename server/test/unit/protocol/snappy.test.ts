/** Blocks of snappy: what they announce, and whether they are complete. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAtOnce, runSteps } from '#model/steps';
import { announcedBytes, decompress, isComplete } from '#protocol/remote-write/snappy';

/** A block that announces `bytes`, with these elements. */
function block(bytes: number, ...elements: number[][]): Buffer {
  const header: number[] = [];
  let rest = bytes;
  for (; rest > 127; rest = Math.floor(rest / 128)) header.push((rest % 128) | 128);
  return Buffer.from([...header, rest, ...elements.flat()]);
}

const complete = (bytes: Buffer) => runSteps(isComplete(bytes), runAtOnce);

/** The literal "ab", and copies of two bytes each from two bytes before. */
const ab = [1 << 2, 97, 98];
const copy64 = [(63 << 2) | 2, 2, 0];

test('I3 a block is decompressed when its elements make up what it announces', async () => {
  const good = block(66, ab, copy64);
  assert.equal(announcedBytes(good), 66);
  assert.equal(await complete(good), true);
  assert.equal(decompress(good, 66)?.toString(), 'ab'.repeat(33));

  for (const bytes of [65, 67, 2]) assert.equal(await complete(block(bytes, ab, copy64)), false, `${bytes}`);
  assert.equal(await complete(good.subarray(0, 5)), false, 'cut off');
  assert.equal(decompress(block(66, copy64, ab), 66), null, 'a copy of what is not there');
});

test('E3 a block that is longer than any compressor makes it is refused by its header', async () => {
  const singles = (count: number) => block(count, ...Array.from({ length: count }, () => [0, 10]));
  assert.equal(announcedBytes(singles(30)), 30);
  assert.equal(announcedBytes(singles(100_000)), null);
  assert.equal(announcedBytes(Buffer.from([])), null);
  assert.equal(announcedBytes(Buffer.alloc(6, 0xff)), null);
});

test('a large block is read in several steps', async () => {
  const count = 400_000;
  const large = Buffer.concat([block(2 + count * 64, ab), Buffer.alloc(count * 3, Buffer.from(copy64))]);
  let steps = 0;
  const isValid = await runSteps(isComplete(large), async (step) => {
    steps++;
    return step();
  });
  assert.ok(isValid);
  assert.ok(steps > 1);
  assert.equal(await complete(large.subarray(0, -1)), false);
});
