/** Edits of fields: what forms make of them, what they change, and how they are undone. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { EditedResource } from '@tidemark/client/wire';
import {
  attributeTitles,
  type Change,
  changeBetween,
  changeOf,
  isEmptyChange,
  mergeChanges,
  printEditValue,
  titleOfPath,
  undoOf,
} from '../src/features/edit/change.ts';
import { labelTexts, labelValues, mapOf, pairsOf } from '../src/features/edit/pairs.ts';
import {
  changeOfSteps,
  isComplete,
  newStep,
  type Step,
  type StepAction,
  stepActions,
} from '../src/features/edit/steps.ts';
import { randomOf } from './support/random.ts';

type Fields = Record<string, string | Record<string, unknown>>;
const maps = ['labels', 'enumValues', 'annotations'];

/** What the service does with a change: the fields after it, and what was changed. */
function apply(fields: Fields, change: Change): { after: Fields; changes: EditedResource['changes'] } {
  const after = structuredClone(fields);
  const changes: EditedResource['changes'] = {};
  const note = (path: string, before: unknown, now: unknown) => {
    if (JSON.stringify(before) !== JSON.stringify(now)) changes[path] = [before ?? null, now ?? null];
  };
  for (const [name, value] of Object.entries(change)) {
    if (!maps.includes(name)) {
      note(name, after[name], value);
      after[name] = value as string;
      continue;
    }
    const map = after[name] as Record<string, unknown>;
    for (const [key, entry] of Object.entries(value as object)) {
      note(`${name}.${key}`, map[key], entry);
      if (entry === null) delete map[key];
      else map[key] = entry;
    }
  }
  return { after, changes };
}

suite('changes', () => {
  test('any edit is undone by the change that is made of its answer', () => {
    const random = randomOf(13);
    const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
    const entries = <T>(values: readonly T[]) =>
      Object.fromEntries(['a', 'b', 'c/d'].filter(() => random() < 0.6).map((key) => [key, pick(values)]));
    for (let round = 0; round < 300; round++) {
      const fields: Fields = {
        ...{ name: 'A', engUnit: pick(['', 'm']) },
        ...{ labels: entries([['x'], ['x', 'y']]), enumValues: {}, annotations: entries(['1', '2']) },
      };
      const change: Change = {
        ...(random() < 0.5 ? { engUnit: pick(['', 'mm']) } : {}),
        labels: entries([['x'], ['z'], null]),
        annotations: entries(['2', null]),
      };
      const { after, changes } = apply(fields, change);
      const undone = undoOf([{ id: '1', name: 'A', changes }]);
      assert.equal(undone.length, 1);
      assert.deepEqual(apply(after, undone[0]!.change).after, fields);
    }
  });

  test('what makes the second of two records of the first does so', () => {
    const before = { name: 'A', engUnit: 'm', labels: { a: ['1'], b: ['2'] }, enumValues: { 0: 'off' } };
    const after = { name: 'B', engUnit: 'm', labels: { b: ['2', '3'] }, enumValues: { 0: 'off', 1: 'on' } };
    const change = changeBetween(before, after);
    assert.deepEqual(change, { name: 'B', labels: { a: null, b: ['2', '3'] }, enumValues: { 1: 'on' } });
    assert.deepEqual(apply(before, change).after, after);
    assert.ok(isEmptyChange(changeBetween(before, structuredClone(before))));
  });

  test('resources that need the same change are changed in one call', () => {
    const edited = ['1', '2', '3'].map(
      (id): EditedResource => ({
        ...{ id, name: id },
        changes: { engUnit: [id === '2' ? 'mm' : 'm', 'cm'] },
      }),
    );
    assert.deepEqual(
      undoOf(edited).map(({ ids }) => ids),
      [['1', '3'], ['2']],
    );
    assert.deepEqual(undoOf([]), []);
  });

  test('a key of a map may have dots', () => {
    assert.deepEqual(changeOf('annotations.a.b/c', 'x'), { annotations: { 'a.b/c': 'x' } });
    assert.equal(titleOfPath('annotations.a.b/c'), 'Annotation a.b/c');
    assert.deepEqual(mergeChanges([]), {});
  });

  test('every field has a title, and what is unknown its own name', () => {
    for (const [name, title] of Object.entries(attributeTitles))
      assert.ok(titleOfPath(name) === title || maps.includes(name), name);
    assert.equal(titleOfPath('visible'), 'Visible');
    assert.equal(titleOfPath('newField'), 'newField');
  });

  test('values are shown as people read them', () => {
    const values = [undefined, null, '', 'x', true, false, ['a', 'b'], [], 5];
    assert.deepEqual(values.map(printEditValue), ['', '', '', 'x', 'yes', 'no', 'a, b', '(no value)', '5']);
  });
});

suite('forms', () => {
  test('rows of a map come back as the map; rows without a key are none, of two keys the later counts', () => {
    const map = { a: '1', 'b c': '2' };
    assert.deepEqual(mapOf(pairsOf(map)), map);
    const rows = [
      ...pairsOf({ ' a ': '1' }),
      { id: 8, key: ' ', value: 'x' },
      { id: 9, key: 'a', value: '3' },
    ];
    assert.deepEqual(mapOf(rows), { a: '3' });
    assert.equal(new Set(pairsOf({ a: '', b: '', c: '' }).map(({ id }) => id)).size, 3);
  });

  test('values of labels are separated by commas, sorted, and each there once', () => {
    assert.deepEqual(labelValues(' b, a,,b , c d '), ['a', 'b', 'c d']);
    assert.deepEqual(labelValues(''), []);
    const labels = { site: ['a', 'b'], hall: ['7'] };
    assert.deepEqual(labelTexts(labels), { site: 'a, b', hall: '7' });
    for (const [key, text] of Object.entries(labelTexts(labels)))
      assert.deepEqual(labelValues(text), labels[key as keyof typeof labels]);
  });

  const stepOf = (action: StepAction, key = '', value?: string): Step => ({
    ...newStep(1, action),
    key,
    ...(value === undefined ? {} : { value }),
  });

  const steps: [Step, Change][] = [
    [stepOf('labels.set', 'site', 'b,a'), { labels: { site: ['a', 'b'] } }],
    [stepOf('labels.remove', ' site '), { labels: { site: null } }],
    [stepOf('engUnit', '', ''), { engUnit: '' }],
    [stepOf('description', '', 'Of the pump'), { description: 'Of the pump' }],
    [stepOf('sampleInterval', '', '10 s'), { sampleInterval: 'PT10S' }],
    [stepOf('sampleInterval', '', ''), { sampleInterval: null }],
    [stepOf('gapDetection', '', '1 h 30 min'), { gapDetection: 'PT1H30M' }],
    [stepOf('valueType'), { valueType: 'numeric' }],
    [stepOf('sourceType', '', 'prediction'), { sourceType: 'prediction' }],
    [stepOf('visible'), { visible: true }],
    [stepOf('visible', '', 'false'), { visible: false }],
    [stepOf('annotations.set', 'a/b', 'x'), { annotations: { 'a/b': 'x' } }],
    [stepOf('annotations.remove', 'a/b'), { annotations: { 'a/b': null } }],
  ];
  for (const [step, change] of steps)
    test(`${stepActions[step.action].text} ${step.key}${step.value} changes ${JSON.stringify(change)}`, () => {
      assert.ok(isComplete(step));
      assert.deepEqual(changeOfSteps([step]), change);
    });

  test('every action has been looked at', () => {
    const seen = new Set(steps.map(([{ action }]) => action));
    assert.deepEqual(new Set(Object.keys(stepActions)), seen);
  });

  test('steps that say too little change nothing', () => {
    const incomplete = [
      stepOf('labels.set', 'a', ' '),
      stepOf('labels.remove'),
      stepOf('annotations.set', 'k', ''),
    ];
    assert.ok(incomplete.every((step) => !isComplete(step)));
    assert.deepEqual(changeOfSteps(incomplete), {});
  });

  test('several steps are one change, and of two of the same field the later counts', () => {
    const change = changeOfSteps([
      stepOf('engUnit', '', 'm'),
      stepOf('labels.set', 'a', '1'),
      stepOf('labels.remove', 'b'),
      stepOf('engUnit', '', 'mm'),
    ]);
    assert.deepEqual(change, { engUnit: 'mm', labels: { a: ['1'], b: null } });
  });
});
