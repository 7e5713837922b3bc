/** JSON in steps: what comes out, and what is refused, is what JSON.parse says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonFault, JsonSteps } from '#protocol/json-steps';

const long = 'x'.repeat(70_000);

/** Values of which some are larger than a step. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('', '"', '\\', '\\"', '{', long, `${long}\\`, 1e300, -0),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', '1', 'a,b', '}')), tie('value'), {
      maxKeys: 4,
    }),
    fc
      .tuple(fc.integer({ min: 20_000, max: 40_000 }), fc.constantFrom({}, [], 'ab', 7))
      .map(([count, of]) => Array.from({ length: count }, () => of)),
    fc
      .integer({ min: 5000, max: 9000 })
      .map((count) => Object.fromEntries(Array.from({ length: count }, (_, k) => [`key ${k}`, [k]]))),
  ),
}));

function parse(text: string): { value: unknown; stepCount: number } {
  const steps = new JsonSteps(Buffer.from(text), Number.POSITIVE_INFINITY).parse();
  for (let stepCount = 1; ; stepCount++) {
    const { done, value } = steps.next();
    if (done) return { value, stepCount };
  }
}

test('W1 what JSON.parse reads is read in steps, in every spacing', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const text = ` ${JSON.stringify(value, null, space)}\n`;
      assert.deepEqual(JSON.stringify(parse(text).value), JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 100 },
  );
});

test('W1 what JSON.parse refuses is refused in steps', () => {
  const items = `{"a":[${'1,'.repeat(50_000)}1],"b":{"c":"d"}}`;
  const edit = fc.tuple(
    fc.nat(items.length),
    fc.constantFrom('', ',', ']', '}', '[', '{', '"', ':', '1', ' '),
  );
  fc.assert(
    fc.property(edit, fc.nat(2), ([at, inserted], removed) => {
      const text = items.slice(0, at) + inserted + items.slice(at + removed);
      let expected: string | null = null;
      try {
        expected = JSON.stringify(JSON.parse(text));
      } catch {
        assert.throws(() => parse(text), JsonFault);
      }
      if (expected !== null) assert.equal(JSON.stringify(parse(text).value), expected);
    }),
    { numRuns: 300 },
  );
});

test('E3b a step has some 64 KiB of text, and says what was parsed takes', () => {
  const text = `[${'{},'.repeat(400_000)}{}]`;
  const { stepCount } = parse(text);
  assert.ok(stepCount >= text.length / (66 * 1024), String(stepCount));
  const steps = new JsonSteps(Buffer.from(text), Number.POSITIVE_INFINITY);
  for (const _ of steps.parse());
  assert.ok(steps.parsedBytes > 400_000 * 56);
});

test('W1 what is nested a million levels deep ends, and is as deep as no call may be', () => {
  const { value } = parse(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`);
  let levels = 0;
  for (let at = value; Array.isArray(at); at = at[0]) levels++;
  assert.ok(levels > 1000);
});
