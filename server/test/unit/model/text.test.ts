/** The order of texts is that of their UTF-8 bytes (R14). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { characterCount, compareText } from '#model/text';

test('R14 texts compare as their UTF-8 bytes do', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(compareText(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    {
      numRuns: 2000,
      examples: [
        ['\ue000', '\u{1f600}'],
        ['a', 'a'],
        ['\ud7ff', '\u{10000}'],
        ['', 'a'],
      ],
    },
  );
});

test('characters are counted as a string yields them', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'ä', '😀', '\ud83d', '\ude00') }), (text) => {
      assert.equal(characterCount(text), [...text].length);
    }),
  );
});
