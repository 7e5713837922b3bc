/** Items and groups of an evaluation from the wire (Q6, Q9-Q12). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as evaluation from '#methods/evaluation';
import { limitDefaults } from '#model/limits';
import { problemsOf, readWith } from '../../support/problems.ts';

const shift = { lead: 0, lag: 0 };

function parseItems(items: Parameters<typeof evaluation.parseItems>[0], version: '1.1' | '1.2') {
  return readWith((problems) => evaluation.parseItems(items, version, problems));
}

function parseGroups(groups: Parameters<typeof evaluation.parseGroups>[0]) {
  return readWith((problems) => evaluation.parseGroups(groups, limitDefaults, problems));
}

test('Q11 an absent or empty aggregation is avg; both names are read', () => {
  const items = [
    { id: 'i', alias: 'a', ...shift },
    { id: 'i', alias: 'b', aggregation: '', ...shift },
    { id: 'i', alias: 'c', aggregation: 'sum', ...shift },
    { id: 'i', alias: 'd', timeAggregation: 'max', aggregation: '', ...shift },
    { id: 'i', alias: 'e', aggregation: 'state-histogram-seconds', state: 3, ...shift },
  ];
  assert.deepEqual(
    parseItems(items, '1.1').map(({ aggregation, state }) => [aggregation, state]),
    [
      ['avg', null],
      ['avg', null],
      ['sum', null],
      ['max', null],
      ['state-seconds', 3],
    ],
  );
});

test('Q11 two different aggregations are refused', () => {
  const item = { id: 'i', alias: 'a', aggregation: 'min', timeAggregation: 'max', ...shift };
  assert.deepEqual(
    problemsOf(() => parseItems([item], '1.2')),
    {
      'items.0.aggregation': ['must be the same as timeAggregation "max", or left out'],
    },
  );
});

test('Q6 the extensions of 1.2 are unknown in 1.1', () => {
  const items = [{ id: 'i', alias: 'a', aggregation: 'median', ...shift }];
  assert.equal(parseItems(items, '1.2')[0].aggregation, 'median');
  const [message] = problemsOf(() => parseItems(items, '1.1'))['items.0.aggregation'];
  assert.match(message, /^must be one of count, sum, .*state-rate, got "median"$/);
  assert.doesNotMatch(message, /median,/);
});

test('Q12 a group selects by filter or by query; a filter asks for one item too many', () => {
  const filter = { name: 'x' };
  const [byFilter, byQuery, byLimit] = parseGroups([
    { filter, alias: 'a', ...shift },
    { query: { filter, skip: 0, total: false }, alias: 'b', groupAggregation: 'count', ...shift },
    { query: { limit: -1 }, alias: 'c', ...shift },
  ]);
  assert.equal(byFilter.query.limit, 51);
  assert.equal(byFilter.groupAggregation, 'avg');
  assert.deepEqual(byQuery.query, byFilter.query);
  assert.equal(byQuery.groupAggregation, 'count');
  assert.equal(byLimit.query.limit, 50);
});

test('Q12 a group that selects in no way, in two ways, or too many, is refused', () => {
  const group = (members: object) => [{ alias: 'a', ...shift, ...members }];
  const problems = (members: object) => problemsOf(() => parseGroups(group(members)));
  assert.deepEqual(problems({}), { 'groups.0.filter': ['required'] });
  assert.deepEqual(problems({ filter: {}, query: {} }), {
    'groups.0.filter': ['cannot be combined with query; give only one of them'],
  });
  assert.deepEqual(problems({ query: { limit: 51 } }), {
    'groups.0.query.limit': ['must be at most 50, got 51'],
  });
  assert.deepEqual(Object.keys(problems({ filter: { nam: 1 } })), ['groups.0.filter.nam']);
  assert.deepEqual(problems({ filter: {}, groupAggregation: 'median' }), {
    'groups.0.groupAggregation': ['must be one of count, min, max, sum, avg, got "median"'],
  });
});
