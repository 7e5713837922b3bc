/** Formulas under random input: printing and parsing undo each other, and columns agree with one bucket at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ChainOperator, Expression, Link, UnaryOperator } from '#domain/formula/expression';
import { chainTiers, tierOf } from '#domain/formula/expression';
import { evaluateCalculations } from '#domain/formula/formula';
import { functionsByName } from '#domain/formula/function-table';
import { parseFormula } from '#domain/formula/parse';
import { FormulaError } from '#domain/formula/problem';
import { limitDefaults } from '#model/limits';
import { atOnce, planCalculations } from '../unit/domain/formula/evaluation.ts';
import { printFormula } from '../unit/domain/formula/print.ts';
import { reckon } from './formula-reckoning.ts';

const limits = {
  ...limitDefaults,
  formulaCharactersMax: 100_000,
  formulaLevelsMax: 256,
  formulaWorkMsMax: 3_600_000,
};

/** The tree without positions; chains whose first operand is a chain of the same tier become one, as parsing makes them. */
function normal(expression: Expression): Expression {
  const at = 0;
  switch (expression.kind) {
    case 'call':
      return { ...expression, at, args: expression.args.map(normal) };
    case 'unary':
      return { ...expression, at, operand: normal(expression.operand) };
    case 'power':
      return { ...expression, at, base: normal(expression.base), exponent: normal(expression.exponent) };
    case 'choice':
      return {
        ...expression,
        at,
        condition: normal(expression.condition),
        yes: normal(expression.yes),
        no: normal(expression.no),
      };
    case 'chain': {
      const first = normal(expression.first);
      const rest: Link[] = expression.rest.map((link) => ({ ...link, at, operand: normal(link.operand) }));
      if (first.kind !== 'chain' || tierOf(first) !== tierOf(expression))
        return { kind: 'chain', at, first, rest };
      return { kind: 'chain', at, first: first.first, rest: [...first.rest, ...rest] };
    }
    default:
      return { ...expression, at };
  }
}

const numbers = fc.oneof(
  fc.integer({ min: 0, max: 12 }),
  fc.double({ min: 0, noDefaultInfinity: true, noNaN: true }).map((value) => value + 0),
);
const number = numbers.map((value): Expression => ({ kind: 'number', at: 0, value }));
const name = fc
  .constantFrom('a', 'b', 'PI', 'E', 'null', 'time_seconds', 'bucket_seconds')
  .map((text): Expression => ({ kind: 'name', at: 0, name: text }));

/** Operators that share a tier, so that any of them can continue a chain. */
const chainTierList = [...new Set(chainTiers.values())].map((tier) =>
  [...chainTiers].filter(([, other]) => other === tier).map(([operator]) => operator as ChainOperator),
);

const scalarCalls: [string, number][] = [
  ...[
    'abs',
    'sign',
    'floor',
    'ceil',
    'round',
    'trunc',
    'sqrt',
    'exp',
    'ln',
    'log',
    'sin',
    'deg',
    'isnull',
  ].map((text): [string, number] => [text, 1]),
  ['log', 2],
  ['pow', 2],
  ['mod', 2],
  ['atan2', 2],
  ['min', 3],
  ['max', 2],
  ['sum', 3],
  ['avg', 3],
  ['hypot', 2],
  ['coalesce', 3],
  ['clamp', 3],
  ['if', 3],
];

/** Any expression; with `series` also functions of other buckets, each with a literal where it takes one. */
function expressions(series: boolean): fc.Arbitrary<Expression> {
  return fc.letrec<{ tree: Expression }>((tie) => {
    const tree = tie('tree');
    const chain = fc.constantFrom(...chainTierList).chain((operators) =>
      fc.record({
        kind: fc.constant('chain' as const),
        at: fc.constant(0),
        first: tree,
        rest: fc.array(
          fc.record({ at: fc.constant(0), operator: fc.constantFrom(...operators), operand: tree }),
          { minLength: 1, maxLength: 3 },
        ),
      }),
    );
    const call = fc
      .constantFrom(...scalarCalls)
      .chain(([text, count]) =>
        fc
          .tuple(...Array<fc.Arbitrary<Expression>>(count).fill(tree))
          .map((args): Expression => ({ kind: 'call', at: 0, name: text, args })),
      );
    const unary = fc
      .tuple(fc.constantFrom<UnaryOperator>('-', '+', '!'), tree)
      .map(([operator, operand]): Expression => ({ kind: 'unary', at: 0, operator, operand }));
    const power = fc
      .tuple(tree, tree)
      .map(([base, exponent]): Expression => ({ kind: 'power', at: 0, base, exponent }));
    const choice = fc
      .tuple(tree, tree, tree)
      .map(([condition, yes, no]): Expression => ({ kind: 'choice', at: 0, condition, yes, no }));
    const inner = [number, name, chain, call, unary, power, choice];
    const all = series ? [...inner, seriesCall(tree)] : inner;
    return { tree: fc.oneof({ maxDepth: 4, depthSize: 'small' }, ...all) };
  }).tree;
}

function seriesCall(tree: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  const names = [
    'interpolate',
    'lag',
    'lead',
    'delta',
    'rate',
    'cumsum',
    'movavg',
    'movmin',
    'movmax',
    'movsum',
  ];
  const literal = fc
    .integer({ min: 1, max: 6 })
    .map((value): Expression => ({ kind: 'number', at: 0, value }));
  return fc.tuple(fc.constantFrom(...names), tree, literal).map(([text, x, n]): Expression => {
    const takesN = functionsByName.get(text)?.parameters.length === 2;
    return { kind: 'call', at: 0, name: text, args: takesN ? [x, n] : [x] };
  });
}

test('F parsing a printed tree gives the tree back', () => {
  fc.assert(
    fc.property(expressions(true), (tree) => {
      assert.deepEqual(normal(parseFormula(printFormula(normal(tree)), limits)), normal(tree));
    }),
    { numRuns: 500 },
  );
});

/** The tree as text with parentheses and white space where none are needed. */
function wordy(expression: Expression, spaces: readonly string[]): string {
  let turn = 0;
  const space = () => spaces[turn++ % spaces.length];
  const write = (tree: Expression): string => {
    switch (tree.kind) {
      case 'call':
        return `${tree.name}${space()}(${tree.args.map(write).join(`${space()},${space()}`)}${space()})`;
      case 'unary':
        return `(${tree.operator}${space()}${write(tree.operand)})`;
      case 'power':
        return `(${write(tree.base)}${space()}**${space()}${write(tree.exponent)})`;
      case 'choice':
        return `((${write(tree.condition)})${space()}?${write(tree.yes)}${space()}:${write(tree.no)})`;
      case 'chain':
        return `(${tree.rest.reduce((left, { operator, operand }) => `${left}${space()}${operator}${space()}${write(operand)}`, write(tree.first))})`;
      default:
        return `(${space()}${printFormula(tree)})`;
    }
  };
  return write(expression);
}

test('F printing a parsed text is canonical: however it was written, and printed again it stays', () => {
  const spaces = fc.array(fc.constantFrom('', ' ', '\t', '\n', '\r\n'), { minLength: 1, maxLength: 7 });
  fc.assert(
    fc.property(expressions(true), spaces, (tree, blanks) => {
      const canonical = printFormula(normal(tree));
      assert.equal(printFormula(parseFormula(wordy(normal(tree), blanks), limits)), canonical);
      assert.equal(printFormula(parseFormula(canonical, limits)), canonical);
    }),
    { numRuns: 300 },
  );
});

const cell = fc.oneof(
  fc.constant(Number.NaN),
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(-0, 1e308, -1e308, Number.MAX_VALUE, Number.MIN_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Any formula; every other time a function of other buckets is outermost, as inside it would often meet only nulls. */
const formulas = fc.oneof(expressions(true), seriesCall(name), seriesCall(expressions(false)));

/** Columns of some buckets before, in, and after the window, of unequal widths. */
const settings = fc.record({
  a: fc.array(cell, { minLength: 30, maxLength: 30 }),
  b: fc.array(cell, { minLength: 30, maxLength: 30 }),
  widths: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 30, maxLength: 30 }),
});

test('F2 F3 F4 columns agree with reckoning one bucket at a time, and hold neither infinity nor -0', async () => {
  await fc.assert(
    fc.asyncProperty(formulas, settings, async (tree, { a, b, widths }) => {
      const formula = printFormula(tree);
      const signals = new Map(['a', 'b'].map((alias) => [alias, { gapUs: 3e6 }]));
      const small = { ...limits, offsetBucketsMax: 10 };
      const scope = { signals, returned: null, bucketCount: 10, bucketUsMin: 1e6, limits: small };
      let plan: ReturnType<typeof planCalculations>;
      try {
        plan = planCalculations([{ alias: 'c', formula }], scope);
      } catch {
        fc.pre(false);
        return;
      }
      const edgesUs = new Float64Array(31);
      widths.forEach((width, i) => {
        edgesUs[i + 1] = edgesUs[i] + width * 1e6;
      });
      const buckets = { edgesUs, first: 10, count: 10 };
      const columns = new Map([
        ['a', Float64Array.from(a)],
        ['b', Float64Array.from(b)],
      ]);
      const results = await atOnce(evaluateCalculations(plan, columns, buckets));
      const got = [...(results.get('c') ?? [])];
      assert.deepEqual(got, reckon(parseFormula(formula, limits), { columns, ...buckets }));
      for (const value of got)
        assert.ok(Number.isNaN(value) || (Number.isFinite(value) && !Object.is(value, -0)));
    }),
    { numRuns: 500 },
  );
});

test('F6 any text is read or refused with a position, never anything else', () => {
  const pieces = [
    'a',
    '1',
    '.5',
    '1e9',
    '(',
    ')',
    ',',
    '+',
    '-',
    '*',
    '**',
    '/',
    '%',
    '!',
    '?',
    ':',
    '&&',
    '||',
    '<=',
  ];
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(fc.constantFrom(...pieces, '==', '>', 'abs(', ' ', '=', '&', '"', '\\', '\u0000'), {
        maxLength: 40,
      })
      .map((list) => list.join('')),
  );
  fc.assert(
    fc.property(text, (formula) => {
      try {
        parseFormula(formula, limits);
      } catch (error) {
        assert.ok(error instanceof FormulaError);
        const [{ at }] = error.problems;
        assert.ok(at >= 1 && at <= formula.length + 1, `at ${at}`);
      }
    }),
    { numRuns: 1000 },
  );
});

test('F4 E3b functions of other buckets agree with it over long columns too, which are computed in pieces', async () => {
  const count = 5000;
  const total = 10 + count + 10;
  const edgesUs = Float64Array.from({ length: total + 1 }, (_, i) => i * 1e6 + (i % 3) * 1e5);
  const columnOf = (isNull: (i: number) => boolean) =>
    Float64Array.from({ length: total }, (_, i) => (isNull(i) ? Number.NaN : ((i * 7919) % 1000) - 500));
  const columns = new Map([
    ['a', columnOf((i) => i % 7 === 3)],
    ['b', columnOf((i) => i > 100 && i < 4900)],
  ]);
  const signals = new Map(['a', 'b'].map((alias) => [alias, { gapUs: 4200e6 }]));
  const scope = { signals, returned: null, bucketCount: count, bucketUsMin: 1e6, limits };
  const formulas = ['lag(a, 5)', 'lead(b, 5)', 'delta(a)', 'rate(a)', 'cumsum(a)', 'interpolate(b)'];
  formulas.push('movavg(a, 7)', 'movsum(b, 10)', 'movmin(a, 9)', 'movmax(a, 3)', 'time_seconds + a');
  for (const formula of formulas) {
    const plan = planCalculations([{ alias: 'c', formula }], scope);
    const buckets = { edgesUs, first: 10, count };
    const results = await atOnce(evaluateCalculations(plan, columns, buckets));
    const expected = reckon(parseFormula(formula, limits), { columns, ...buckets });
    assert.deepEqual(results.get('c'), Float64Array.from(expected), formula);
  }
  const plan = planCalculations([{ alias: 'c', formula: 'gapfill(b)' }], scope);
  const filled = (await atOnce(evaluateCalculations(plan, columns, { edgesUs, first: 10, count }))).get('c');
  const last = columns.get('b')?.[100];
  assert.deepEqual(
    [filled?.[90], filled?.[91], filled?.[4289], filled?.[4291]],
    [last, last, last, Number.NaN],
  );
});
