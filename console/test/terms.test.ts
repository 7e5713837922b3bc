/** Filters as terms, and back; without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type FilterJson,
  filterOf,
  parseFilterText,
  type Term,
  termsOf,
  withSearch,
} from '../src/parts/filter/terms.ts';

const both: readonly (readonly [FilterJson, readonly Term[]])[] = [
  [{}, []],
  [{ name: 'Pump' }, [{ path: 'name', operator: 'is', value: 'Pump' }]],
  [{ visible: true }, [{ path: 'visible', operator: 'is', value: 'true' }]],
  [{ name: { $ne: 'Pump' } }, [{ path: 'name', operator: 'isNot', value: 'Pump' }]],
  [{ name: { $regex: '(?i)pump' } }, [{ path: 'name', operator: 'contains', value: 'pump' }]],
  [{ name: { $regex: '(?i)a\\.b\\*' } }, [{ path: 'name', operator: 'contains', value: 'a.b*' }]],
  [{ name: { $regex: '^(?i)p.mp' } }, [{ path: 'name', operator: 'matches', value: '^(?i)p.mp' }]],
  [{ item: { $exists: false } }, [{ path: 'item', operator: 'missing', value: '' }]],
  [{ 'labels.site': 'North' }, [{ path: 'labels.site', operator: 'is', value: 'North' }]],
  [{ name: { $in: ['a', 'b'] } }, [{ json: { name: { $in: ['a', 'b'] } } }]],
  [{ $or: [{ name: 'a' }, { name: 'b' }] }, [{ json: { $or: [{ name: 'a' }, { name: 'b' }] } }]],
  [
    { name: 'a', engUnit: { $exists: true } },
    [
      { path: 'name', operator: 'is', value: 'a' },
      { path: 'engUnit', operator: 'exists', value: '' },
    ],
  ],
];

for (const [filter, terms] of both) {
  test(`${JSON.stringify(filter)} as terms, and back`, () => {
    assert.deepEqual(termsOf(filter), terms);
    assert.deepEqual(filterOf(terms), filter);
  });
}

test('two conditions on one path do not put each other out', () => {
  const terms: Term[] = [
    { path: 'createdAt', operator: 'atLeast', value: '2026-01-01T00:00:00Z' },
    { path: 'createdAt', operator: 'below', value: '2026-02-01T00:00:00Z' },
  ];
  const filter = filterOf(terms);
  assert.deepEqual(filter, {
    $and: [{ createdAt: { $gte: '2026-01-01T00:00:00Z' } }, { createdAt: { $lt: '2026-02-01T00:00:00Z' } }],
  });
  assert.deepEqual(termsOf(filter), terms);
});

test('a filter of several comparisons at one path is several terms', () => {
  assert.equal(termsOf({ sampleInterval: { $gte: 'PT1M', $lt: 'PT1H' } }).length, 2);
});

test('a search is beside the filter, and its text is no pattern', () => {
  assert.deepEqual(withSearch({}, '  ', ['name']), {});
  assert.deepEqual(withSearch({ engUnit: 'bar' }, 'p(1', ['name', 'input']), {
    $and: [
      { engUnit: 'bar' },
      { $or: [{ name: { $regex: '(?i)p\\(1' } }, { input: { $regex: '(?i)p\\(1' } }] },
    ],
  });
});

test('what is typed as a filter has to be an object', () => {
  assert.deepEqual(parseFilterText(''), { filter: {} });
  assert.deepEqual(parseFilterText('{"name": "a"}'), { filter: { name: 'a' } });
  assert.ok('problem' in parseFilterText('[]'));
  assert.ok('problem' in parseFilterText('{'));
});
