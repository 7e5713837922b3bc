/** Reading an array of times from its text against JSON.parse and the parser of single timestamps (R3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { instantUsMax, parseInstant } from '#model/instant';
import { printInstant } from '#model/instant-printer';
import { TimeScanner } from '#protocol/time-scanner';

/** The times of an array that is the whole text; null: not read. `stepBytes` are read at once. */
function scan(text: string, stepBytes: number): number[] | null {
  const bytes = Buffer.from(text);
  const scanner = new TimeScanner();
  scanner.begin(bytes, bytes.length);
  for (let at = 1; ; ) {
    at = scanner.scan(bytes, at, at + stepBytes);
    if (at < 0) return null;
    if (scanner.isFinished) return at === bytes.length ? [...scanner.timesUs] : null;
  }
}

/** What JSON.parse and the plain parser make of it; null: not an array of times. */
function parse(text: string): number[] | null {
  try {
    const times = (JSON.parse(text) as unknown[]).map(parseInstant);
    return times.some(Number.isNaN) ? null : times;
  } catch {
    return null;
  }
}

const two = (n: number) => String(n).padStart(2, '0');
const twoDigits = (max: number) => fc.nat(max).map(two);

/** Few dates, so that neighbours share theirs; ends of months, of years and of the range are among them. */
const date = fc.oneof(
  fc.constantFrom('2024-02-29', '2024-02-28', '2023-12-31', '1969-12-31'),
  fc.constantFrom('1684-07-28', '2255-06-05', '2016-12-31', '2023-02-29'),
  fc
    .tuple(
      fc.integer({ min: 1690, max: 2250 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 28 }),
    )
    .map(([year, month, day]) => `${year}-${two(month)}-${two(day)}`),
);
const clock = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(twoDigits(23), twoDigits(59), twoDigits(59)).map((parts) => parts.join(':')),
  },
  { weight: 1, arbitrary: fc.constantFrom('23:59:60', '12:00:60', '24:00:00', '00:60:00', '00:00:61') },
);
const fraction = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^\.[0-9]{1,9}$/),
  fc.stringMatching(/^\.[0-9]{6}$/),
);
const zone = fc.oneof(
  fc.constantFrom('Z', 'Z', 'z', '+00:00', '-00:00'),
  fc
    .tuple(fc.constantFrom('+', '-'), twoDigits(24), twoDigits(60))
    .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
);
/** Texts that share some of their parts, as those of one client do, with any legal form and some illegal ones. */
const texts = fc
  .tuple(
    date,
    zone,
    fc.nat(9),
    fc.array(fc.tuple(clock, fraction, fc.nat(9), date, zone), { minLength: 1, maxLength: 30 }),
  )
  .map(([sharedDate, sharedZone, digits, rows]) =>
    rows.map(([time, own, difference, ownDate, ownZone]) => {
      const shared = digits === 0 ? '' : `.${own.slice(1).padEnd(digits, '7').slice(0, digits)}`;
      return `"${difference === 1 ? ownDate : sharedDate}${difference === 2 ? 't' : 'T'}${time}${difference === 3 ? own : shared}${difference === 4 ? ownZone : sharedZone}"`;
    }),
  );
const separator = fc.constantFrom(',', ', ', ' ,', ',\n\t');
const stepBytes = fc.integer({ min: 1, max: 2000 });

test('R3 an array of times is read as each of them is read alone', () => {
  fc.assert(
    fc.property(texts, separator, stepBytes, (items, between, step) => {
      const text = `[${items.join(between)}]`;
      assert.deepEqual(scan(text, step), parse(text), text);
    }),
    { numRuns: 3000 },
  );
});

test('R3 an array of times in which a byte was changed is read as JSON.parse reads it, or left to it', () => {
  const byte = fc.constantFrom(...'0123456789-:TZtz.+" ,\\]x/é', '\u0000', '');
  fc.assert(
    fc.property(texts, fc.nat(), byte, (items, place, mark) => {
      const text = `[${items.join(',')}]`;
      const at = 1 + (place % (text.length - 2));
      const changed = `${text.slice(0, at)}${mark}${text.slice(at + 1)}`;
      const times = parse(changed);
      const found = scan(changed, 1000);
      // A text with an escape may be left to JSON.parse.
      if (found !== null || !changed.includes('\\')) assert.deepEqual(found, times, changed);
    }),
    { numRuns: 5000 },
  );
});

test('R3 an array of whole UNIX seconds and of texts as they are printed', () => {
  const near = (us: number) => fc.integer({ min: us - 5_000_000, max: us + 5_000_000 });
  const us = fc.oneof(near(1.7e15), near(0), near(instantUsMax - 5_000_001), near(-instantUsMax + 5_000_001));
  const item = fc.oneof(
    us.map((value) => `"${printInstant(value)}"`),
    us.map((value) => String(Math.trunc(value / 1e6))),
  );
  fc.assert(
    fc.property(fc.array(item, { minLength: 1 }), separator, (items, between) => {
      const text = `[${items.join(between)}]`;
      assert.deepEqual(scan(text, 1000), parse(text), text);
    }),
  );
});

test('R3 in a text after one of its form, each byte is compared or parsed', () => {
  for (const second of [
    '2024-02-29T23:59:59.123456Z',
    '2024-02-29T00:00:00+05:30',
    '2024-02-29T12:30:30.123Z',
  ]) {
    for (let at = 0; at < second.length; at++) {
      for (let code = 0; code < 128; code++) {
        const changed = second.slice(0, at) + String.fromCharCode(code) + second.slice(at + 1);
        const text = `["${second}","${changed}"]`;
        assert.deepEqual(scan(text, 1000), code === 0x5c ? null : parse(text), text);
      }
    }
  }
});
