/** What the check of formulas refuses, how it says so, and how far outside the window it finds them to look. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Calculation } from '#domain/formula/formula';
import { editDistance, nearestName } from '#domain/formula/suggest';
import { AppError } from '#model/error';
import type { Setting } from './evaluation.ts';
import { planCalculations, scopeOf } from './evaluation.ts';

const signals = { a: '0', b: '0', temperature: '0' };

/** Formulas as calculations c1, c2, …. */
function calculations(formulas: readonly string[]): Calculation[] {
  return formulas.map((formula, index) => ({ alias: `c${index + 1}`, formula }));
}

function problemsOf(formulas: readonly string[], setting: Setting = {}): Record<string, string[]> {
  try {
    planCalculations(calculations(formulas), scopeOf({ given: signals, ...setting }, 10));
    return {};
  } catch (error) {
    assert.ok(error instanceof AppError && error.kind === 'invalid-params');
    return { ...error.params };
  }
}

function refuses(formula: string, ...problems: string[]): void {
  test(`F6 ${formula} is refused: ${problems.join('; ')}`, () => {
    assert.deepEqual(problemsOf([formula])['calculations.0.formula'], problems);
  });
}

function accepts(...formulas: string[]): void {
  test(`F1 ${formulas.join('; ')} is accepted`, () => {
    assert.deepEqual(problemsOf(formulas), {});
  });
}

const sees = 'a calculation sees items, groups and earlier calculations';

refuses('a + b*c9', `at 7: unknown name "c9"; ${sees}`);
refuses('x', `at 1: unknown name "x"; ${sees}`);
refuses('temprature', `at 1: unknown name "temprature"; ${sees}; did you mean "temperature"?`);
refuses('TEMPERATURE', `at 1: unknown name "TEMPERATURE"; ${sees}; did you mean "temperature"?`);
refuses('pi', `at 1: unknown name "pi"; ${sees}; did you mean "PI"?`);
refuses('A', `at 1: unknown name "A"; ${sees}; did you mean "a"?`);
refuses('time_second', `at 1: unknown name "time_second"; ${sees}; did you mean "time_seconds"?`);
refuses('sin', `at 1: unknown name "sin"; ${sees}; "sin" is a function: sin(x)`);
refuses('c1', `at 1: unknown name "c1"; ${sees}, and "c1" is not an earlier one`);
refuses('x + y', `at 1: unknown name "x"; ${sees}`, `at 5: unknown name "y"; ${sees}`);
refuses('sine(a)', 'at 1: unknown function "sine"; did you mean "sin"?');
refuses('ABS(a)', 'at 1: unknown function "ABS"; did you mean "abs"?');
refuses('moveavg(a, 3)', 'at 1: unknown function "moveavg"; did you mean "movavg"?');
refuses('gapfil(a)', 'at 1: unknown function "gapfil"; did you mean "gapfill"?');
refuses('frobnicate(a)', 'at 1: unknown function "frobnicate"; see the list of functions');
refuses('a(1)', 'at 1: unknown function "a"; see the list of functions');
refuses('constructor(a)', 'at 1: unknown function "constructor"; see the list of functions');
refuses('__proto__', `at 1: unknown name "__proto__"; ${sees}`);
refuses('abs()', 'at 1: abs takes 1 argument, got 0: abs(x)');
refuses('abs(a, b)', 'at 1: abs takes 1 argument, got 2: abs(x)');
refuses('min()', 'at 1: min takes at least 1 argument, got 0: min(a, …)');
refuses('hypot(a)', 'at 1: hypot takes at least 2 arguments, got 1: hypot(x, y, …)');
refuses('if(a, b)', 'at 1: if takes 3 arguments, got 2: if(condition, yes, no)');
refuses('round(a, 1, 2)', 'at 1: round takes 1 or 2 arguments, got 3: round(x[, digits = 0])');
refuses('lag(a, 1, 2)', 'at 1: lag takes 1 or 2 arguments, got 3: lag(x[, n = 1])');
refuses('movavg(a)', 'at 1: movavg takes 2 arguments, got 1: movavg(x, n)');
refuses('lag(a, b)', 'at 8: n of lag must be a whole number from 0 to 1000, written out; got an expression');
refuses(
  'lag(a, 1+1)',
  'at 8: n of lag must be a whole number from 0 to 1000, written out; got an expression',
);
refuses('lag(a, -1)', 'at 8: n of lag must be a whole number from 0 to 1000, written out; got -1');
refuses('lag(a, 1.5)', 'at 8: n of lag must be a whole number from 0 to 1000, written out; got 1.5');
refuses('lag(a, 1001)', 'at 8: n of lag must be a whole number from 0 to 1000, written out; got 1001');
refuses('lead(a, 1001)', 'at 9: n of lead must be a whole number from 0 to 1000, written out; got 1001');
refuses('movavg(a, 0)', 'at 11: n of movavg must be a whole number from 1 to 1000, written out; got 0');
refuses('movsum(a, 1001)', 'at 11: n of movsum must be a whole number from 1 to 1000, written out; got 1001');
refuses('round(a, 16)', 'at 10: digits of round must be a whole number from -15 to 15, written out; got 16');
refuses(
  'gapfill(a + b)',
  'at 9: x of gapfill must be the alias of an item or group, as only those have a gapDetection',
);
refuses(
  'gapfill(PI)',
  'at 9: x of gapfill must be the alias of an item or group, as only those have a gapDetection',
);
refuses('lag(lag(a, 600), 600)', 'at 5: lag looks 1200 buckets back, at most 1000 are allowed');
refuses('lag(movavg(a, 1000), 2)', 'at 5: movavg looks 1001 buckets back, at most 1000 are allowed');
refuses('lead(lead(a, 999), 2)', 'at 6: lead looks 1001 buckets ahead, at most 1000 are allowed');
refuses('delta(lag(a, 1000))', 'at 7: lag looks 1001 buckets back, at most 1000 are allowed');

accepts('lag(a, 1000)', 'lead(a, 1000)', 'movavg(a, 1000)', 'lag(movavg(a, 1000), 1)');
accepts('lag(gapfill(a), 1000)');
accepts('round(a, -15) + round(a, +15)');
accepts('a', 'c1 + b', 'c1 * c2');
accepts('PI + E + null + time_seconds + bucket_seconds');

test('F6 an unknown name in gapfill is one problem, and says what is known', () => {
  assert.deepEqual(problemsOf(['gapfill(c0)']), {
    'calculations.0.formula': [
      'at 9: unknown name "c0"; a calculation sees items, groups and earlier calculations',
    ],
  });
});

test('F4 gapfill takes no calculation', () => {
  assert.deepEqual(problemsOf(['a', 'gapfill(c1)']), {
    'calculations.1.formula': [
      'at 9: x of gapfill must be the alias of an item or group, as only those have a gapDetection',
    ],
  });
});

test('F4 look-backs add up through earlier calculations', () => {
  assert.deepEqual(problemsOf(['lag(a, 600)', 'b + lag(c1, 401)']), {
    'calculations.1.formula': ['at 9: "c1" here looks 1001 buckets back, at most 1000 are allowed'],
  });
});

test('F6 the problems of all calculations are reported at once, and each only once', () => {
  assert.deepEqual(problemsOf(['a +', 'c1 + x', 'c3', 'c1 + c2 + c3']), {
    'calculations.0.formula': ['at 4: expected a number, a name, "(" or a sign, found the end'],
    'calculations.1.formula': [`at 6: unknown name "x"; ${sees}`],
    'calculations.2.formula': [`at 1: unknown name "c3"; ${sees}, and "c3" is not an earlier one`],
  });
});

/** The needs of the last formula, as `alias back ahead`. */
function needs(formulas: readonly string[], expected: string, setting: Setting = {}): void {
  test(`F4 ${formulas.join('; ')} needs ${expected || 'nothing'}`, () => {
    const plan = planCalculations(calculations(formulas), scopeOf({ given: signals, ...setting }, 10));
    const found = [...plan.needs].map(([alias, { back, ahead }]) => `${alias} ${back} ${ahead}`);
    assert.equal(found.join(', '), expected);
  });
}

needs(['a + b'], 'a 0 0, b 0 0');
needs(['1'], '');
needs(['lag(a) + b'], 'a 1 0, b 0 0');
needs(['lag(a, 3) + lag(a, 5) + lead(a, 2)'], 'a 5 2');
needs(['lag(lead(a, 4), 3)'], 'a 3 4');
needs(['movavg(a, 10)'], 'a 9 0');
needs(['delta(movmax(a, 10))'], 'a 10 0');
needs(['rate(a)'], 'a 1 0');
needs(['cumsum(a) + interpolate(a)'], 'a 0 0');
needs(['gapfill(a)'], 'a 1000 0');
needs(['gapfill(a)'], 'a 10 0', { gapUs: 600e6 });
needs(['gapfill(a)'], 'a 9 0', { gapUs: 599e6 });
needs(['gapfill(a)'], 'a 0 0', { gapUs: 59e6 });
needs(['lag(gapfill(a), 5)'], 'a 15 0', { gapUs: 600e6 });
needs(['lag(gapfill(a), 995)'], 'a 1000 0', { gapUs: 600e6 });
needs(['gapfill(a) + lag(a, 20)'], 'a 20 0', { gapUs: 600e6 });
needs(['lag(a, 3)', 'lag(c1, 4)'], 'a 7 0');
needs(['gapfill(a)', 'lag(c1, 4)'], 'a 14 0', { gapUs: 600e6 });
needs(['lag(a, 3)', 'b'], 'b 0 0', { returned: ['c2'] });
needs(['lag(a, 3)', 'b', 'c1 + 1'], 'a 3 0', { returned: ['c3'] });
needs(['lag(a, 3)'], '', { returned: ['a'] });

test('F4 with window there is no other bucket to look at', () => {
  const scope = { ...scopeOf({ given: signals }, 1), bucketUsMin: null };
  const formulas = ['lag(a) + lead(a, 3) + gapfill(b) + movavg(a, 10) + lag(time_seconds, 2)'];
  const plan = planCalculations(calculations(formulas), scope);
  assert.deepEqual(plan.reach, { back: 0, ahead: 0 });
  assert.deepEqual([...plan.needs.values()], [plan.reach, plan.reach]);
});

test('F4 variables and numbers under series functions widen the read too', () => {
  const scope = scopeOf({ given: signals }, 10);
  assert.deepEqual(planCalculations(calculations(['lag(time_seconds, 3)']), scope).reach, {
    back: 3,
    ahead: 0,
  });
  assert.deepEqual(planCalculations(calculations(['lead(7, 2)']), scope).reach, { back: 0, ahead: 2 });
});

test('F6 of a formula that is wrong everywhere ten problems are reported', () => {
  const found = problemsOf([Array(400).fill('x').join('+'), Array(60).fill('y(1)').join('+')]);
  assert.equal(found['calculations.0.formula'].length, 10);
  assert.equal(found['calculations.1.formula'].length, 10);
  assert.equal(found['calculations.0.formula'][9], `at 19: unknown name "x"; ${sees}`);
});

test('F6 a mistyped name meets the nearest known one, if a third of its letters is right', () => {
  assert.equal(editDistance('kitten', 'sitting'), 3);
  assert.equal(editDistance('ab', 'ba'), 1);
  assert.equal(editDistance('', 'abc'), 3);
  assert.equal(editDistance('abcdef', 'ghijkl', 2), 2);
  assert.equal(editDistance('abc', 'abcdefgh', 3), 3);
  assert.equal(editDistance('xabcy', 'abc', 3), 2);
  assert.equal(nearestName('preasure', ['pressure', 'temperature']), 'pressure');
  assert.equal(nearestName('presusre', ['pressure']), 'pressure');
  assert.equal(nearestName('xx', ['xy']), null);
  assert.equal(nearestName('x'.repeat(1000), ['x'.repeat(28)]), null);
});
