/** Changes of fields, steps of an edit, verdicts on spacing, uses of an item: what needs no browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditedResource } from '@tidemark/client/wire';
import {
  changeBetween,
  changeOf,
  mergeChanges,
  printEditValue,
  titleOfPath,
  undoOf,
} from '../src/features/edit/change.ts';
import { changeOfSteps, isComplete, newStep, type Step } from '../src/features/edit/steps.ts';
import { usesOf } from '../src/pages/items/uses.ts';
import { diagnose, printSpan, roundInterval } from '../src/pages/signals/diagnosis.ts';

test('a change names fields and entries of maps, and of two of one field the later counts', () => {
  assert.deepEqual(changeOf('engUnit', 'm'), { engUnit: 'm' });
  assert.deepEqual(changeOf('labels.a/b', ['x']), { labels: { 'a/b': ['x'] } });
  const merged = mergeChanges([
    { engUnit: 'm', labels: { a: ['1'] } },
    { engUnit: 'mm', labels: { b: null } },
  ]);
  assert.deepEqual(merged, { engUnit: 'mm', labels: { a: ['1'], b: null } });
});

test('what a person changed in a form is the change, removed entries are removed', () => {
  const before = { name: 'A', engUnit: 'm', sampleInterval: 'PT1M', labels: { a: ['1'], b: ['2'] } };
  const after = { name: 'A', engUnit: 'mm', sampleInterval: null, labels: { a: ['1', '3'], c: ['4'] } };
  assert.deepEqual(changeBetween(before, after), {
    engUnit: 'mm',
    sampleInterval: null,
    labels: { a: ['1', '3'], b: null, c: ['4'] },
  });
  assert.deepEqual(changeBetween(before, { ...before, labels: { b: ['2'], a: ['1'] } }), {});
});

test('an edit is taken back with the values before; those that need the same stand together', () => {
  const edited: EditedResource[] = [
    { id: '1', name: 'A', changes: { engUnit: ['', 'm'], 'labels.a': [null, ['x']] } },
    { id: '2', name: 'B', changes: { engUnit: ['mm', 'm'] } },
    { id: '3', name: 'C', changes: { engUnit: ['', 'm'], 'labels.a': [null, ['x']] } },
    { id: '4', name: 'D', changes: { visible: [false, true] } },
  ];
  assert.deepEqual(undoOf(edited), [
    { ids: ['1', '3'], change: { engUnit: '', labels: { a: null } } },
    { ids: ['2'], change: { engUnit: 'mm' } },
    { ids: ['4'], change: { visible: false } },
  ]);
});

test('paths and values have words', () => {
  assert.deepEqual(['labels.site', 'engUnit', 'annotations.a/b'].map(titleOfPath), [
    'Label site',
    'Unit',
    'Annotation a/b',
  ]);
  assert.deepEqual([['a', 'b'], true, null, '', 'x', []].map(printEditValue), [
    'a, b',
    'yes',
    '',
    '',
    'x',
    '(no value)',
  ]);
});

test('steps make a change: labels with their values once and in order, empty intervals unset', () => {
  const step = (part: Partial<Step> & Pick<Step, 'action'>): Step => ({
    ...newStep(1, part.action),
    ...part,
  });
  const steps = [
    step({ action: 'labels.set', key: ' area ', value: 'north, hall 3,north,' }),
    step({ action: 'labels.remove', key: 'old' }),
    step({ action: 'sampleInterval', value: ' ' }),
    step({ action: 'valueType' }),
    step({ action: 'annotations.set', key: 'k', value: 'v' }),
    step({ action: 'visible', value: 'false' }),
  ];
  assert.deepEqual(changeOfSteps(steps), {
    labels: { area: ['hall 3', 'north'], old: null },
    sampleInterval: null,
    valueType: 'numeric',
    annotations: { k: 'v' },
    visible: false,
  });
  assert.equal(isComplete(step({ action: 'labels.set', key: 'a', value: ' , ' })), false);
  assert.equal(isComplete(step({ action: 'labels.remove', key: ' ' })), false);
  assert.equal(isComplete(step({ action: 'description', value: '' })), true);
});

test('declared and observed are compared, and an interval offered that fits', () => {
  const seen = { points: 100, median: 'PT1M3S', gapCount: 0 };
  const undeclared = { sampleInterval: null, gapDetection: null };
  const verdict = diagnose({ ...undeclared, sampleInterval: 'PT10S' }, seen);
  assert.deepEqual(verdict, {
    mood: 'warn',
    text: 'The declared interval is 10 s, but the observed one is 63 s.',
    interval: 'PT1M',
  });
  assert.equal(diagnose({ ...undeclared, sampleInterval: 'PT1M' }, seen).mood, 'good');
  assert.equal(diagnose({ ...undeclared, sampleInterval: 'PT1M' }, { ...seen, gapCount: 2 }).mood, 'info');
  assert.equal(diagnose(undeclared, seen).interval, 'PT1M');
  assert.equal(diagnose({ sampleInterval: 'PT1M', gapDetection: 'PT30S' }, seen).mood, 'warn');
  assert.match(diagnose(undeclared, { points: 0, median: null, gapCount: 0 }).text, /no points/);
});

test('intervals are rounded where a round one is near, durations have words', () => {
  assert.deepEqual([998, 62_000, 90_000, 3_599_000, 250, 7_261_500].map(roundInterval), [
    'PT1S',
    'PT1M',
    'PT1M30S',
    'PT1H',
    'PT0.25S',
    'PT2H1M1.5S',
  ]);
  assert.deepEqual(['PT0.25S', 'PT1M3S', 'PT15M', 'PT2H5M', 'PT26H30M', 'PT72H', null].map(printSpan), [
    '250 ms',
    '63 s',
    '15 min',
    '2 h 5 min',
    '26 h 30 min',
    '3 d',
    '–',
  ]);
});

test('an item is used in views that draw it, and in formulas that need it, by way of others too', () => {
  const [a, b] = ['cbpmaq6rpn52969vfl00', 'cbpmaq6rpn52969vfl0g'];
  const sheet = JSON.stringify([
    [
      [a, 'flow', 'avg'],
      [b, 'level', 'avg'],
    ],
    [
      ['double', 'flow * 2'],
      ['other', 'level + 1e3'],
      ['all', 'sum(double, other)'],
      ['flow_2', 'level'],
    ],
    [],
  ]);
  const view = (name: string, query: string) => ({ id: name, name, query, owner: { id: '', name: 'Ada' } });
  const views = [
    view('drawn', `items=${b}.${a}&from=-P1D`),
    view('other', `items=${b}`),
    view('computed', new URLSearchParams({ f: sheet }).toString()),
  ];
  const uses = usesOf(views, a);
  assert.deepEqual(
    uses.map(({ view: { name }, aliases, calculations }) => [
      name,
      aliases,
      calculations.map(({ alias }) => alias),
    ]),
    [
      ['drawn', [], []],
      ['computed', ['flow'], ['double', 'all']],
    ],
  );
  assert.match(uses[0]!.to, /^#\/explorer\?/);
  assert.match(uses[1]!.to, /^#\/formulas\?/);
});
