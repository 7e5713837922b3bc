/** IDs (R1): their form, and that no two of a source are the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idPattern, printXid, XidSource } from '#model/xid';
import { FixedClock, SeededRandom } from '../../support/world.ts';

const alphabet = '0123456789abcdefghijklmnopqrstuv';

/** The 12 bytes of an ID, the slow and obvious way: 96 of its 100 bits. */
function bytesOf(id: string): number[] {
  const bits = [...id].map((digit) => alphabet.indexOf(digit).toString(2).padStart(5, '0')).join('');
  return Array.from({ length: 12 }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2));
}

test('R1 twelve bytes are twenty characters of lower-case base32hex', () => {
  assert.equal(printXid(new Uint8Array(12)), '0'.repeat(20));
  assert.equal(printXid(new Uint8Array(12).fill(255)), `${'v'.repeat(19)}g`);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 12, maxLength: 12 }), (bytes) => {
      const id = printXid(bytes);
      assert.match(id, idPattern);
      assert.deepEqual(bytesOf(id), [...bytes]);
    }),
  );
});

test('R1 an ID begins with the seconds of its making; five bytes stay, three count', () => {
  const clock = new FixedClock('2026-03-01T12:00:00Z');
  const source = new XidSource(clock, new SeededRandom(7));
  const first = bytesOf(source.next());
  clock.advance(1);
  const second = bytesOf(source.next());
  const seconds = (bytes: number[]) => Number.parseInt(Buffer.from(bytes.slice(0, 4)).toString('hex'), 16);
  const count = (bytes: number[]) => Number.parseInt(Buffer.from(bytes.slice(9)).toString('hex'), 16);
  assert.equal(seconds(first), Date.parse('2026-03-01T12:00:00Z') / 1000);
  assert.equal(seconds(second) - seconds(first), 1);
  assert.deepEqual(first.slice(4, 9), second.slice(4, 9));
  assert.equal((count(second) - count(first) + 2 ** 24) % 2 ** 24, 1);
});

test('R1 IDs of one second differ, also where the counter begins anew', () => {
  const ending = { bytes: (count: number) => new Uint8Array(count).fill(255) };
  const source = new XidSource(new FixedClock(), ending);
  const ids = Array.from({ length: 1000 }, () => source.next());
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids[0] > ids[1], 'the counter went from its end to 0');
});
