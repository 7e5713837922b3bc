/** Reading parameters: by name and by position, unknown ones, synonyms, and how problems spell them (W4, E2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { AppError, invalidParams } from '#model/error';
import { resultOf } from '#model/steps';
import { defineMethod } from '#protocol/method';
import { compileParams } from '#protocol/params';
import type { Version } from '#protocol/version';
import { problemsOf } from '../../support/problems.ts';

const method = defineMethod({
  name: 'a.b',
  versions: ['1.0', '1.2'],
  grant: null,
  summary: '',
  params: Type.Object({
    first: Type.String(),
    second: Type.Integer({ default: 2 }),
    map: Type.Record(Type.String(), Type.Integer(), { default: {} }),
  }),
  paramSynonyms: { maps: 'map' },
  refusedParams: ['other'],
  result: Type.Object({}),
  run: async () => ({}),
});

function read(params: unknown, version: Version = '1.2') {
  return compileParams(method, version)(params, { levelsMax: 100, membersMax: 5, texts: true });
}

function refused(params: unknown, version?: Version): Record<string, string[]> {
  return problemsOf(() => {
    const { refusal, spelt } = read(params, version);
    if (refusal !== null) throw spelt(resultOf(refusal).toError());
  });
}

test('W4 positional parameters are as many as there are names at most', () => {
  assert.deepEqual(read(['x', 5, { a: 1 }]).params, { first: 'x', second: 5, map: { a: 1 } });
  assert.deepEqual(read(['x']).params, { first: 'x', second: 2, map: {} });
  for (const more of [undefined, null, 'y'])
    assert.deepEqual(refused(['x', 5, {}, more]), { '': ['must have at most 3 entries, got 4'] });
});

test('E2 all faults are reported at once: unknown names, synonyms given twice, and wrong values', () => {
  assert.deepEqual(refused({ second: 'x', map: { a: 'y' }, maps: {}, what: 1 }), {
    maps: ['is another name of "map"; give only one of them'],
    what: ['unknown parameter'],
    first: ['required'],
    second: ['must be an integer, got "x"'],
    'map.a': ['must be an integer, got "y"'],
  });
});

test('E2 paths are spelt as the request spelt them', () => {
  assert.deepEqual(refused({ first: 'x', maps: { a: 'y' } }), {
    'maps.a': ['must be an integer, got "y"'],
  });
  const { spelt } = read({ first: 'x', maps: {} });
  const respelt = spelt(
    invalidParams({ map: ['one'], 'map.a.b': ['two'], mapped: ['three'], first: ['four'] }),
  );
  assert(respelt instanceof AppError);
  assert.deepEqual(
    { ...respelt.params },
    { maps: ['one'], 'maps.a.b': ['two'], mapped: ['three'], first: ['four'] },
  );
  const other = new Error('x');
  assert.equal(spelt(other), other);
});

test('W4 W10 the oldest versions ignore unknown parameters, but not those of another form', () => {
  assert.deepEqual(read({ first: 'x', what: 1 }, '1.0').params, { first: 'x', second: 2, map: {} });
  assert.deepEqual(refused({ first: 'x', other: {} }, '1.0'), { other: ['unknown parameter'] });
});

test('L1b an object has so many members at most', () => {
  const map = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i]));
  assert.ok(read({ first: 'x', map: map(5) }));
  assert.deepEqual(refused({ first: 'x', map: map(6) }), { map: ['must have at most 5 members, got 6'] });
});
