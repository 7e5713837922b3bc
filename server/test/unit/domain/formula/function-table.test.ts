/** The function table: each example gives what it says, and the table has what the specification lists (F3, F4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aliasProblem } from '#domain/formula/formula';
import { functionTable, namedValues } from '#domain/formula/function-table';
import { evaluate } from './evaluation.ts';

for (const { name, examples } of functionTable) {
  for (const { formula, given, gives } of examples) {
    test(`F3 F4 ${name}: ${formula}${given === undefined ? '' : ` over ${given}`} is ${gives}`, async () => {
      const setting = given === undefined ? {} : { given: { a: given } };
      assert.equal(await evaluate(formula, setting), gives);
    });
  }
}

test('F3 F4 every function of the specification is in the table, and no other', () => {
  const specified =
    'abs sign floor ceil round trunc sqrt cbrt exp ln log log2 log10 pow mod min max sum avg clamp hypot sin cos tan asin acos atan atan2 sinh cosh tanh deg rad if isnull coalesce gapfill interpolate lag lead delta rate cumsum movavg movmin movmax movsum';
  assert.deepEqual(functionTable.map(({ name }) => name).sort(), specified.split(' ').sort());
});

test('F3 every function has a meaning and an example', () => {
  for (const { name, meaning, examples } of functionTable) {
    assert.match(meaning, /\.$/, name);
    assert.ok(examples.length > 0, name);
  }
});

test('Q11 an alias may be the name of a function, not of a constant or variable', () => {
  for (const { name } of functionTable) assert.equal(aliasProblem(name), null, name);
  for (const { name } of namedValues) {
    assert.match(aliasProblem(name) ?? '', /^must not be the name of a constant or variable/, name);
  }
});

test('Q11 an alias is 1 to 28 letters, digits or _, not beginning with a digit', () => {
  for (const alias of ['a', '_', 'A1', 'x'.repeat(28), 'Abs', 'pi'])
    assert.equal(aliasProblem(alias), null, alias);
  for (const alias of ['', '1a', 'a b', 'a-b', 'ä', 'x'.repeat(29), 'a\n']) {
    assert.match(aliasProblem(alias) ?? '', /^must be 1 to 28 letters/, alias);
  }
});
