/** Every operation on one bucket, over every combination of extreme operands. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chainOperations, functionTable, unaryOperations } from '#domain/formula/function-table';
import { compute, type Pointwise } from '#domain/formula/kernel';

const extremes = [
  Number.NaN,
  0,
  -0,
  1,
  -1,
  0.5,
  2,
  10,
  1e-320,
  -1e-320,
  1e154,
  1e308,
  -1e308,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
];

const operations = new Map<string, Pointwise>();
for (const [symbol, operation] of chainOperations) operations.set(`x ${symbol} y`, operation);
for (const [symbol, operation] of unaryOperations) if (operation) operations.set(`${symbol}x`, operation);
for (const { name, behaviour } of functionTable) {
  if (behaviour.as !== 'series') operations.set(name, behaviour.operation);
}

for (const [title, operation] of operations) {
  test(`F2 ${title}: a result is finite or null`, () => {
    const operands = extremes.flatMap((a) => extremes.flatMap((b) => extremes.map((c) => [a, b, c])));
    const [a, b, c] = [0, 1, 2].map((place) => Float64Array.from(operands, (operand) => operand[place]));
    const out = new Float64Array(operands.length);
    operation.column(out, a, b, c);
    operands.forEach((operand, i) => {
      assert.ok(Number.isNaN(out[i]) || Number.isFinite(out[i]), `${operand} gives ${out[i]}`);
      assert.ok(Object.is(out[i], compute(operation, operand)), `${operand} alone`);
    });
  });

  test(`F2 ${title}: a result may be written over any of its operands`, () => {
    const column = () => Float64Array.from({ length: 100 }, (_, i) => (i % 5 === 0 ? Number.NaN : i - 50));
    const expected = new Float64Array(100);
    operation.column(expected, column(), column().reverse(), column());
    for (const place of [0, 1, 2]) {
      const [a, b, c] = [column(), column().reverse(), column()];
      const out = [a, b, c][place];
      operation.column(out, a, b, c);
      assert.deepEqual([...out], [...expected]);
    }
  });
}

/** These say themselves what a null means. */
const nullIsMeant = new Set(['if', 'isnull', 'coalesce', 'x && y', 'x || y']);

for (const [title, operation] of operations) {
  if (nullIsMeant.has(title)) continue;
  test(`F2 ${title}: a null operand makes it null`, () => {
    for (const value of extremes) {
      // The digits of round are always a number that is written out.
      for (let place = 0; place < (title === 'round' ? 1 : operation.arity); place++) {
        const operands = [value, value, value].fill(Number.NaN, place, place + 1);
        assert.equal(compute(operation, operands), Number.NaN);
      }
    }
  });
}
