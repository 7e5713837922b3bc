/** Forms of the API console: what a schema offers, what a field gives, what an answer says. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  byNamespace,
  describeSchema,
  fieldKind,
  initialParams,
  type Method,
  membersOf,
  readDocument,
  resolveSchema,
  type Schema,
} from '../src/features/rpc/document.ts';
import { faultOf, scalarOf } from '../src/features/rpc/params.ts';
import { isObject, parseJson, printPretty, saysSame } from '../src/parts/json.ts';
import { fieldError, messageOf, RpcError } from '../src/platform/rpc/rpc-error.ts';
import { randomOf } from './support/random.ts';

const schemas: Record<string, Schema> = {
  Query: {
    type: 'object',
    description: 'Which ones.',
    required: ['limit'],
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 50, description: 'How many.' },
      sort: { type: 'array', items: { type: 'string' } },
      deep: { $ref: '#/components/schemas/Deep' },
    },
  },
  Deep: {
    type: 'object',
    properties: { deeper: { type: 'object', properties: { end: { type: 'boolean' } } } },
  },
};

const methodOf = (name: string, params: Method['params'] = []): Method => ({ name, params });

suite('schemas', () => {
  const kinds: [Schema, ReturnType<typeof fieldKind>][] = [
    [{ type: 'string' }, 'text'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'number' }, 'number'],
    [{ type: 'boolean' }, 'flag'],
    [{ enum: ['a', 1] }, 'choice'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'scalar'],
    [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 'json'],
    [{ anyOf: [{ type: 'string' }, {}] }, 'json'],
    [{ type: 'object', properties: { a: {} } }, 'object'],
    [{ type: 'object', properties: {} }, 'json'],
    [{ type: 'object' }, 'json'],
    [{ type: 'object', properties: { a: {} }, patternProperties: { '.*': {} } }, 'json'],
    [{ type: 'array' }, 'json'],
    [{}, 'json'],
  ];
  for (const [schema, kind] of kinds)
    test(`${JSON.stringify(schema)} is entered as ${kind}`, () => assert.equal(fieldKind(schema), kind));

  const words: [Schema, string][] = [
    [{ type: 'integer', minimum: 1, maximum: 50 }, 'integer from 1 to 50'],
    [{ type: 'integer', minimum: 0 }, 'integer from 0'],
    [{ type: 'number', maximum: 5 }, 'number to 5'],
    [{ type: 'array' }, 'array of any value'],
    [{ type: 'object', patternProperties: {} }, 'map of any value'],
    [{ type: 'string', pattern: '^a$' }, 'string ^a$'],
    [{ type: 'array', items: { title: 'Item' } }, 'array of Item'],
    [{ type: 'object', patternProperties: { x: { type: 'string' } } }, 'map of string'],
    [{ enum: ['a', null] }, 'one of "a", null'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'string or integer'],
    [{ $ref: '#/components/schemas/Query' }, 'Query'],
    [{}, 'any value'],
  ];
  for (const [schema, text] of words)
    test(`${JSON.stringify(schema)} is “${text}”`, () => assert.equal(describeSchema(schema), text));

  test('a reference is followed; what is said next to it counts more', () => {
    const resolved = resolveSchema({ $ref: '#/components/schemas/Query', description: 'Here.' }, schemas);
    assert.deepEqual([resolved.title, resolved.description, resolved.type], ['Query', 'Here.', 'object']);
    assert.deepEqual(resolveSchema({ $ref: '#/components/schemas/Gone' }, schemas), { title: 'Gone' });
    const plain = { type: 'string' };
    assert.equal(resolveSchema(plain, schemas), plain);
  });

  test('members are listed three levels deep, with what each is', () => {
    const members = membersOf({ type: 'array', items: { $ref: '#/components/schemas/Query' } }, schemas);
    assert.deepEqual(
      members.map(({ path, isRequired }) => [path, isRequired]),
      [
        ['[].limit', true],
        ['[].sort', false],
        ['[].deep', false],
        ['[].deep.deeper', false],
        ['[].deep.deeper.end', false],
      ],
    );
    assert.equal(members[0]!.description, 'How many.');
  });

  test('a call begins with the simplest values that are allowed', () => {
    const params = [
      { name: 'query', required: true, schema: { $ref: '#/components/schemas/Query' } },
      { name: 'kind', required: true, schema: { enum: ['b', 'a'] } },
      { name: 'times', required: true, schema: { type: 'array' } },
      { name: 'flag', required: true, schema: { type: 'boolean', default: true } },
      { name: 'any', required: true, schema: {} },
      { name: 'one', required: true, schema: { anyOf: [{ const: 7 }, { type: 'string' }] } },
      { name: 'left', schema: { type: 'string' } },
    ];
    assert.deepEqual(initialParams(methodOf('m', params), schemas), {
      query: { limit: 1 },
      kind: 'b',
      times: [],
      flag: true,
      any: null,
      one: 7,
    });
  });

  test('what has no simplest value of its own begins with zero, off, or nothing', () => {
    const params = [
      { name: 'count', required: true, schema: { type: 'integer' } },
      { name: 'isOn', required: true, schema: { type: 'boolean' } },
      { name: 'text', required: true, schema: { type: 'string' } },
      { name: 'either', required: true, schema: { anyOf: [] } },
      { name: 'open', required: true, schema: { type: 'object', required: ['unknown'] } },
    ];
    assert.deepEqual(initialParams(methodOf('m', params), {}), {
      ...{ count: 0, isOn: false, text: '', either: null },
      open: { unknown: null },
    });
  });

  test('members below the third level are not listed; lists are looked into wherever they are', () => {
    const nested = (depth: number): Schema =>
      depth === 0 ? { type: 'string' } : { type: 'object', properties: { in: nested(depth - 1) } };
    assert.deepEqual(
      membersOf(nested(5), {}).map(({ path }) => path),
      ['in', 'in.in', 'in.in.in'],
    );
    const rows: Schema = {
      type: 'object',
      properties: { rows: { type: 'array', items: nested(1) }, names: { type: 'array' } },
    };
    assert.deepEqual(
      membersOf(rows, {}).map(({ path, type, description }) => [path, type, description]),
      [
        ['rows', 'array of object', ''],
        ['rows[].in', 'string', ''],
        ['names', 'array of any value', ''],
      ],
    );
  });

  test('a schema that needs itself ends', () => {
    const loop: Schema = {
      type: 'object',
      required: ['next'],
      properties: { next: { $ref: '#/components/schemas/Loop' } },
    };
    const method = methodOf('m', [{ name: 'p', required: true, schema: loop }]);
    assert.ok(JSON.stringify(initialParams(method, { Loop: loop })).length < 200);
  });

  test('methods of programs come first, then the others as they come', () => {
    const methods = ['x.a', 'console.b', 'integration.c', 'service.d', 'integration.e'].map((name) =>
      methodOf(name),
    );
    assert.deepEqual(
      byNamespace(methods).map(([namespace, of]) => [namespace, of.length]),
      [
        ['integration', 2],
        ['service', 1],
        ['console', 1],
        ['x', 1],
      ],
    );
    assert.deepEqual(readDocument({ methods: [] }), { methods: [], schemas: {} });
  });
});

suite('fields', () => {
  const numberOrText: Schema = { anyOf: [{ type: 'string' }, { type: 'number' }] };
  const textOnly: Schema = { anyOf: [{ type: 'string' }, { type: 'null' }] };

  test('a number is one where the schema takes numbers, else it is text; empty is nothing', () => {
    assert.deepEqual(
      ['5', '-1.5', '1e3', 'x', ''].map((text) => scalarOf(text, numberOrText)),
      [5, -1.5, '1e3', 'x', undefined],
    );
    assert.deepEqual(
      ['5', ''].map((text) => scalarOf(text, textOnly)),
      ['5', undefined],
    );
  });

  test('faults of a parameter are those of its own path and below, with the path where it is longer', () => {
    const faults = { query: ['is wrong'], 'query.limit': ['too many', 'odd'], queries: ['no'] };
    assert.equal(faultOf(faults, 'query'), 'is wrong; query.limit: too many; odd');
    assert.equal(faultOf(faults, 'query.limit'), 'too many; odd');
    assert.equal(faultOf(faults, 'data'), undefined);
  });

  test('JSON that is typed is a value or a problem, and nothing is no value', () => {
    assert.deepEqual(parseJson(' '), { value: undefined });
    assert.deepEqual(parseJson('[1, null]'), { value: [1, null] });
    assert.ok(parseJson('{a: 1}').problem);
    assert.equal(saysSame('{ "a":1 }', { a: 1 }), true);
    assert.equal(saysSame('{"a":', { a: 1 }), false);
    assert.equal(
      saysSame('{', undefined),
      false,
      'what cannot be read says nothing, not even that there is nothing',
    );
    assert.equal(saysSame('', undefined), true);
    assert.deepEqual([{}, [], null, 'x', { a: 1 }].map(isObject), [true, false, false, false, true]);
  });

  test('JSON that is laid out says the same, whatever is in it', () => {
    const random = randomOf(14);
    const any = (depth: number): unknown => {
      const kind = Math.floor(random() * (depth > 3 ? 4 : 6));
      if (kind === 4) return Array.from({ length: Math.floor(random() * 4) }, () => any(depth + 1));
      if (kind === 5)
        return Object.fromEntries(
          ['a', '"', '\n'].slice(Math.floor(random() * 3)).map((key) => [key, any(depth + 1)]),
        );
      return [null, random() * 1e6, 'tëxt "\\', true][kind];
    };
    for (let round = 0; round < 300; round++) {
      const value = any(0);
      assert.deepEqual(JSON.parse(printPretty(value)), value);
    }
    assert.equal(printPretty([]), '[]');
    assert.equal(printPretty({}), '{}');
    assert.equal(
      printPretty([1, {}, null]),
      '[\n  1,\n  {},\n  null\n]',
      'an object in it has lines of its own',
    );
    assert.equal(printPretty({ a: [{ b: 1 }] }), '{\n  "a": [\n    {\n      "b": 1\n    }\n  ]\n}');
    assert.equal(printPretty(undefined), 'null');
    assert.equal(printPretty({ a: [1, 2] }), '{\n  "a": [1, 2]\n}');
  });
});

suite('errors of calls', () => {
  const error = new RpcError('wrong', {
    ...{ code: -32602, status: 200, trace: 'abc' },
    params: { 'labels.site': ['too long'], labels: ['too many'], labelsX: ['other'] },
  });

  test('a field shows what is about it and what is below it', () => {
    assert.equal(fieldError(error, 'labels'), 'too long; too many');
    assert.equal(fieldError(error, 'labels.site'), 'too long');
    assert.equal(fieldError(error, 'name'), undefined);
    assert.equal(fieldError(new Error('x'), 'labels'), undefined);
  });

  test('an error without facts has none, and only 401 is the end of a session', () => {
    const bare = new RpcError('lost');
    assert.deepEqual([bare.code, bare.status, bare.trace, bare.params], [0, 0, null, {}]);
    assert.equal(bare.isSignedOut, false);
    assert.equal(new RpcError('out', { status: 401 }).isSignedOut, true);
  });

  test('any thrown value has words', () => {
    assert.deepEqual([error, new Error('x'), 'text', 5].map(messageOf), ['wrong', 'x', 'text', '5']);
  });
});
