/** Timestamps against Date, and back (R3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { instantUsMax, parseInstant } from '#model/instant';
import { instantBytesMax, printInstant, writeInstant } from '#model/instant-printer';

const instant = fc.integer({ min: -instantUsMax + 1, max: instantUsMax - 1 });

test('R3 what is printed is read back the same', () => {
  const bytes = new Uint8Array(instantBytesMax + 3);
  fc.assert(
    fc.property(instant, (us) => {
      const text = printInstant(us);
      assert.equal(parseInstant(text), us);
      const end = writeInstant(us, new DataView(bytes.buffer), 3);
      assert.equal(Buffer.from(bytes.subarray(3, end)).toString('latin1'), text);
    }),
    { numRuns: 2000 },
  );
});

test('R3 bytes are the printed text, whatever was written and printed before', () => {
  const near = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(119), fc.constantFrom(0, 1, 500_000));
  const bytes = new Uint8Array(instantBytesMax);
  fc.assert(
    fc.property(fc.array(fc.tuple(near, near), { minLength: 1, maxLength: 9 }), (pairs) => {
      const usOf = ([day, hour, second, us]: number[]) =>
        (day - 1) * 86_400e6 + hour * 3600e6 + second * 1e6 + us;
      for (const [written, other] of pairs) {
        const end = writeInstant(usOf(written), new DataView(bytes.buffer), 0);
        const text = Buffer.from(bytes.subarray(0, end)).toString('latin1');
        assert.equal(parseInstant(text), usOf(written));
        assert.equal(parseInstant(printInstant(usOf(other))), usOf(other));
      }
    }),
    { numRuns: 1000 },
  );
});

test('R3 whole milliseconds agree with Date', () => {
  fc.assert(
    fc.property(fc.integer({ min: -9e12, max: 9e12 }), (ms) => {
      const text = new Date(ms).toISOString();
      assert.equal(parseInstant(text), ms * 1000);
      const trimmed = text.replace(/\.000Z$/, 'Z').replace(/(\.\d*[1-9])0+Z$/, '$1Z');
      assert.equal(printInstant(ms * 1000), trimmed);
    }),
  );
});

test('R3 an offset moves the instant by itself', () => {
  const shift = fc.integer({ min: -1439, max: 1439 });
  fc.assert(
    fc.property(fc.integer({ min: -9e9, max: 9e9 }), shift, (seconds, minutes) => {
      const clock = Math.abs(minutes);
      const pair = (n: number) => String(Math.floor(n)).padStart(2, '0');
      const local = printInstant((seconds + minutes * 60) * 1e6).slice(0, 19);
      const text = `${local}${minutes < 0 ? '-' : '+'}${pair(clock / 60)}:${pair(clock % 60)}`;
      assert.equal(parseInstant(text), seconds * 1e6);
    }),
  );
});

test('R3 damaged text is a timestamp as Date has it, or none', () => {
  fc.assert(
    fc.property(instant, fc.nat(30), fc.constantFrom(...'0123456789-:TZ. +xz'), (us, at, mark) => {
      const text = printInstant(us);
      const damaged = text.slice(0, at) + mark + text.slice(at + 1);
      const read = parseInstant(damaged);
      assert.ok(Number.isNaN(read) || Math.floor(read / 1000) === Date.parse(damaged));
    }),
    { numRuns: 2000 },
  );
});
