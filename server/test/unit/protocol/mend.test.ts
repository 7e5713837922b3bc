/** Parameters from which the wrong parts were taken: the rest stays, and what must be there has its type (E2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { resultOf } from '#model/steps';
import { compileReader } from '#protocol/schema';

const schema = Type.Object({
  id: Type.String(),
  limit: Type.Integer({ default: 20 }),
  total: Type.Optional(Type.Boolean()),
  kind: Type.Union([Type.Literal('a'), Type.Literal('b')]),
  map: Type.Record(Type.String(), Type.Array(Type.String()), { default: {} }),
  list: Type.Array(
    Type.Object({ id: Type.String(), count: Type.Integer() }, { additionalProperties: false }),
    { default: [] },
  ),
  data: Type.Object({ rows: Type.Array(Type.Number()), name: Type.Optional(Type.String()) }),
});
const reader = compileReader(schema);
const right = { id: 'x', limit: 1, kind: 'b', map: {}, list: [], data: { rows: [1] } };

function mended(given: object): unknown {
  const value = structuredClone(given) as Record<string, unknown>;
  assert.ok(!reader.matches(value), 'it must be wrong');
  resultOf(reader.mend(value));
  assert.ok(reader.matches(value), JSON.stringify(value));
  return value;
}

test('E2 an optional member that is wrong is left out, others are the default or empty', () => {
  assert.deepEqual(mended({ ...right, total: 'yes', limit: 'x', id: 5 }), { ...right, limit: 20, id: '' });
  assert.deepEqual(mended({ ...right, data: 5 }), { ...right, data: { rows: [] } });
  assert.deepEqual(mended({ ...right, data: { name: 5 } }), { ...right, data: { rows: [] } });
  assert.deepEqual(mended({ ...right, kind: 'c' }), { ...right, kind: 'a' });
});

test('E2 entries keep their index, members of a map do not stay', () => {
  const list = [{ id: 5, count: 1 }, 'x', { id: 'y', count: 2, colour: 'red' }];
  assert.deepEqual(mended({ ...right, list }), {
    ...right,
    list: [
      { id: '', count: 1 },
      { id: '', count: 0 },
      { id: 'y', count: 2 },
    ],
  });
  const map = { a: 5, b: ['x', 5] };
  assert.deepEqual(mended({ ...right, map }), { ...right, map: { b: ['x', ''] } });
});

test('E2 a key __proto__ is only a key', () => {
  const value = JSON.parse(JSON.stringify(right).replace('"map":{}', '"map":{"__proto__":["x",5]}'));
  assert.ok(!reader.matches(value));
  resultOf(reader.mend(value));
  assert.deepEqual(Object.getOwnPropertyDescriptor(value.map, '__proto__')?.value, ['x', '']);
});
