/** Decompression of bodies: in steps, bounded, and with errors that say whose fault it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompress, gzip, zstdCompress } from 'node:zlib';
import { runAtOnce } from '#model/steps';
import { decodeAll, type Encoding } from '#transport/http/encoding';

const compress: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: promisify(gzip),
  br: promisify(brotliCompress),
  zstd: promisify(zstdCompress),
};

const encodings = Object.keys(compress) as Encoding[];

for (const encoding of encodings) {
  test(`E3 a large body in ${encoding} is joined in several steps`, async () => {
    const bytes = Buffer.alloc(6 * 1024 * 1024, 'a body that repeats, ');
    let steps = 0;
    const plain = await decodeAll(encoding, await compress[encoding](bytes), bytes.length, async (step) => {
      steps++;
      return step(() => false);
    });
    assert.ok(plain.equals(bytes));
    assert.ok(steps >= 6, `${steps} steps`);
  });

  test(`E3 a body in ${encoding} that is too large or corrupt is refused`, async () => {
    const small = await compress[encoding](Buffer.alloc(1000, 'x'));
    await assert.rejects(decodeAll(encoding, small, 999, runAtOnce), { status: 413 });
    await assert.rejects(decodeAll(encoding, small.subarray(0, -1), 1000, runAtOnce), { status: 400 });
  });
}
