/** The generated types are those of the documents that are committed, and say what the documents say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { currentPythonText, currentWireText, pythonFile, versions, wireFile } from '../generate/main.ts';
import { printType } from '../generate/type-text.ts';
import { wireText } from '../generate/wire-text.ts';
import type { Version } from '../src/client.ts';

test('src/wire.ts is what `npm run generate` writes', () => {
  assert.equal(readFileSync(wireFile, 'utf8'), currentWireText());
});

test('wire.py of the Python client is what `npm run generate` writes', () => {
  assert.equal(readFileSync(pythonFile, 'utf8'), currentPythonText());
});

test('the client has the versions of the documents', () => {
  const all: readonly Version[] = versions;
  assert.deepEqual(all, ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2']);
});

const named = (title: string) => title;

const cases: [title: string, schema: object, type: string][] = [
  ['a reference', { $ref: '#/components/schemas/Item' }, 'Item'],
  ['literals', { enum: ['a', "b'c", 1, null] }, "'a' | 'b\\'c' | 1 | null"],
  [
    'a union in a list',
    { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    '(string | number)[]',
  ],
  [
    'objects or null in a list',
    { type: 'array', items: { anyOf: [{ type: 'object' }, { type: 'null' }] } },
    '(Record<string, unknown> | null)[]',
  ],
  [
    'a map',
    { type: 'object', patternProperties: { '^.*$': { type: 'boolean' } } },
    'Record<string, boolean>',
  ],
  ['several types', { type: ['string', 'null'] }, 'string | null'],
  ['nothing', { type: 'object', additionalProperties: false, properties: {} }, 'Record<string, never>'],
  ['anything', {}, 'unknown'],
  [
    'members, needed and not',
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'number', description: 'One.' }, 'b-c': {} },
    },
    "{\n  /** One. */\n  a: number;\n  'b-c'?: unknown;\n}",
  ],
];

for (const [title, schema, type] of cases) {
  test(`a schema as a type: ${title}`, () => assert.equal(printType(schema, named, 0), type));
}

test('a schema that is the same in two versions has one type, another one has two', () => {
  const document = (version: string, same: object, other: object) => ({
    info: { version },
    methods: [],
    components: { schemas: { Same: same, Other: other, Outer: { $ref: '#/components/schemas/Other' } } },
  });
  const text = wireText([
    document('1.0', { type: 'string' }, { type: 'string' }),
    document('1.1', { type: 'string' }, { type: 'number' }),
  ]);
  const types = [...text.matchAll(/export type (\w+) = (.*);/g)].map(([, name, type]) => `${name}: ${type}`);
  assert.deepEqual(types.slice(1), [
    'Same: string',
    'Other: number',
    'Outer: Other',
    'Other1_0: string',
    'Outer1_0: Other1_0',
  ]);
});

test('an object that was printed before is referred to, where an indexed access leads to it', () => {
  const names = ['a', 'b', 'c', 'd'];
  const large = {
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  };
  const seen = new Map<string, string>();
  const print = (schema: object, at: string) => printType(schema, named, 0, { at, seen });
  const whole = '{ a: string; b: string; c: string; d: string; }';
  const said = (text: string) => text.replace(/\s+/g, ' ');
  // What may be one of several has no type that could be named.
  const either = { anyOf: [large, { type: 'null' }] };
  assert.equal(said(print(either, 'First')), `${whole} | null`);
  const part = { type: 'array', items: large };
  assert.equal(said(print({ type: 'object', properties: { part } }, 'Second')), `{ part?: ${whole}[]; }`);
  assert.equal(print(either, 'Third'), "NonNullable<Second['part']>[number] | null");
});
