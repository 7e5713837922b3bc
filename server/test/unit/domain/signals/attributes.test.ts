/** Rules and normal form of attributes (R2), one case a line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attributesOf, checkChange, mergeAnnotations, sameAttributes } from '#domain/signals/attributes';
import type { SignalChange } from '#domain/signals/change';
import { attributes } from '../../../support/resources.ts';

function problemsOf(change: SignalChange): Record<string, string> {
  const problems: Record<string, string> = {};
  checkChange(change, (path, message) => {
    problems[path] = message;
  });
  return problems;
}

const map = <V>(key: string, value: V) => new Map([[key, value]]);
const long = (count: number) => 'x'.repeat(count);

const wrong: [SignalChange, string, RegExp][] = [
  [{ name: '' }, 'name', /^must be at least 1 character, got 0$/],
  [{ name: long(129) }, 'name', /^must be at most 128 characters, got 129$/],
  [{ name: '\u{1f600}'.repeat(129) }, 'name', /got 129$/],
  [{ name: 'a\ud800' }, 'name', /surrogate/],
  [{ name: 'a\0' }, 'name', /U\+0000/],
  [{ description: long(1001) }, 'description', /at most 1000 characters, got 1001/],
  [{ engUnit: long(256) }, 'engUnit', /at most 255 characters, got 256/],
  [{ valueType: 'text' }, 'valueType', /must be one of numeric, enum, got "text"/],
  [{ sourceType: 'Measurement' }, 'sourceType', /must be one of measurement, aggregation, prediction/],
  [{ sampleIntervalUs: -1 }, 'sampleInterval', /must not be negative/],
  [{ gapDetectionUs: -1 }, 'gapDetection', /must not be negative/],
  [{ labels: map('a b', ['x']) }, 'labels.a b', /the key must match/],
  [{ labels: map('', ['x']) }, 'labels.', /the key must match/],
  [{ labels: map(long(129), ['x']) }, `labels.${long(129)}`, /the key must match/],
  [{ labels: map('a', ['x', long(1025)]) }, 'labels.a', /at most 1024 characters, got 1025/],
  [{ enumValues: map('10000', 'x') }, 'enumValues.10000', /the key must match/],
  [{ enumValues: new Map([...map('1', 'x'), ...map('01', 'x')]) }, 'enumValues.01', /is the same key as "1"/],
  [{ enumValues: map('-1', 'x') }, 'enumValues.-1', /the key must match/],
  [{ enumValues: map('1', '') }, 'enumValues.1', /at least 1 character/],
  [{ enumValues: map('1', long(129)) }, 'enumValues.1', /at most 128 characters/],
  [{ annotations: map('a.b', 'x') }, 'annotations.a.b', /the key must match/],
  [{ annotations: map('a', long(4097)) }, 'annotations.a', /at most 4096 characters, got 4097/],
];

for (const [change, path, message] of wrong) {
  test(`R2 refused at ${path.slice(0, 30)}: ${message.source.slice(0, 50)}`, () => {
    const problems = problemsOf(change);
    assert.deepEqual(Object.keys(problems), [path]);
    assert.match(problems[path], message);
  });
}

test('R2 everything at its limit is accepted', () => {
  const problems = problemsOf({
    name: '\u{1f600}'.repeat(128),
    description: long(1000),
    valueType: '',
    sourceType: '',
    engUnit: long(255),
    sampleIntervalUs: 0,
    gapDetectionUs: null,
    labels: new Map([
      ['__proto__', ['', long(1024)]],
      ['A-z_/0', []],
    ]),
    enumValues: new Map([
      ['0', 'x'],
      ['9999', long(128)],
    ]),
    annotations: new Map([
      ['a/b', ''],
      ['c', long(4096)],
    ]),
  });
  assert.deepEqual(problems, {});
});

test('R2 what is left out, and what says so, takes its default', () => {
  const defaults = attributesOf({}, 'key');
  assert.deepEqual(defaults, attributes({ name: 'key' }));
  const said: SignalChange = { valueType: '', sourceType: '', sampleIntervalUs: 0, gapDetectionUs: null };
  assert.deepEqual(attributesOf(said, 'key'), defaults);
});

test('R2 label values become a set, sorted bytewise', () => {
  const labels = new Map([
    ['b', ['é', 'a', 'Z', 'a', '\u{1f600}', '\ue000']],
    ['a', ['x']],
  ]);
  const { labels: stored } = attributesOf({ labels }, 'key');
  assert.deepEqual(
    [...stored],
    [
      ['a', ['x']],
      ['b', ['Z', 'a', 'é', '\ue000', '\u{1f600}']],
    ],
  );
});

test('R8 annotations are merged; an empty one removes', () => {
  const stored = new Map([
    ['keep', '1'],
    ['change', '1'],
    ['remove', '1'],
  ]);
  const change = new Map([
    ['change', '2'],
    ['remove', ''],
    ['add', '3'],
    ['absent', ''],
  ]);
  const merged = mergeAnnotations(stored, change);
  assert.deepEqual(Object.fromEntries(merged), { keep: '1', change: '2', add: '3' });
  assert.equal(mergeAnnotations(stored, new Map([['keep', '1']])), stored);
  assert.equal(mergeAnnotations(stored, new Map([['absent', '']])), stored);
  assert.equal(mergeAnnotations(stored, undefined), stored);
});

test('R8 attributes are the same whatever the order of their keys, and differ in any field', () => {
  const full: SignalChange = {
    name: 'n',
    labels: new Map([
      ['a', ['1']],
      ['b', ['2']],
    ]),
    enumValues: new Map([
      ['9', 'x'],
      ['10', 'y'],
    ]),
  };
  const attributes = attributesOf(full, '');
  const turned = { ...attributes, labels: new Map([...attributes.labels].reverse()) };
  assert.ok(sameAttributes(attributes, turned));
  const others: SignalChange[] = [
    { ...full, name: 'm' },
    { ...full, description: 'x' },
    { ...full, valueType: 'enum' },
    { ...full, sourceType: 'prediction' },
    { ...full, engUnit: 'C' },
    { ...full, sampleIntervalUs: 1 },
    { ...full, gapDetectionUs: 1 },
    { ...full, labels: map('a', ['1']) },
    { ...full, labels: new Map([...(full.labels ?? []), ['b', ['3']]]) },
    { ...full, labels: new Map([...(full.labels ?? []), ['b', ['2', '3']]]) },
    { ...full, enumValues: new Map([...(full.enumValues ?? []), ['9', 'z']]) },
  ];
  for (const other of others) assert.ok(!sameAttributes(attributes, attributesOf(other, '')));
});

const many = (count: number) => new Map(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
const values = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`);

test('R2c a thousand label values in all and 256 annotations are accepted, one more is not', () => {
  assert.deepEqual(problemsOf({ labels: map('a', values(1000)), annotations: many(256) }), {});
  const labels = new Map([
    ['a', values(999)],
    ['b', ['x']],
    ['c', []],
  ]);
  assert.deepEqual(problemsOf({ labels, annotations: many(257) }), {
    labels: 'must be at most 1000, got 1001',
    annotations: 'must be at most 256, got 257',
  });
});

test('R2c annotations do not become too many by merging; those that are there can be changed and taken away', () => {
  const stored = mergeAnnotations(many(200), many(256));
  assert.equal(stored.size, 256);
  assert.throws(() => mergeAnnotations(stored, map('new', 'x')), {
    kind: 'invalid-resource',
    message: /must be at most 256 annotations, this call would make it 257/,
  });
  assert.equal(mergeAnnotations(stored, map('k0', 'other')).get('k0'), 'other');
  const swapped = new Map([
    ['k0', ''],
    ['new', 'x'],
  ]);
  assert.equal(mergeAnnotations(stored, swapped).size, 256);
});
