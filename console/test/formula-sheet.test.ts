/** Sheets of formulas: edited, computed with what is right of them, and explained. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readColumns } from '../src/features/explorer/frame.ts';
import type { Request } from '../src/features/explorer/request.ts';
import { evaluate, evaluateRequest, faultsOf, noFaults } from '../src/features/formula/evaluation.ts';
import { exampleParams, isRunnable, printExample } from '../src/features/formula/example.ts';
import {
  aliasPattern,
  callAround,
  functions,
  isTakenWord,
  nameBefore,
  names,
  readFault,
  suggestions,
  tokenAt,
  tokensOf,
} from '../src/features/formula/language.ts';
import {
  countNulls,
  explainNull,
  previewChart,
  previewColumns,
  previewSeries,
  unitsIn,
} from '../src/features/formula/preview.ts';
import {
  addItem,
  aggregations,
  aliasesOf,
  aliasProblem,
  emptySheet,
  freeAlias,
  insertText,
  isStateAggregation,
  itemParams,
  newCalculation,
  parseSheet,
  printSheet,
  renameAlias,
  type Sheet,
  sheetLimits,
} from '../src/features/formula/sheet.ts';
import { RpcError } from '../src/platform/rpc/rpc-error.ts';
import { enumOf, frameOf, itemOf } from './support/items.ts';
import { randomOf } from './support/random.ts';

const [first, second] = ['cbpmaq6rpn52969vfl00', 'cbpmaq6rpn52969vfl0g'] as [string, string];
const cutting = { span: { fromMs: 0, toMs: 180_000 }, rollup: 'PT1M', zone: 'UTC', firstDay: 1 };

const sheet: Sheet = {
  items: [{ id: first, alias: 'flow', aggregation: 'avg', state: null }],
  calculations: [
    { alias: 'a', formula: 'flow * 2' },
    { alias: 'empty', formula: '  ' },
    { alias: 'b', formula: 'a + nothing' },
    { alias: 'c', formula: 'b + 1' },
  ],
  hidden: new Set(),
};

suite('editing a sheet', () => {
  test('items get aliases of their names, each another one, and an enum its first state', () => {
    const items = [itemOf(first, { name: 'Pump 1: Flow' }), itemOf(second, { name: 'pump-1 flow' })];
    const both = items.reduce(addItem, emptySheet);
    assert.deepEqual(aliasesOf(both), ['pump_1_flow', 'pump_1_flow_2']);
    const state = addItem(emptySheet, enumOf(first, { 3: 'fault', 1: 'on' })).items[0]!;
    assert.deepEqual([state.aggregation, state.state], ['state-percent', 1]);
  });

  test('every alias that is made of a name can be used', () => {
    const taken: string[] = [];
    for (const name of [
      '',
      '   ',
      '42',
      '_',
      'Flöw',
      'x'.repeat(80),
      'if',
      'PI',
      'sum',
      '水',
      '-',
      'a b c',
    ]) {
      const alias = freeAlias(name, taken);
      assert.match(alias, aliasPattern, name);
      assert.ok(!isTakenWord(alias) && !taken.includes(alias), `${name}: ${alias}`);
      taken.push(alias);
    }
  });

  test('a new calculation has a name that is free', () => {
    const taken = { ...emptySheet, calculations: [{ alias: 'c2', formula: '1' }] };
    assert.equal(newCalculation(taken).alias, 'c2_2');
    assert.deepEqual(newCalculation(emptySheet), { alias: 'c1', formula: '' });
  });

  test('what is wrong with an alias is said', () => {
    assert.equal(aliasProblem('flow', 'flow', ['flow']), null);
    assert.equal(aliasProblem('power', 'flow', ['flow', 'power']), 'This alias is taken');
    assert.equal(aliasProblem('max', 'flow', ['flow']), 'This is a word of the language');
    for (const alias of ['', '2a', 'a-b', 'ä', 'x'.repeat(29)])
      assert.match(aliasProblem(alias, 'flow', [])!, /Letters, digits and _/, alias);
  });

  test('an alias is renamed everywhere but inside of other names and numbers', () => {
    const formulas = ['a', 'a+aa', 'a_1 + a', 'max(a,1e3a)', '1.5a', 'b.a'];
    const before: Sheet = {
      items: [{ id: first, alias: 'a', aggregation: 'avg', state: null }],
      calculations: formulas.map((formula, i) => ({ alias: `c${i}`, formula })),
      hidden: new Set(['a', 'c1']),
    };
    const { calculations, hidden, items } = renameAlias(before, 'a', 'z');
    assert.deepEqual(
      calculations.map(({ formula }) => formula),
      ['z', 'z+aa', 'a_1 + z', 'max(z,1e3a)', '1.5a', 'b.a'],
    );
    assert.deepEqual([...hidden], ['z', 'c1']);
    assert.equal(items[0]!.alias, 'z');
    assert.deepEqual(renameAlias(before, 'a', 'not valid!').calculations, before.calculations);
  });

  test('an alias of an address that is no name can be given one, and no formula is changed by it', () => {
    const odd: Sheet = {
      items: [{ id: first, alias: 'a(', aggregation: 'avg', state: null }],
      calculations: [{ alias: 'c1', formula: 'max(a(, 1)' }],
      hidden: new Set(),
    };
    const { items, calculations } = renameAlias(odd, 'a(', 'a');
    assert.deepEqual([items[0]!.alias, calculations[0]!.formula], ['a', 'max(a(, 1)']);
  });

  test('a text goes where the cursor was last, else into a new calculation', () => {
    const put = (calculation: number, position: number) =>
      insertText(sheet, 'abs()', { calculation, position }).calculations.map(({ formula }) => formula);
    assert.deepEqual(put(0, 4)[0], 'flowabs() * 2');
    assert.deepEqual(put(9, 0).at(-1), 'abs()');
    assert.equal(put(9, 0).length, sheet.calculations.length + 1);
  });

  test('any sheet comes back from its address', () => {
    const random = randomOf(11);
    const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
    for (let round = 0; round < 100; round++) {
      const any: Sheet = {
        items: Array.from({ length: Math.floor(random() * 5) }, (_, i) => {
          const aggregation = pick(Object.keys(aggregations));
          const state = isStateAggregation(aggregation) ? Math.floor(random() * 9999) : null;
          return { id: pick([first, second]), alias: `i${i}`, aggregation, state };
        }),
        calculations: Array.from({ length: Math.floor(random() * 5) }, (_, i) => ({
          alias: `c${i}`,
          formula: pick(['', 'a + "b"', 'max(1, 2) // ü', '\\ \n']),
        })),
        hidden: new Set(random() < 0.5 ? ['i0', 'c0'] : []),
      };
      if (any.items.length + any.calculations.length === 0) assert.equal(printSheet(any), null);
      else assert.deepEqual(parseSheet(printSheet(any)), any);
    }
  });

  test('an address with more than the limits, or with parts that are none, is cut to what can be meant', () => {
    const many = Array.from({ length: 200 }, (_, i) => [first, `a${i}`, 'avg']);
    const { items, calculations } = parseSheet(
      JSON.stringify([many, many.map(([, alias]) => [alias, '1']), []]),
    );
    assert.deepEqual([items.length, calculations.length], [sheetLimits.items, sheetLimits.calculations]);
    const odd = JSON.stringify([
      [[first, 'a', 'mode', 1.5], ['no id', 'b'], null],
      [['c'], 7],
      ['x', 1],
    ]);
    assert.deepEqual(parseSheet(odd), {
      items: [{ id: first, alias: 'a', aggregation: 'avg', state: null }],
      calculations: [],
      hidden: new Set(['x']),
    });
  });

  test('Q10 only aggregations of states have a state', () => {
    const entry = { id: first, alias: 'a', aggregation: 'avg', state: 5 };
    const state = { ...entry, aggregation: 'state-rate' };
    assert.deepEqual(itemParams([entry, state, { ...state, state: null }]), [
      { id: first, alias: 'a', aggregation: 'avg' },
      { id: first, alias: 'a', aggregation: 'state-rate', state: 5 },
      { id: first, alias: 'a', aggregation: 'state-rate', state: 0 },
    ]);
  });
});

suite('computing a sheet', () => {
  test('calculations that are not written yet are not sent, and nothing at all is no call', () => {
    const request = evaluateRequest(sheet, cutting)!;
    assert.equal(request.method, 'service.evaluate');
    const { calculations = [] } = request.params as { calculations?: readonly { alias: string }[] };
    assert.deepEqual(
      calculations.map(({ alias }) => alias),
      ['a', 'b', 'c'],
    );
    assert.equal(evaluateRequest(emptySheet, cutting), null);
    const unwritten = { ...emptySheet, calculations: [{ alias: 'a', formula: ' ' }] };
    assert.equal(evaluateRequest(unwritten, cutting), null);
  });

  test('faults are at the places of the sheet, though others were left out', () => {
    const error = new RpcError('wrong', {
      params: { 'calculations.1.formula': ['at 5: unknown name "nothing"'], 'data.rollup': ['too narrow'] },
    });
    const { byCalculation, others } = faultsOf(error, sheet);
    assert.deepEqual([...byCalculation.keys()], [2]);
    assert.deepEqual(byCalculation.get(2), [{ from: 4, to: 11, text: 'unknown name "nothing"' }]);
    assert.deepEqual(others, [['data.rollup', 'too narrow']]);
    assert.equal(faultsOf(new Error('lost'), sheet), noFaults);
  });

  test('what is right is shown: faulty calculations are left out, then those that need them', async () => {
    const sent: string[][] = [];
    const load = async ({ params }: Request) => {
      const { calculations = [] } = params as {
        calculations?: readonly { alias: string; formula: string }[];
      };
      sent.push(calculations.map(({ alias }) => alias));
      const wrong = calculations.findIndex(
        ({ formula }) => formula.includes('nothing') || formula.includes('b +'),
      );
      if (wrong >= 0)
        throw new RpcError('wrong', {
          params: { [`calculations.${wrong}.formula`]: ['at 1: unknown name'] },
        });
      return readColumns(frameOf([0, 60], { flow: [1, 2], a: [2, 4] }));
    };
    const { evaluated, faults } = await evaluate(sheet, cutting, load);
    assert.deepEqual(sent, [['a', 'b', 'c'], ['a', 'c'], ['a']]);
    assert.deepEqual([...faults.byCalculation.keys()], [2], 'faults of later rounds follow from the first');
    assert.equal(evaluated!.widthMs, 60_000);
    assert.deepEqual(Array.from(evaluated!.rows.columns.get('a')!), [2, 4]);
  });

  test('an error that is about no calculation is an error', async () => {
    const fail = async () => {
      throw new RpcError('busy', { code: -32015 });
    };
    await assert.rejects(evaluate(sheet, cutting, fail), /busy/);
  });

  test('one bucket is as wide as the window, and a sheet without fault has none', async () => {
    const sent: string[] = [];
    const load = async (request: Request) => {
      sent.push((request.params.data as { rollup: string }).rollup);
      return readColumns(frameOf([0], { flow: [1] }));
    };
    const right = { ...sheet, calculations: [] };
    const span = { fromMs: 60_000, toMs: 240_000 };
    const { evaluated, faults } = await evaluate(right, { ...cutting, span, rollup: 'window' }, load);
    assert.deepEqual([evaluated!.widthMs, sent], [180_000, ['window']]);
    assert.deepEqual([faults.byCalculation.size, faults.others], [0, []]);
    const none = await evaluate(emptySheet, cutting, load);
    assert.deepEqual(
      [none.evaluated, none.faults, sent.length],
      [null, noFaults, 1],
      'nothing to compute is not sent',
    );
  });

  test('where nothing is left there is no result, but the faults', async () => {
    const only: Sheet = { ...emptySheet, calculations: [{ alias: 'a', formula: 'x' }] };
    const fail = async () => {
      throw new RpcError('wrong', { params: { 'calculations.0.formula': ['at 1: unknown name "x"'] } });
    };
    const { evaluated, faults } = await evaluate(only, { ...cutting, rollup: 'window' }, fail);
    assert.equal(evaluated, null);
    assert.equal(faults.byCalculation.get(0)![0]!.text, 'unknown name "x"');
  });
});

suite('what a sheet gives', () => {
  const items = [itemOf(first, { name: 'Flow', engUnit: 'm³/h' }), enumOf(second)];
  const whole: Sheet = {
    items: [
      { id: first, alias: 'flow', aggregation: 'avg', state: null },
      { id: first, alias: 'n', aggregation: 'count', state: null },
      { id: second, alias: 'on', aggregation: 'state-seconds', state: 1 },
      { id: second, alias: 'share', aggregation: 'state-percent', state: 1 },
      { id: 'gone', alias: 'gone', aggregation: 'max', state: null },
    ],
    calculations: [{ alias: 'double', formula: 'flow * 2 + missing' }],
    hidden: new Set(),
  };
  const columns = {
    flow: [1, null, 3],
    n: [1, 0, 2],
    on: [60, 0, 0],
    share: [100, 0, 0],
    gone: [1, 1, 1],
    double: [2, null, 6],
  };
  const evaluated = {
    rows: {
      timesMs: [0, 60_000, 120_000],
      columns: new Map(
        Object.entries(columns).map(([key, values]) => [key, values.map((value) => value ?? undefined)]),
      ),
    },
    sheet: whole,
    cutting,
    widthMs: 60_000,
  };
  const series = previewSeries(evaluated, new Set(['n']), items, true);

  test('each series has its unit and meaning; an item that is gone has its ID', () => {
    assert.deepEqual(
      series.map(({ alias, unit, meaning }) => [alias, unit, meaning]),
      [
        ['flow', 'm³/h', 'Flow, average'],
        ['n', 'points', 'Flow, count'],
        ['on', 's', `Item ${second}, seconds in state`],
        ['share', '%', `Item ${second}, percent in state`],
        ['gone', '', 'gone, maximum'],
        ['double', '', 'flow * 2 + missing'],
      ],
    );
    assert.deepEqual(
      series.map(({ isVisible }) => isVisible),
      [true, false, true, true, true, true],
    );
    assert.ok(series.every(({ line }) => line.shape === 'step'));
  });

  test('tables and files have the unit in the title', () => {
    const titles = previewColumns(series).map(({ title }) => title);
    assert.deepEqual(titles, ['flow [m³/h]', 'n [points]', 'on [s]', 'share [%]', 'gone', 'double']);
  });

  test('the chart has panels from three units on, and calculations an axis each', () => {
    const chart = previewChart(series, evaluated);
    assert.equal(chart.isPanels, true);
    assert.equal(previewChart(series.slice(0, 2), evaluated).isPanels, false);
    assert.equal(chart.lines.find(({ key }) => key === 'double')!.axis, 'double');
  });

  test('F2 missing values are counted, and explained by what they are made of', () => {
    const [flow, , , , , double] = series;
    assert.deepEqual([countNulls(flow!, evaluated), countNulls(double!, evaluated)], [1, 1]);
    assert.equal(explainNull(double!, evaluated, 1), 'flow is null here');
    assert.equal(explainNull(flow!, evaluated, 0), null);
  });

  test('lines are joined unless steps are chosen; units share an axis, and what has none does not', () => {
    const joined = previewSeries(evaluated, new Set(), items, false);
    assert.ok(joined.every(({ line }) => line.shape === 'line' && !line.isQuiet));
    const axes = joined.map(({ line }) => [line.key, line.axis]);
    assert.deepEqual(axes, [
      ['flow', 'm³/h'],
      ['n', 'points'],
      ['on', 's'],
      ['share', '%'],
      ['gone', 'gone'],
      ['double', 'double'],
    ]);
  });

  test('what is not written yet is no series, though a column has its name', () => {
    const calculations = [{ alias: 'double', formula: ' \n' }];
    const blank = { ...evaluated, sheet: { ...whole, calculations } };
    assert.deepEqual(
      previewSeries(blank, new Set(), items, false)
        .map(({ alias }) => alias)
        .slice(-1),
      ['gone'],
    );
  });

  test('F2 of several that are missing all are named, functions and numbers are not', () => {
    const holes = new Map([...evaluated.rows.columns, ['n', [1, undefined, 2]], ['max', [1, undefined, 1]]]);
    const of = { ...evaluated, rows: { ...evaluated.rows, columns: holes } };
    const explained = (formula: string) => explainNull({ ...series.at(-1)!, meaning: formula }, of, 1);
    assert.equal(explained('flow / n'), 'flow and n are null here');
    assert.equal(explained('max(gone, 1) + flow'), 'flow is null here');
    assert.match(explained('gone / 0')!, /^no finite number/);
    assert.equal(explainNull({ ...series[1]!, isCalculation: false }, of, 1), 'no points in this bucket');
  });

  test('the units of what a formula uses are named, once each', () => {
    assert.deepEqual(unitsIn('flow + flow / max(n, gone, 1)', whole, items), [
      { alias: 'flow', unit: 'm³/h' },
      { alias: 'n', unit: 'points' },
    ]);
    assert.deepEqual(unitsIn('1 + 2', whole, items), []);
  });
});

suite('the language', () => {
  test('F1 tokens of any text cover all of it but blanks, in order', () => {
    const random = randomOf(12);
    const signs = 'ab1.+*/()<=!&|?:,_ #€\n';
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: 20 }, () => signs[Math.floor(random() * signs.length)]).join('');
      let end = 0;
      for (const { from, to } of tokensOf(text)) {
        assert.ok(from >= end && to > from);
        assert.match(text.slice(end, from), /^[ \n]*$/);
        end = to;
      }
      assert.match(text.slice(end), /^[ \n]*$/);
    }
    assert.equal(tokenAt('  ', 0), null);
  });

  test('every function and constant is suggested, with the cursor between its brackets', () => {
    const all = suggestions([]);
    assert.equal(all.length, functions.length + names.length);
    for (const { insert, kind } of all) assert.equal(insert.includes('(|)'), kind === 'function');
    for (const { name } of [...functions, ...names]) assert.ok(isTakenWord(name));
  });

  test('a name is being typed only where one can be', () => {
    assert.deepEqual(nameBefore('max', 3), { from: 0, name: 'max' });
    assert.deepEqual(nameBefore('a+max_1', 7), { from: 2, name: 'max_1' });
    for (const text of ['', '1', '1.5e', '2a', 'a ']) assert.equal(nameBefore(text, text.length), null, text);
  });

  test('the function around the cursor is the innermost that is known', () => {
    assert.equal(callAround('max(min(1, 2), ', 15)?.argument, 1);
    assert.equal(callAround('max(unknown(1, ', 15)?.name, 'max');
    assert.equal(callAround('max(1)', 6), null);
    assert.equal(callAround('', 0), null);
  });

  test('what counts is before the cursor, also in the middle of a formula', () => {
    assert.deepEqual(nameBefore('sqrt(flow)', 7), { from: 5, name: 'fl' });
    assert.deepEqual(nameBefore('a', 1), { from: 0, name: 'a' });
    const around = (formula: string, position: number) => callAround(formula, position);
    assert.equal(around('max(1, 2)', 3), null, 'before its bracket');
    assert.deepEqual(
      [4, 6, 8].map((position) => around('max(1, 2)', position)?.argument),
      [0, 1, 1],
    );
    assert.equal(around('max(1, min(2, 3), 4)', 12)?.name, 'min');
    assert.equal(around('1, 2', 4), null, 'a comma belongs to no call here');
  });

  test('a suggestion says what the function takes, and what it means', () => {
    const all = suggestions([{ alias: 'flow', meaning: 'Pump 1 flow, average' }]);
    const [flow] = all;
    assert.deepEqual([flow!.detail, flow!.info, flow!.insert], ['Pump 1 flow, average', '', 'flow|']);
    const round = all.find(({ name }) => name === 'round')!;
    assert.equal(round.detail, '(x[, digits = 0])');
    assert.match(round.info, /^x rounded/);
  });

  test('F6 a fault beyond the end underlines the last sign', () => {
    assert.deepEqual(readFault('at 99: expected a number', 'a +'), {
      from: 2,
      to: 3,
      text: 'expected a number',
    });
    assert.deepEqual(readFault('too long', 'abc'), { from: 0, to: 3, text: 'too long' });
  });

  test('examples that can be run say how, and what they give is printed as the reference has it', () => {
    const runnable = functions.flatMap(({ examples }) => examples).filter(isRunnable);
    assert.ok(runnable.length > 50);
    for (const example of runnable) {
      const { calculations, data } = exampleParams(example);
      assert.ok(
        calculations!.some(({ alias, formula }) => alias === 'example' && formula === example.formula),
      );
      assert.equal(data!.rollup, 'PT1M');
    }
    assert.equal(printExample({ series: {} }), '');
    assert.equal(printExample({ series: { example: [1, null, 1 / 3] } }), '1 _ 0.333333333333');
  });
});
