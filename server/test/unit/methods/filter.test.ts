/** Resource filters from the wire: what they become, and what is said of wrong ones (R14). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ResourceType } from '#methods/field-path';
import { parseFilter } from '#methods/filter';
import { AppError } from '#model/error';
import type { Filter } from '#model/filter';
import { ProblemList } from '#model/problem-list';

const rules = { levelsMax: 4, termsMax: 20, patternCharactersMax: 50, patternSizeMax: 100 };

function parse(filter: unknown, resource: ResourceType = 'signals'): Filter {
  const problems = new ProblemList();
  const parsed = parseFilter(filter, 'query.filter', { ...rules, resource }, problems);
  assert.deepEqual({ ...problems.toProblems() }, {});
  return parsed;
}

function problemsOf(filter: unknown, resource: ResourceType = 'signals'): Record<string, string[]> {
  const problems = new ProblemList();
  parseFilter(filter, 'query.filter', { ...rules, resource }, problems);
  return { ...problems.toProblems() };
}

const name = { field: 'name' } as const;
const all: Filter = { op: 'and', filters: [] };

const parsed: [string, unknown, Filter][] = [
  ['{} matches all', {}, all],
  ['null matches all', null, all],
  ['a scalar is equality', { name: 'a' }, { op: 'eq', path: name, value: 'a' }],
  ['null is an operand', { name: null }, { op: 'eq', path: name, value: null }],
  ['$eq and $ne', { name: { $eq: 'a' } }, { op: 'eq', path: name, value: 'a' }],
  ['$ne', { name: { $ne: 'a' } }, { op: 'ne', path: name, value: 'a' }],
  ['$in', { name: { $in: ['a', null] } }, { op: 'in', path: name, values: ['a', null] }],
  ['$nin of nothing', { name: { $nin: [] } }, { op: 'nin', path: name, values: [] }],
  ['$regex', { name: { $regex: '^a+$' } }, { op: 'regex', path: name, pattern: '^a+$' }],
  [
    '$exists',
    { 'labels.a': { $exists: false } },
    { op: 'exists', path: { field: 'labels', key: 'a' }, value: false },
  ],
  ['no operator is no constraint', { name: {} }, all],
  ['type is valueType', { type: 'enum' }, { op: 'eq', path: { field: 'valueType' }, value: 'enum' }],
  [
    'a range is two comparisons',
    { name: { $gte: 'a', $lt: 'b' } },
    {
      op: 'and',
      filters: [
        { op: 'gte', path: name, value: 'a' },
        { op: 'lt', path: name, value: 'b' },
      ],
    },
  ],
  [
    'everything after the first dot is the key',
    { 'annotations.a.b/c': 'x' },
    { op: 'eq', path: { field: 'annotations', key: 'a.b/c' }, value: 'x' },
  ],
  [
    'a duration is microseconds',
    { gapDetection: 'P1D' },
    { op: 'eq', path: { field: 'gapDetection' }, value: 86_400_000_000 },
  ],
  [
    'a date is milliseconds',
    { createdAt: '1970-01-01T00:00:01Z' },
    { op: 'eq', path: { field: 'createdAt' }, value: 1000 },
  ],
  [
    'a date is UNIX seconds too',
    { updatedAt: { $gt: 2 } },
    { op: 'gt', path: { field: 'updatedAt' }, value: 2000 },
  ],
  ['$and of null is absent', { $and: null, $or: null }, all],
  ['$or of nothing matches nothing', { $or: [] }, { op: 'or', filters: [] }],
  [
    '$or and $and nest',
    { $or: [{ name: 'a' }, { $and: [{ name: 'b' }] }] },
    {
      op: 'or',
      filters: [
        { op: 'eq', path: name, value: 'a' },
        { op: 'and', filters: [{ op: 'eq', path: name, value: 'b' }] },
      ],
    },
  ],
];
for (const [title, filter, expected] of parsed) {
  test(`R14 ${title}`, () => assert.deepEqual(parse(filter), expected));
}

test('R14 an order comparison with a date between two milliseconds keeps its meaning', () => {
  const at = '1970-01-01T00:00:00.0015Z';
  const value = (op: string) => (parse({ createdAt: { [op]: at } }) as { value: number }).value;
  assert.deepEqual(
    ['$gte', '$lt', '$gt', '$lte'].map((op) => [op, value(op)]),
    [
      ['$gte', 2],
      ['$lt', 2],
      ['$gt', 1],
      ['$lte', 1],
    ],
  );
});

const refused: [string, unknown, string, RegExp][] = [
  ['an unknown path', { nam: 'a' }, 'query.filter.nam', /^unknown field; known are id, name/],
  ['a map without key', { labels: 'a' }, 'query.filter.labels', /^unknown field/],
  ['an empty key', { 'labels.': 'a' }, 'query.filter.labels.', /^unknown field/],
  ['a prototype name', { constructor: 'a' }, 'query.filter.constructor', /^unknown field/],
  ['an item field of signals', { visible: true }, 'query.filter.visible', /^unknown field/],
  [
    'an unknown operator',
    { name: { $like: 'a' } },
    'query.filter.name.$like',
    /^unknown operator; known are \$eq/,
  ],
  ['an unknown junction', { $not: [] }, 'query.filter.$not', /^unknown operator/],
  [
    'a junction that is no array',
    { $and: {} },
    'query.filter.$and',
    /array of filters or null, got an object/,
  ],
  ['a filter that is no object', { $or: [5] }, 'query.filter.$or.0', /must be an object, got 5/],
  ['a number for text', { name: 5 }, 'query.filter.name', /must be a string, got 5/],
  ['an array for equality', { name: ['a'] }, 'query.filter.name', /must be a string, got an array/],
  [
    'a wrong member of $in',
    { name: { $in: ['a', 5] } },
    'query.filter.name.$in.1',
    /must be a string, got 5/,
  ],
  ['null for $in', { name: { $in: null } }, 'query.filter.name.$in', /must be an array, got null/],
  ['null for an order', { name: { $gt: null } }, 'query.filter.name.$gt', /must be a string, got null/],
  ['no duration', { sampleInterval: 'often' }, 'query.filter.sampleInterval', /must be a duration/],
  ['a calendar duration', { sampleInterval: 'P1M' }, 'query.filter.sampleInterval', /without months/],
  ['no date', { createdAt: 'now' }, 'query.filter.createdAt', /RFC 3339/],
  [
    'a backreference',
    { name: { $regex: '(a)\\1' } },
    'query.filter.name.$regex',
    /RE2 syntax: invalid escape/,
  ],
  [
    'an exploding repetition',
    { name: { $regex: '(a{500}){500}' } },
    'query.filter.name.$regex',
    /size of 100 in all, got 753005/,
  ],
  [
    'too long a pattern',
    { name: { $regex: 'a'.repeat(51) } },
    'query.filter.name.$regex',
    /at most 50 characters, got 51/,
  ],
  [
    'a pattern for a date',
    { createdAt: { $regex: '2024' } },
    'query.filter.createdAt.$regex',
    /only for text/,
  ],
  ['text for $exists', { name: { $exists: 'yes' } }, 'query.filter.name.$exists', /true or false, got "yes"/],
];
for (const [title, filter, path, message] of refused) {
  test(`R14 refused with its path: ${title}`, () => {
    const problems = problemsOf(filter);
    assert.deepEqual(Object.keys(problems), [path]);
    assert.match(problems[path][0], message);
  });
}

test('R14 an order of truth values is refused; equality is not', () => {
  assert.match(problemsOf({ visible: { $gt: false } }, 'items')['query.filter.visible.$gt'][0], /no order/);
  assert.deepEqual(parse({ visible: true }, 'items'), { op: 'eq', path: { field: 'visible' }, value: true });
  assert.match(
    problemsOf({ visible: 'yes' }, 'items')['query.filter.visible'][0],
    /true or false, got "yes"/,
  );
});

test('R14 depth at the limit is read, one deeper is refused', () => {
  const nest = (levels: number): unknown => (levels === 1 ? { name: 'a' } : { $and: [nest(levels - 1)] });
  assert.deepEqual(problemsOf(nest(4)), {});
  assert.deepEqual(problemsOf(nest(5)), {
    'query.filter.$and.0.$and.0.$and.0.$and.0': ['must be at most 4 levels deep'],
  });
});

test('R14 terms at the limit are read, one more is refused; each value of $in is one, a pattern 20, what is empty one', () => {
  const values = (count: number) => ({ id: { $in: Array.from({ length: count }, () => 'a') } });
  assert.deepEqual(problemsOf(values(20)), {});
  assert.deepEqual(problemsOf(values(21)), {
    'query.filter': ['must have at most 20 terms, got 21 or more'],
  });
  const patterns = { name: { $regex: 'a' }, description: { $regex: 'b' } };
  assert.deepEqual(problemsOf(patterns), { 'query.filter': ['must have at most 20 terms, got 40 or more'] });
  for (const nothing of [{}, null, { $or: [] }, { $and: null }, { name: {} }]) {
    const list = (count: number) => ({ $or: Array.from({ length: count }, () => nothing) });
    assert.deepEqual(problemsOf(list(20)), {});
    assert.deepEqual(problemsOf(list(21)), {
      'query.filter': ['must have at most 20 terms, got 21 or more'],
    });
  }
  assert.deepEqual(problemsOf({ $and: [values(20), { name: 'a' }] }), {
    'query.filter': ['must have at most 20 terms, got 21 or more'],
  });
});

test('R14 any JSON is either read or refused with a path, never anything else', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const problems = new ProblemList();
      parseFilter(JSON.parse(json), 'query.filter', { ...rules, resource: 'signals' }, problems);
      const error = problems.toError();
      return (
        error instanceof AppError &&
        Object.keys(error.params ?? {}).every((path) => path.startsWith('query.filter'))
      );
    }),
  );
});
