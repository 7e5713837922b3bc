/** Formulas without a browser: colours, completion, faults, and sheets. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { formulaDocument, formulaDocumentUrl } from '../../server/generate/formula-document.ts';
import { mergeColumns, readColumns } from '../src/features/explorer/frame.ts';
import type { Item } from '../src/features/explorer/item.ts';
import type { Evaluated } from '../src/features/formula/evaluation.ts';
import { exampleParams, printExample } from '../src/features/formula/example.ts';
import {
  callAround,
  functions,
  nameBefore,
  readFault,
  readFaults,
  suggestions,
  tokensOf,
} from '../src/features/formula/language.ts';
import { explainNull, previewSeries } from '../src/features/formula/preview.ts';
import {
  aliasesBefore,
  freeAlias,
  itemParams,
  parseSheet,
  printSheet,
  renameAlias,
  type Sheet,
} from '../src/features/formula/sheet.ts';
import { frameOf } from './support/items.ts';

test('F3 the table of functions is that of the service (npm run generate rewrites it)', () => {
  const text = formulaDocument();
  if (process.env.UPDATE === '1') writeFileSync(formulaDocumentUrl, text);
  assert.equal(readFileSync(formulaDocumentUrl, 'utf8'), text);
  assert.ok(functions.some(({ signature }) => signature === 'round(x[, digits = 0])'));
});

test('F1 every sign of a formula has a kind', () => {
  const kinds = (text: string) =>
    tokensOf(text).map(({ kind, from, to }) => `${text.slice(from, to)}:${kind}`);
  assert.deepEqual(kinds('avg(a1, 2.5e-3) ** PI'), [
    'avg:function',
    '(:bracket',
    'a1:name',
    ',:operator',
    '2.5e-3:number',
    '):bracket',
    '**:operator',
    'PI:constant',
  ]);
  assert.deepEqual(kinds('nope (1) # "x'), [
    'nope:wrong',
    '(:bracket',
    '1:number',
    '):bracket',
    '#:wrong',
    '":wrong',
    'x:name',
  ]);
  assert.deepEqual(kinds('avg + a>=b'), ['avg:name', '+:operator', 'a:name', '>=:operator', 'b:name']);
});

test('every example of the reference is coloured without a fault', () => {
  for (const { examples } of functions)
    for (const { formula } of examples)
      assert.ok(
        tokensOf(formula).every(({ kind }) => kind !== 'wrong'),
        formula,
      );
});

test('names are completed, numbers are not', () => {
  assert.deepEqual(nameBefore('1 + fl', 6), { from: 4, name: 'fl' });
  assert.equal(nameBefore('2e', 2), null);
  assert.equal(nameBefore('a + ', 4), null);
  const all = suggestions([{ alias: 'flow', meaning: 'Pump 1 flow' }]);
  assert.equal(all[0]?.name, 'flow');
  assert.deepEqual(all.find(({ name }) => name === 'round')?.insert, 'round(|)');
  assert.ok(all.some(({ name, kind }) => name === 'bucket_seconds' && kind === 'constant'));
});

test('the call around the cursor', () => {
  assert.deepEqual(callAround('max(1, round(a, ', 16), { name: 'round', argument: 1 });
  assert.deepEqual(callAround('max(1, round(a, 2), ', 20), { name: 'max', argument: 2 });
  assert.deepEqual(callAround('max((1', 6), { name: 'max', argument: 0 });
  assert.equal(callAround('(a + b', 6), null);
});

test('F6 a fault underlines what stands at its position', () => {
  assert.deepEqual(readFault('at 7: unknown name "c9"', 'a + b +c9*2'), {
    from: 6,
    to: 7,
    text: 'unknown name "c9"',
  });
  assert.deepEqual(readFault('at 8: unknown name "c9"', 'a + b +c9*2'), {
    from: 7,
    to: 9,
    text: 'unknown name "c9"',
  });
  assert.deepEqual(readFault('at 4: expected a number, found the end', 'a +'), {
    from: 2,
    to: 3,
    text: 'expected a number, found the end',
  });
  assert.deepEqual(readFault('must be text', 'abc'), { from: 0, to: 3, text: 'must be text' });
  assert.deepEqual(readFault('at 1: expected a number', ''), { from: 0, to: 1, text: 'expected a number' });
  const { byCalculation, others } = readFaults(
    { 'calculations.1.formula': ['at 1: x', 'at 3: y'], 'items.0.id': ['unknown'] },
    ['1', 'a+b'],
  );
  assert.deepEqual(
    byCalculation.get(1)?.map(({ from }) => from),
    [0, 2],
  );
  assert.deepEqual(others, [['items.0.id', 'unknown']]);
});

const sheet: Sheet = {
  items: [
    { id: 'cbpmaq6rpn52969vfl00', alias: 'flow', aggregation: 'avg', state: null },
    { id: 'cbpmaq6rpn52969vfl0g', alias: 'on', aggregation: 'state-seconds', state: 2 },
  ],
  calculations: [
    { alias: 'c1', formula: 'flow * 2' },
    { alias: 'c2', formula: 'lag(c1) + flow_2 + flow' },
  ],
  hidden: new Set(['on']),
};

test('a sheet survives the address, and a broken address gives an empty one', () => {
  assert.deepEqual(parseSheet(printSheet(sheet)), sheet);
  for (const text of [null, '', 'x', '{}', '[[["x","y"]],3,[4]]'])
    assert.deepEqual(parseSheet(text), { items: [], calculations: [], hidden: new Set() });
});

test('Q11 a calculation sees items and what comes before it', () => {
  const seen = aliasesBefore(sheet, 1, () => 'Pump 1');
  assert.deepEqual(
    seen.map(({ alias }) => alias),
    ['flow', 'on', 'c1'],
  );
  assert.deepEqual(itemParams(sheet.items)[1], {
    id: 'cbpmaq6rpn52969vfl0g',
    alias: 'on',
    aggregation: 'state-seconds',
    state: 2,
  });
});

test('aliases come from names, and stay unique', () => {
  assert.equal(freeAlias('Pump 1 flow', []), 'pump_1_flow');
  assert.equal(freeAlias('Pump 1 flow', ['pump_1_flow']), 'pump_1_flow_2');
  assert.equal(freeAlias('2nd °C', []), 'x_2nd_c');
  assert.equal(freeAlias('水', ['x']), 'x_2');
  assert.equal(freeAlias('Sum', []), 'sum_2');
  assert.equal(freeAlias('a'.repeat(99), []).length, 24);
});

test('an alias is renamed in the formulas too, and nowhere inside of a longer one', () => {
  const renamed = renameAlias(sheet, 'flow', 'q');
  assert.deepEqual(
    renamed.calculations.map(({ formula }) => formula),
    ['q * 2', 'lag(c1) + flow_2 + q'],
  );
  assert.equal(renamed.items[0]?.alias, 'q');
});

test('examples with a column become calculations that give these values, and null around them', () => {
  const params = exampleParams({ formula: 'lag(a, 2)', given: '1 _ 3', gives: '_ _ 1' });
  assert.deepEqual(params, {
    calculations: [
      {
        alias: 'a',
        formula:
          'if(time_seconds < 0, null, if(time_seconds < 60, 1, if(time_seconds < 120, null, if(time_seconds < 180, 3, null))))',
      },
      { alias: 'example', formula: 'lag(a, 2)' },
      { alias: 'row', formula: 'time_seconds / 60' },
    ],
    data: { rollup: 'PT1M', filter: { times: { $gte: 0, $lt: 180 } } },
  });
  assert.equal(printExample({ series: { example: [null, 0.1 + 0.2] } }), '_ 0.3');
});

test('F2 a value that is missing is explained', () => {
  const item = { id: 'x', name: 'Flow', unit: 'm³/h' } as Item;
  const cutting = { span: { fromMs: 0, toMs: 180_000 }, rollup: 'PT1M', zone: 'UTC', firstDay: 1 };
  const evaluated: Evaluated = {
    rows: mergeColumns([readColumns(frameOf([0, 60, 120], { flow: [1, null, 0], c: [1, null, null] }))]),
    sheet: {
      items: [{ id: 'x', alias: 'flow', aggregation: 'avg', state: null }],
      calculations: [
        { alias: 'c', formula: 'PI / flow' },
        { alias: 'faulty', formula: '1 +' },
      ],
      hidden: new Set(),
    },
    cutting,
    widthMs: 60_000,
  };
  const [flow, c, ...others] = previewSeries(evaluated, new Set(['c']), [item], false);
  assert.deepEqual(others, [], 'what has a fault is not shown');
  assert.equal(flow?.unit, 'm³/h');
  assert.equal(c?.isVisible, false);
  assert.equal(explainNull(c!, evaluated, 0), null);
  assert.equal(explainNull(c!, evaluated, 1), 'flow is null here');
  assert.match(explainNull(c!, evaluated, 2)!, /division by zero/);
  assert.equal(explainNull(flow!, evaluated, 1), 'no points in this bucket');
  assert.deepEqual(flow?.line.gaps, [[0, 2]], 'a bucket without value breaks the line');
});
