/** What formulas give: nulls, logic, zero, infinity, variables, and other buckets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { evaluateCalculations } from '#domain/formula/formula';
import { AppError } from '#model/error';
import { limitDefaults } from '#model/limits';
import { type RunStep, runSteps } from '#model/steps';
import type { Setting } from './evaluation.ts';
import { atOnce, evaluate, evaluateAll, planCalculations, scopeOf } from './evaluation.ts';

function gives(number: string, formula: string, expected: string, setting: Setting = {}): void {
  const given = setting.given === undefined ? '' : ` over ${Object.values(setting.given).join(' and ')}`;
  test(`${number} ${formula}${given} is ${expected}`, async () => {
    assert.equal(await evaluate(formula, setting), expected);
  });
}

const ab = { given: { a: '6 _ 6 _', b: '3 3 _ _' } };
gives('F2', 'a + b', '9 _ _ _', ab);
gives('F2', 'a - b', '3 _ _ _', ab);
gives('F2', 'a * b', '18 _ _ _', ab);
gives('F2', 'a / b', '2 _ _ _', ab);
gives('F2', 'a % b', '0 _ _ _', ab);
gives('F2', 'a ** b', '216 _ _ _', ab);
gives('F2', 'a ** 0', '1 _ 1 _', ab);
gives('F2', 'a == b', '0 _ _ _', ab);
gives('F2', 'a != b', '1 _ _ _', ab);
gives('F2', 'a < b', '0 _ _ _', ab);
gives('F2', 'a <= b', '0 _ _ _', ab);
gives('F2', 'a > b', '1 _ _ _', ab);
gives('F2', 'a >= b', '1 _ _ _', ab);
gives('F2', '-a', '-6 _ -6 _', ab);
gives('F2', '+a', '6 _ 6 _', ab);
gives('F2', '!a', '0 _ 0 _', ab);
gives('F2', 'min(a, b)', '3 _ _ _', ab);
gives('F2', 'max(a, b)', '6 _ _ _', ab);
gives('F2', 'avg(a, b)', '4.5 _ _ _', ab);
gives('F2', 'coalesce(a, b)', '6 3 6 _', ab);
gives('F2', 'isnull(a)', '0 1 0 1', ab);
gives('F2', 'hypot(a, b)', String(Math.hypot(6, 3)).concat(' _ _ _'), ab);
gives('F2', 'null == null', '_');

const trueFalseNull = { given: { a: '5 5 5 0 0 0 _ _ _', b: '-1 0 _ -1 0 _ -1 0 _' } };
gives('F2', 'a && b', '1 0 _ 0 0 0 _ 0 _', trueFalseNull);
gives('F2', 'a || b', '1 1 1 1 0 _ 1 _ _', trueFalseNull);
gives('F2', 'a ? b : 7', '-1 0 _ 7 7 7 _ _ _', trueFalseNull);
gives('F2', 'if(a, 7, b)', '7 7 7 -1 0 _ _ _ _', trueFalseNull);
gives('F2', '0 && null', '0');
gives('F2', '1 || null', '1');
gives('F2', 'null && 0', '0');
gives('F2', 'null || 1', '1');
gives('F2', '1 && null', '_');
gives('F2', '0 || null', '_');
gives('F2', '1 ? 2 : null', '2');
gives('F2', '0 ? null : 2', '2');
gives('F2', 'null ? 1 : 2', '_');
gives('F2', '3 && -2', '1');

gives('F2', '1 / 0', '_');
gives('F2', '0 / 0', '_');
gives('F2', '5 % 0', '_');
gives('F2', '1e308 * 10', '_');
gives('F2', '1e308 + 1e308', '_');
gives('F2', '0 * (1e308 * 10)', '_');
gives('F2', '1 / (1 / a)', '_ 5', { given: { a: '0 5' } });
gives('F2', 'coalesce(a / b, -1)', '-1 2', { given: { a: '1 4', b: '0 2' } });
gives('F2', 'isnull(ln(a))', '1 1 0', { given: { a: '-1 0 1' } });
gives('F2', '(-8) ** (1 / 3)', '_');
gives('F2', '0 ** -1', '_');
gives('F2', '0 ** 0', '1');
gives('F2', 'a * 0', '0 0', { given: { a: '-5 5' } });
gives('F2', '-a', '0', { given: { a: '0' } });
gives('F2', '-0', '0');
gives('F2', 'round(a)', '0', { given: { a: '-0.2' } });
gives('F2', 'deg(atan2(-0, -1))', '180');
gives('F2', 'a', '0', { given: { a: '-0' } });
gives('F2', '-a == 0', '1', { given: { a: '0' } });

gives('F3', '7 % 3', '1');
gives('F3', '-7 % 3', '2');
gives('F3', '7 % -3', '-2');
gives('F3', '-7 % -3', '-1');
gives('F3', '5.5 % 2', '1.5');
gives('F3', 'round(0.5)', '1');
gives('F3', 'round(-0.5)', '-1');
gives('F3', 'round(0.49999999999999994)', '0');
gives('F3', 'round(1.005, 2)', '1.01');
gives('F3', 'round(-1.005, 2)', '-1.01');
gives('F3', 'round(1.004999, 2)', '1');
gives('F3', 'round(2.675, 2)', '2.68');
gives('F3', 'round(4503599627370497.5, 0)', '4503599627370498');
gives('F3', 'round(9007199254740993, 3)', '9007199254740992');
gives('F3', 'round(1e300, 5)', '1e+300');
gives('F3', 'round(15, -1)', '20');
gives('F3', 'round(-15, -1)', '-20');
gives('F3', 'log(8, 2)', '3');
gives('F3', 'log(81, 3)', '4');
gives('F3', 'log(5, 1)', '_');
gives('F3', 'log(1, 0)', '_');
gives('F3', 'log(0)', '_');
gives('F3', 'clamp(a, 0, null)', '_', { given: { a: '1' } });
gives('F3', 'min(4)', '4');
gives('F3', 'avg(1e308, 1e308)', '_');

gives('F1', 'time_seconds', '1000 1060 1120', { given: { a: '1 _ _' }, startUs: 1000e6 });
gives('F1', 'bucket_seconds', '60 60', { given: { a: '1 _' } });
gives('F1', 'sum(a) / bucket_seconds * 3600', '60 _', { given: { a: '1 _' } });
gives('F5', '42', '42 42 42', { given: { a: '_ 1 _' } });
gives('F5', 'PI > 3', '1 1', { given: { a: '_ _' } });
gives('F5', 'null', '_ _', { given: { a: '_ 1' } });

// `|` marks the start and end of the window; buckets outside it were read because the formula needs them.
gives('F4', 'lag(a)', '9 1 2', { given: { a: '9 | 1 2 3 | ' } });
gives('F4', 'lag(a, 0)', '1 2 3', { given: { a: '1 2 3' } });
gives('F4', 'lag(a, 2)', '8 9 1', { given: { a: '8 9 | 1 2 3 | ' } });
gives('F4', 'lag(a, 5)', '_ _', { given: { a: '1 2' } });
gives('F4', 'lead(a, 2)', '3 8 9', { given: { a: ' | 1 2 3 | 8 9' } });
gives('F4', 'lag(lead(a))', '1 2 3', { given: { a: '7 | 1 2 3 | 8' } });
gives('F4', 'delta(a)', '-8 1 _ _', { given: { a: '9 | 1 2 _ 4 | ' } });
gives('F4', 'rate(a) * 60', '-8 1 _', { given: { a: '9 | 1 2 _ | ' } });
gives('F4', 'cumsum(a)', '1 3 _ 7', { given: { a: '9 | 1 2 _ 4 | ' } });
gives('F4', 'lag(cumsum(a))', '_ 1 3', { given: { a: '9 | 1 2 3 | ' } });
gives('F4', 'cumsum(1)', '1 2 3', { given: { a: '_ _ _' } });
gives('F4', 'interpolate(a)', '_ 1 3 5', { given: { a: '7 | _ 1 _ 5 | 9' } });
gives('F4', 'interpolate(a)', '4 _ _', { given: { a: ' | 4 _ _ | 7' } });
gives('F4', 'lag(interpolate(a))', '7 _ 1', { given: { a: '7 | _ 1 _ | 9' } });
gives('F4', 'gapfill(a)', '7 7 2 2', { given: { a: '7 _ | _ _ 2 _ | 9' } });
gives('F4', 'gapfill(a)', '1 1 1 _', { given: { a: '1 _ _ _' }, gapUs: 120e6 });
gives('F4', 'gapfill(a)', '7 _ 2', { given: { a: '7 _ | _ _ 2 | ' }, gapUs: 120e6 });
gives('F4', 'gapfill(a)', '1 _', { given: { a: '1 _' }, gapUs: 59e6 });
gives('F4', 'lag(gapfill(a))', '7 7 7', { given: { a: '7 | _ _ 2 | ' } });
gives('F4', 'gapfill(a)', '_ _ 2', {
  given: { a: '7 _ _ | _ _ 2 | ' },
  limits: { offsetBucketsMax: 2 },
});
gives('F4', 'movavg(a, 3)', '5 4 3', { given: { a: '8 6 | 1 5 _ | ' } });
gives('F4', 'movsum(a, 1)', '1 _ 3', { given: { a: '1 _ 3' } });
gives('F4', 'movmin(a, 3)', '1 1 1 2', { given: { a: '8 6 | 1 5 2 _ | ' } });
gives('F4', 'movmax(a, 3)', '8 6 5 5', { given: { a: '8 6 | 1 5 2 _ | ' } });
gives('F4', 'movavg(a, 2)', '_ _ 1', { given: { a: '_ _ 1' } });
gives('F4', 'movsum(a, 3)', '1 3 6 9 12', { given: { a: '1 2 3 4 5' } });
gives('F4', 'movsum(a, 2)', '_ 1e+308 0.25', { given: { a: '1e308 | 1e308 _ 0.25 | ' } });
gives('F4', 'movsum(a, 2)', '1e+300 1e+300 1.5', { given: { a: '1e300 1 0.5' } });
gives('F4', 'movavg(a > 1, 2)', '0 0.5 1', { given: { a: '1 2 3' } });
gives('F4', 'lag(7, 2)', '7 7', { given: { a: '_ _ | 1 1 | ' } });
gives('F4', 'lag(time_seconds)', '-60 0', { given: { a: '_ | 1 1 | ' } });

test('F4 movavg, movmin, movmax and movsum agree with adding up each run, for every n', async () => {
  const values = Array.from({ length: 50 }, (_, i) => (i % 7 === 3 ? Number.NaN : (i * 37) % 101));
  const text = values.map((value) => (Number.isNaN(value) ? '_' : value)).join(' ');
  const setting = { given: { a: `${text} | 1 | ` }, limits: { offsetBucketsMax: 50 } };
  for (let n = 1; n <= 50; n++) {
    const run = [...values, 1].slice(-n).filter((value) => !Number.isNaN(value));
    const sum = run.reduce((one, other) => one + other, 0);
    const expected = [sum, Math.min(...run), Math.max(...run), sum / run.length].map(String);
    const formulas = ['movsum', 'movmin', 'movmax', 'movavg'].map((name) => `${name}(a, ${n})`);
    assert.deepEqual(
      await Promise.all(formulas.map((formula) => evaluate(formula, setting))),
      expected,
      `n ${n}`,
    );
  }
});

test('Q11 calculations see earlier ones; only those returned are answered, in the order asked for', async () => {
  const calculations = [
    { alias: 'half', formula: 'a / 2' },
    { alias: 'quarter', formula: 'half / 2' },
    { alias: 'unused', formula: 'a * 100' },
    { alias: 'all', formula: 'half + quarter + lag(half)' },
  ];
  const given = { a: '0 | 4 8 | ' };
  assert.deepEqual(await evaluateAll(calculations, { given, returned: ['all', 'half'] }), {
    half: '2 4',
    all: '3 8',
  });
});

test('F4 a result does not depend on what was read for other formulas', async () => {
  const given = { a: '5 _ 7 1 | 2 _ 3 4 | 8 _ 1' };
  const formulas = [
    'gapfill(a)',
    'interpolate(a)',
    'cumsum(a)',
    'movsum(a, 3)',
    'lag(cumsum(a), 2)',
    'lead(interpolate(a))',
  ];
  const calculations = formulas.map((formula, index) => ({ alias: `c${index}`, formula }));
  const wide = [...calculations, { alias: 'wide', formula: 'lag(a, 4) + lead(a, 3)' }];
  const { wide: _, ...together } = await evaluateAll(wide, { given, gapUs: 60e6 });
  const narrow = { given: { a: '7 1 | 2 _ 3 4 | 8' }, gapUs: 60e6 };
  assert.deepEqual(together, await evaluateAll(calculations, narrow));
});

test('F2 the columns of items are left as they were', async () => {
  const a = Float64Array.of(-0, Number.NaN, 3);
  const scope = scopeOf({}, 3);
  const plan = planCalculations(
    [
      { alias: 'c1', formula: 'a' },
      { alias: 'c2', formula: '-a + a * 2' },
    ],
    scope,
  );
  const buckets = { edgesUs: Float64Array.of(0, 1, 2, 3), first: 0, count: 3 };
  const results = await atOnce(evaluateCalculations(plan, new Map([['a', a]]), buckets));
  assert.deepEqual([...a], [-0, Number.NaN, 3]);
  assert.deepEqual([...results.get('c2')!], [0, Number.NaN, 3]);
});

/** 100 calculations of 1,000 characters over so many buckets. */
async function evaluateHostile(formula: string, bucketCount: number, signal?: AbortSignal): Promise<number> {
  const calculations = Array.from({ length: 100 }, (_, index) => ({ alias: `c${index}`, formula }));
  const plan = planCalculations(calculations, scopeOf({ returned: ['c99'] }, bucketCount));
  const edgesUs = Float64Array.from(
    { length: bucketCount + plan.reach.back + plan.reach.ahead + 1 },
    (_, i) => i * 60e6,
  );
  const columns = new Map([['a', new Float64Array(edgesUs.length - 1).fill(1.5)]]);
  let turns = 0;
  const runStep: RunStep = async (step) => {
    turns++;
    await setImmediate();
    return step(() => false);
  };
  const buckets = { edgesUs, first: plan.reach.back, count: bucketCount };
  await runSteps(evaluateCalculations(plan, columns, buckets), runStep, signal);
  return turns;
}

test('F6 too much work is refused before anything is read, with the figures', () => {
  const formula = Array(110).fill('a**2.5').join('-');
  const calculations = Array.from({ length: 100 }, (_, index) => ({ alias: `c${index}`, formula }));
  assert.throws(
    () => planCalculations(calculations, scopeOf({}, 100_000)),
    (error) => {
      assert.ok(error instanceof AppError && error.kind === 'invalid-params');
      assert.match(
        error.params?.calculations[0] ?? '',
        /^must take at most 5000 ms to compute, estimated are \d+ ms over 100000 buckets; use wider buckets/,
      );
      return true;
    },
  );
});

test('F6 too many intermediate results are refused where the whole window is needed at once, with the figures', () => {
  const deep = `${'-a+(a*('.repeat(30)}a${'))'.repeat(30)}`;
  planCalculations([{ alias: 'c', formula: deep }], scopeOf({}, 3_000_000));
  const formula = `cumsum(${deep})`;
  assert.throws(
    () => planCalculations([{ alias: 'c', formula }], scopeOf({}, 3_000_000)),
    (error) =>
      error instanceof AppError &&
      /^must hold at most 20000000 values at one time/.test(error.params?.calculations[0] ?? ''),
  );
});

test('F6 results that later calculations need are held at the same time, and count', () => {
  const sum = Array.from({ length: 20 }, (_, index) => `c${index}`);
  const calculations = [
    ...sum.map((alias) => ({ alias, formula: 'a' })),
    { alias: 'all', formula: `cumsum(${sum.join('+')})` },
  ];
  const limits = { formulaValuesMax: 2100 };
  assert.throws(() => planCalculations(calculations, scopeOf({ returned: ['all'], limits }, 100)), AppError);
  const inPairs = sum.map((alias, index) => ({
    alias,
    formula: index === 0 ? 'a' : `cumsum(c${index - 1}+1)`,
  }));
  planCalculations(inPairs, scopeOf({ returned: ['c19'], limits: { formulaValuesMax: 500 } }, 100));
});

test('F6 long work leaves turns for others', async () => {
  const turns = await evaluateHostile(Array(100).fill('sin(a)').join('+'), 20_000);
  assert.ok(turns >= 10, `${turns} turns`);
});

test('F6 an evaluation ends when its caller gives up', async () => {
  const controller = new AbortController();
  const done = evaluateHostile(Array(100).fill('sin(a)').join('+'), 20_000, controller.signal);
  await setImmediate();
  controller.abort(new Error('given up'));
  await assert.rejects(done, /given up/);
});

test('F6 the deepest formula is evaluated', async () => {
  assert.equal(await evaluate(`${'(1+'.repeat(64)}a${')'.repeat(64)}`, { given: { a: '1 _' } }), '65 _');
  assert.equal(await evaluate(`${'-'.repeat(64)}a`, { given: { a: '1' } }), '1');
  assert.equal(limitDefaults.formulaLevelsMax, 64);
});
