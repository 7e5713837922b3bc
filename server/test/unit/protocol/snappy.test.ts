/** Blocks of snappy: what they announce, and what they decompress to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAtOnce, runSteps } from '#model/steps';
import { announcedBytes, decompressed } from '#protocol/remote-write/snappy';

/** A block that announces `bytes`, with these elements. */
function block(bytes: number, ...elements: number[][]): Buffer {
  const header: number[] = [];
  let rest = bytes;
  for (; rest > 127; rest = Math.floor(rest / 128)) header.push((rest % 128) | 128);
  return Buffer.from([...header, rest, ...elements.flat()]);
}

/** What a block decompresses to; null when it is not valid. */
const plainOf = async (bytes: Buffer) => {
  const plain = await runSteps(decompressed(bytes, announcedBytes(bytes) ?? 0), runAtOnce);
  return plain?.toString() ?? null;
};

/** The literal "ab", and copies of two bytes each from two bytes before. */
const ab = [1 << 2, 97, 98];
const copy64 = [(63 << 2) | 2, 2, 0];

test('I3 a block is decompressed when its elements make up what it announces', async () => {
  const good = block(66, ab, copy64);
  assert.equal(announcedBytes(good), 66);
  assert.equal(await plainOf(good), 'ab'.repeat(33));

  for (const bytes of [65, 67, 2]) assert.equal(await plainOf(block(bytes, ab, copy64)), null, `${bytes}`);
  for (const cut of [3, 4, 5]) assert.equal(await plainOf(good.subarray(0, cut)), null, `cut off at ${cut}`);
  assert.equal(await plainOf(block(66, copy64, ab)), null, 'a copy of what is not there');
  assert.equal(await plainOf(block(66, ab, [(63 << 2) | 2, 0, 0])), null, 'a copy of itself');
});

test('I3 elements of every form are decompressed', async () => {
  const text = 'x'.repeat(99);
  const long = [60 << 2, text.length - 1, ...Buffer.from(text)];
  const wide = [61 << 2, text.length - 1, 0, ...Buffer.from(text)];
  const near = [1, 2]; // four bytes from two before
  const far = [(9 << 2) | 3, 100, 0, 0, 0]; // ten bytes from a hundred before
  assert.equal(await plainOf(block(101, ab, long)), `ab${text}`);
  assert.equal(await plainOf(block(101, ab, wide)), `ab${text}`);
  assert.equal(await plainOf(block(6, ab, near)), 'ababab');
  assert.equal(await plainOf(block(111, ab, long, far)), `ab${text}bxxxxxxxxx`);
});

test('E3 a block that is longer than any compressor makes it is refused by its header', async () => {
  const singles = (count: number) => block(count, ...Array.from({ length: count }, () => [0, 10]));
  assert.equal(announcedBytes(singles(30)), 30);
  assert.equal(announcedBytes(singles(100_000)), null);
  assert.equal(announcedBytes(Buffer.from([])), null);
  assert.equal(announcedBytes(Buffer.alloc(6, 0xff)), null);
});

/** Runs the decompression of a block, and counts its steps. */
async function counted(bytes: Buffer) {
  let steps = 0;
  const plain = await runSteps(decompressed(bytes, announcedBytes(bytes) ?? 0), async (step) => {
    steps++;
    return step(() => false);
  });
  return { plain, steps };
}

test('a long literal is copied in several steps, and nothing of what follows is lost', async () => {
  const literal = Buffer.alloc(4 * 1024 * 1024, 'a literal that repeats');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(literal.length - 1);
  const large = Buffer.concat([
    block(2 * literal.length + 4),
    ...[Buffer.of(63 << 2), length, literal],
    Buffer.from(ab),
    ...[Buffer.of(63 << 2), length, literal],
    Buffer.from(ab),
  ]);
  const { plain, steps } = await counted(large);
  assert.ok(plain?.equals(Buffer.concat([literal, Buffer.from('ab'), literal, Buffer.from('ab')])));
  assert.ok(steps >= 8, `${steps} steps`);
  assert.equal(await plainOf(large.subarray(0, -4)), null, 'the last literal is cut off');
});

test('a large block is read in several steps', async () => {
  const count = 400_000;
  const large = Buffer.concat([block(2 + count * 64, ab), Buffer.alloc(count * 3, Buffer.from(copy64))]);
  const { plain, steps } = await counted(large);
  assert.ok(plain?.equals(Buffer.alloc(2 + count * 64, 'ab')));
  assert.ok(steps > 1);
  assert.equal(await plainOf(large.subarray(0, -1)), null);
});
