/** Resource queries from the wire: defaults, limits at and one past the edge, sorting (R13). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseResourceQuery, type QueryRules } from '#methods/resource-query';
import { limitDefaults } from '#model/limits';
import { problemsOf } from '../../support/problems.ts';

const rules: QueryRules = { resource: 'items', limitDefault: 20, limitMax: 1000, limits: limitDefaults };

function refused(query: Parameters<typeof parseResourceQuery>[0]): unknown {
  return problemsOf(() => parseResourceQuery(query, 'query', rules));
}

test('R13 an absent query takes every default', () => {
  const expected = { filter: { op: 'and', filters: [] }, sort: [], limit: 20, skip: 0, total: false };
  assert.deepEqual(parseResourceQuery(undefined, 'query', rules), expected);
  assert.deepEqual(parseResourceQuery({}, 'query', rules), expected);
});

test('R13 the largest limit is taken, one more is refused with both numbers', () => {
  assert.equal(parseResourceQuery({ limit: 1000 }, 'query', rules).limit, 1000);
  assert.deepEqual(refused({ limit: 1001 }), { 'query.limit': ['must be at most 1000, got 1001'] });
});

test('R13 a negative limit is the maximum, 0 is none', () => {
  assert.equal(parseResourceQuery({ limit: -1 }, 'query', rules).limit, 1000);
  assert.equal(parseResourceQuery({ limit: 0 }, 'query', rules).limit, rules.limitDefault);
});

test('R13 a negative skip is none; one beyond exact integers is refused', () => {
  assert.equal(parseResourceQuery({ skip: -5 }, 'query', rules).skip, 0);
  assert.equal(parseResourceQuery({ skip: Number.MAX_SAFE_INTEGER }, 'query', rules).skip, 2 ** 53 - 1);
  assert.deepEqual(refused({ skip: 1e300 }), {
    'query.skip': ['must be at most 9007199254740991, got 1e+300'],
  });
});

test('R13 sort keys: descending, map keys, and unknown ones by their index', () => {
  assert.deepEqual(parseResourceQuery({ sort: ['-createdAt', 'labels.site'] }, 'query', rules).sort, [
    { path: { field: 'createdAt' }, descending: true },
    { path: { field: 'labels', key: 'site' }, descending: false },
  ]);
  const problems = refused({ sort: ['name', '--name'] }) as Record<string, string[]>;
  assert.deepEqual(Object.keys(problems), ['query.sort.1']);
  assert.match(problems['query.sort.1'][0], /^unknown field; known are .*; got "--name"$/);
});

test('R13 sort keys at the limit are taken, one more is refused', () => {
  const keys = (count: number) => Array.from({ length: count }, () => 'name');
  assert.equal(parseResourceQuery({ sort: keys(16) }, 'query', rules).sort.length, 16);
  assert.deepEqual(refused({ sort: keys(17) }), { 'query.sort': ['must have at most 16 keys, got 17'] });
});

test('R13 every problem of a query is named at once', () => {
  const problems = refused({ limit: 5000, sort: ['x'], filter: { y: 1 } });
  assert.deepEqual(Object.keys(problems as object).sort(), ['query.filter.y', 'query.limit', 'query.sort.0']);
});
