/** From a sheet of formulas to a calculated item and back, without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCalculated } from '../src/features/calculated/note.ts';
import { formulaHref, savedFormula } from '../src/features/calculated/saved-formula.ts';
import { parseSheet, printSheet, type Sheet } from '../src/features/formula/sheet.ts';

const [heat, power, other] = ['h', 'p', 'o'].map((letter) => letter.replace('p', 'q').repeat(20)) as [
  string,
  string,
  string,
];

const sheet: Sheet = {
  items: [
    { id: heat, alias: 'heat', aggregation: 'avg', state: null },
    { id: power, alias: 'power', aggregation: 'max', state: null, offset: -2 },
    { id: other, alias: 'other', aggregation: 'state-rate', state: 3 },
  ],
  calculations: [
    { alias: 'sum', formula: 'heat + power' },
    { alias: 'max', formula: 'max(sum, 1e3) * sum' },
    { alias: 'result', formula: 'max ** 2 + gapfill(heat)' },
    { alias: 'late', formula: 'other' },
  ],
  hidden: new Set(),
};

test('earlier calculations are written out, and only what is used becomes an input', () => {
  assert.deepEqual(savedFormula(sheet, 0), {
    formula: 'heat + power',
    inputs: [
      { id: heat, alias: 'heat', aggregation: 'avg' },
      { id: power, alias: 'power', aggregation: 'max', lag: 2 },
    ],
  });
  assert.equal(savedFormula(sheet, 1).formula, 'max((heat + power), 1e3) * (heat + power)');
  assert.equal(
    savedFormula(sheet, 2).formula,
    '(max((heat + power), 1e3) * (heat + power)) ** 2 + gapfill(heat)',
  );
  assert.deepEqual(savedFormula(sheet, 3).inputs, [
    { id: other, alias: 'other', aggregation: 'state-rate', state: 3 },
  ]);
});

test('a calculated item opens as a sheet that saves the same', () => {
  const inputs = [
    { id: heat, alias: 'result', aggregation: 'avg', lead: 0, lag: 0 },
    { id: power, alias: 'b', aggregation: 'state-percent', state: 7, lead: 1, lag: 3 },
  ];
  const item = { id: other, formula: 'result / b', inputs } as Parameters<typeof formulaHref>[0];
  const search = new URLSearchParams(formulaHref(item).split('?')[1]);
  assert.equal(search.get('item'), other);
  const opened = parseSheet(search.get('f'));
  assert.deepEqual(savedFormula(opened, 0), {
    formula: 'result / b',
    inputs: [
      { id: heat, alias: 'result', aggregation: 'avg' },
      { id: power, alias: 'b', aggregation: 'state-percent', state: 7, lag: 2 },
    ],
  });
  assert.equal(printSheet(opened), search.get('f'));
});

test('an item says in its annotations that it is calculated', () => {
  assert.equal(isCalculated({ 'tidemark/calculated/version': '1' }), true);
  assert.equal(isCalculated({ 'tidemark/publish/rule': 'x' }), false);
});
