/** The case language itself: what it reads, and that a wrong expectation fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { isExpected, readTime, readValues } from './notation.ts';
import { stepsOf } from './run.ts';
import { parseScript, ScriptError, wordsOf } from './script.ts';
import { World } from './world.ts';

test('cases: compact values', () => {
  assert.deepEqual(readValues(wordsOf('1 _ -2.5 3x2 _x2 0+2x3 9-1x3 1e3'), 1), [
    ...[1, null, -2.5, 3, 3, null, null],
    ...[0, 2, 4, 9, 8, 7, 1000],
  ]);
  for (const word of ['x', '1x', 'x3', '1+x2', '__', '1,5']) {
    assert.throws(() => readValues([word], 7), { message: `line 7: not a value: ${word}` });
  }
});

test('cases: times are UTC unless they say otherwise', () => {
  const us = 1_704_067_200_000_000;
  for (const text of [
    '2024-01-01',
    '2024-01-01T00',
    '2024-01-01T00:00',
    '2024-01-01T00:00:00.0',
    '2024-01-01T01+01:00',
  ]) {
    assert.equal(readTime(text, 1), us, text);
  }
  assert.equal(readTime('2024-01-01T00:00:00.000001', 1), us + 1);
  assert.throws(() => readTime('2024-1-1', 3), /line 3: not a time/);
});

test('cases: an expected number agrees to 1e-9, with ~ to the digits written', () => {
  assert.ok(isExpected(0.1 + 0.2, '0.3'));
  assert.ok(!isExpected(0.3001, '0.3'));
  assert.ok(isExpected(1 / 3, '0.333~'));
  assert.ok(!isExpected(0.334, '0.333~'));
  assert.ok(isExpected(Number.NaN, '_'));
  assert.ok(!isExpected(0, '_'));
  assert.ok(!isExpected(Number.NaN, '0'));
  assert.ok(!isExpected(Number.NaN, '0.0~'));
  assert.ok(!isExpected(1e-12, '0'));
});

test('cases: what cannot be understood is refused with its line', () => {
  assert.throws(() => parseScript('item a\n   gap'), { message: /^line 2: indented by 3/ });
  assert.throws(() => parseScript('  item a'), ScriptError);
  assert.throws(
    () => stepsOf(parseScript('evaluate Q1 x\n  from 2024-01-01')),
    /a case ends with one "expect"/,
  );
  assert.throws(
    () => stepsOf(parseScript('formulas F1 x\n  expect\n    a + 1')),
    /meant is: <formula> -> <values>/,
  );
});

/** Runs a script; gives the first failure. */
async function run(text: string): Promise<string> {
  const world = new World({
    meta: new MemoryMetaStore(),
    series: new MemorySeriesStore(),
    close: async () => {},
  });
  try {
    for (const step of stepsOf(parseScript(text)))
      await ('run' in step ? step.run(world) : step.prepare(world));
    return 'passed';
  } catch (error) {
    return (error as Error).message;
  }
}

const asked = `
item a
load a from 2024-01-01 every PT1H: 1 2
evaluate Q1 x
  from 2024-01-01
  before 2024-01-01T02
  rollup PT1H
  item a = sum a
`;

test('cases: a right expectation passes, a wrong one fails', async () => {
  const rows = '  expect\n    time a\n    2024-01-01T00 1\n    2024-01-01T01 2\n';
  assert.equal(await run(asked + rows), 'passed');
  assert.match(await run(asked + rows.replace('T01 2', 'T01 3')), /2024-01-01T01 a\nanswered was/);
  assert.match(await run(asked + rows.replace('    2024-01-01T01 2\n', '')), /answered was/);
  assert.match(await run(asked + rows.replace('T01 2', 'T03 2')), /answered was/);
  assert.match(await run(asked + rows.replace('time a', 'time b')), /answered was/);
  assert.match(await run(asked + rows.replace('T01 2', 'T01 2 2')), /has 2 values/);
  assert.match(await run(`${asked}  expect nothing`), /answered was/);
  assert.match(
    await run(`${asked}  expect error items.0.id: x`),
    /an answer was given where an error is expected/,
  );
});

test('cases: an error is expected with all of its paths', async () => {
  const wrong = `${asked}  calc c = a +\n  calc d = (\n`;
  const first = '  expect error calculations.0.formula: at 4: expected';
  assert.match(await run(wrong + first), /Expected values to be strictly deep-equal/);
  assert.equal(await run(`${wrong}${first}\n    error calculations.1.formula: at 2`), 'passed');
  assert.match(
    await run(`${wrong}${first}\n    error calculations.1.formula: at 3`),
    /^calculations.1.formula: at 2: expected/,
  );
  assert.match(await run(asked.replace('sum a', 'sum b')), /a case ends with one "expect"/);
  assert.match(await run(`${asked.replace('sum a', 'sum b')}  expect nothing`), /line 8: no item "b"/);
});

test('cases: a list of formulas has one value for each bucket', async () => {
  const list = asked.replace('evaluate Q1 x', 'formulas F1 x');
  assert.equal(await run(`${list}  expect\n    a + 1 -> 2 3\n    1 / 0 -> _ _`), 'passed');
  assert.match(await run(`${list}  expect\n    a + 1 -> 2 4`), /bucket 2 is not 4/);
  assert.match(await run(`${list}  expect\n    a + 1 -> 2`), /one value for each bucket/);
  assert.match(await run(`${list}  expect\n    a + 1 -> error at 1`), /null/);
});
