/** Schemas at work: defaults, checks, and words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { AppError } from '#model/error';
import { resultOf } from '#model/steps';
import { explain, type JsonSchema } from '#protocol/explain';
import { compileReader, describedOnly } from '#protocol/schema';

function explained(schema: TSchema, value: unknown) {
  return resultOf(explain(schema as unknown as JsonSchema, value)).problems;
}

/** What is wrong with a value, by path. */
function problemsOf(schema: TSchema, value: unknown): Record<string, string[]> {
  return { ...explained(schema, value).toProblems() };
}

const short = Type.String({ minLength: 2, maxLength: 3 });

test('E2 words for each keyword name the limit and the value', () => {
  const cases: [TSchema, unknown, string][] = [
    [Type.Integer(), 1.5, 'must be an integer, got 1.5'],
    [Type.Number(), '1', 'must be a number, got "1"'],
    [Type.Boolean(), null, 'must be true or false, got null'],
    [Type.Object({}), [], 'must be an object, got an array'],
    [Type.Array(Type.Any()), {}, 'must be an array, got an object'],
    [Type.Integer({ minimum: 1 }), 0, 'must be at least 1, got 0'],
    [Type.Integer({ maximum: 5 }), 6, 'must be at most 5, got 6'],
    [Type.Number({ exclusiveMinimum: 0 }), 0, 'must be more than 0, got 0'],
    [Type.Number({ exclusiveMaximum: 0 }), 0, 'must be less than 0, got 0'],
    [Type.Number({ multipleOf: 2 }), 3, 'must be a multiple of 2, got 3'],
    [short, 'a', 'must be at least 2 characters, got 1'],
    [short, 'abcd', 'must be at most 3 characters, got 4'],
    [Type.String({ pattern: '^x' }), 'y', 'must match ^x, got "y"'],
    [Type.Array(Type.Any(), { maxItems: 1 }), [1, 2], 'must have at most 1 entries, got 2'],
    [Type.Array(Type.Any(), { minItems: 1 }), [], 'must have at least 1 entries, got 0'],
    [Type.Literal('x'), 'y', 'must be "x", got "y"'],
    [Type.Enum(['a', 'b']), 'c', 'must be one of "a", "b", got "c"'],
    [
      Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()]),
      1,
      'must be one of "a", "b" or null, got 1',
    ],
    [Type.Union([Type.Null(), Type.String()]), 1, 'must be null or a string, got 1'],
    [Type.Union([Type.Null(), short]), 'a', 'must be at least 2 characters, got 1'],
    [Type.String({ pattern: '^x' }), 'y'.repeat(100), `must match ^x, got "${'y'.repeat(64)}"…`],
  ];
  for (const [schema, value, words] of cases) assert.deepEqual(problemsOf(schema, value), { '': [words] });
});

test('E2 paths are dotted, through maps and arrays, and at most 50', () => {
  const schema = Type.Record(
    Type.String(),
    Type.Array(Type.Object({ a: Type.Integer() }, { additionalProperties: false })),
  );
  assert.deepEqual(problemsOf(schema, { 'x/y': [{ a: 1 }, { b: 2 }] }), {
    'x/y.1.a': ['required'],
    'x/y.1.b': ['unknown field; known are a'],
  });
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`k${i}`, 1]));
  const { '': rest, ...listed } = problemsOf(schema, many);
  assert.equal(Object.keys(listed).length, 50);
  assert.deepEqual(rest, ['30 more faults; the first 50 paths are listed']);
});

/** A schema with most of what ours use. */
const rich = Type.Object(
  {
    a: Type.Integer({ minimum: -5, maximum: 5 }),
    b: Type.Optional(Type.Union([Type.Null(), Type.String({ pattern: '^P', maxLength: 3 })])),
    c: Type.Optional(
      Type.Array(
        Type.Union([Type.Literal('x'), Type.Object({ d: Type.Number() }, { additionalProperties: false })]),
        { maxItems: 2 },
      ),
    ),
    e: Type.Optional(
      Type.Record(Type.String({ pattern: '^[a-c]+$' }), Type.Boolean(), { additionalProperties: false }),
    ),
    f: Type.Optional(Type.Enum(['p', 'q'])),
  },
  { additionalProperties: false },
);

test('E2 a problem is explained exactly when the check fails', () => {
  const scalar = fc.oneof(
    fc.integer({ min: -7, max: 7 }),
    fc.constantFrom('x', 'p', 'P1D', 'P1DX', '', null, true, 0.5),
  );
  const inner = fc.oneof(
    scalar,
    fc.record({ d: scalar }),
    fc.array(scalar, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'd'), scalar),
  );
  const value = fc.record(
    {
      a: scalar,
      b: inner,
      c: fc.oneof(inner, fc.array(inner, { maxLength: 3 })),
      e: inner,
      f: scalar,
      g: scalar,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(value, inner), (value) => {
      assert.equal(explained(rich, value).isEmpty, Check(rich, value), JSON.stringify(value));
    }),
    { numRuns: 2000 },
  );
});

test('E2 a long list of values is explained in steps', () => {
  const stepsOf = (schema: TSchema, value: unknown) =>
    [...explain(schema as unknown as JsonSchema, value)].length;
  const texts = Array.from({ length: 10_000 }, () => 'x');
  const members = Object.fromEntries(texts.map((text, i) => [i, text]));
  assert.equal(stepsOf(Type.Array(Type.String()), texts), 39);
  assert.equal(stepsOf(Type.Record(Type.String(), Type.Integer()), members), 39);
  assert.equal(stepsOf(Type.Object({}, { additionalProperties: false }), members), 39, 'unknown members');
});

test('W4 defaults are filled at every level, also for null, and each call has its own', () => {
  const reader = compileReader(
    Type.Object({
      limit: Type.Integer({ default: 20 }),
      query: Type.Object(
        { filter: Type.Object({}, { default: {} }), skip: Type.Integer({ default: 0 }) },
        { default: {} },
      ),
      map: Type.Optional(Type.Record(Type.String(), Type.Object({ on: Type.Boolean({ default: true }) }))),
      list: Type.Optional(Type.Array(Type.Object({ n: Type.Integer({ default: 1 }) }))),
      perhaps: Type.Optional(Type.Union([Type.Null(), Type.Object({ n: Type.Integer({ default: 1 }) })])),
    }),
  );
  const filled = { limit: 20, query: { filter: {}, skip: 0 } };
  assert.deepEqual(reader.read({}), filled);
  assert.deepEqual(reader.read({ limit: null, query: null, map: null, list: null }), filled);
  assert.deepEqual(reader.read({ query: { filter: null } }), filled);
  assert.notEqual(reader.read({}).query, reader.read({}).query);
  assert.deepEqual(reader.read({ map: { a: {} }, list: [{}], perhaps: {} }), {
    ...filled,
    map: { a: { on: true } },
    list: [{ n: 1 }],
    perhaps: { n: 1 },
  });
  assert.deepEqual(reader.read({ perhaps: null }), { ...filled, perhaps: null });
});

test('W4 null for what is required and has no default is a wrong value', () => {
  const reader = compileReader(Type.Object({ map: Type.Object({}) }));
  assert.throws(
    () => reader.read({ map: null }),
    (error) => error instanceof AppError && error.params?.map[0] === 'must be an object, got null',
  );
});

test('L1 what is only described is not looked into', () => {
  const reader = compileReader(Type.Object({ data: describedOnly(Type.Array(Type.Number())) }));
  const data = ['anything', { at: 'all' }];
  assert.equal(reader.read({ data }).data, data);
  assert.throws(() => reader.read({}), AppError);
});
