/** Publishing rules as the console edits them, without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftOfRule, newRule, ruleOf } from '../src/pages/publish/rule-draft.ts';
import { summaryOf } from '../src/pages/publish/rule-outcomes-text.ts';

const stored = {
  id: 'cbpmaq6rpn52969vfl00',
  name: 'north',
  position: 7,
  enabled: false,
  integration: null,
  filter: { 'labels.site': 'n' },
  item: {
    name: '{name}',
    description: null,
    engUnit: 'm',
    visible: false,
    copyLabels: false,
    labels: { site: null, place: '{labels.site}' },
    enumValues: { '0': 'off' },
  },
  maps: { sites: { n: 'North' } },
  join: { key: '{labels.tag}' },
  overwrite: true,
  createdAt: '2026-03-01T12:00:00Z',
  updatedAt: '2026-03-01T12:00:00Z',
};

test('a stored rule goes through the form as it is', () => {
  const { id, createdAt, updatedAt, ...rule } = stored;
  assert.deepEqual(ruleOf(draftOfRule(stored)), { rule });
  const joined = { ...stored, join: { item: id } };
  assert.deepEqual(draftOfRule(joined).joinKind, 'item');
  const own = draftOfRule({ ...stored, join: null, item: { ...stored.item, enumValues: null } });
  assert.deepEqual([own.joinKind, own.enumValues, createdAt], ['own', '', updatedAt]);
});

test('a field that should hold a JSON object says so', () => {
  const wrong = { ...newRule, filter: '{', labels: '[]', maps: 'null', enumValues: '3' };
  const fault = 'must be a JSON object';
  assert.deepEqual(ruleOf(wrong), {
    faults: { filter: fault, labels: fault, maps: fault, enumValues: fault },
  });
});

test('the counts of a report are said in words', () => {
  const counts = { create: 1, update: 2, connect: 0, keep: 1200, conflict: 2 };
  assert.equal(
    summaryOf({ counts, unmatched: 1, outcomes: [] }),
    '1 new item, 2 changed, 0 joined, 1,200 unchanged, 2 conflicts; 1 signal without a rule.',
  );
});
