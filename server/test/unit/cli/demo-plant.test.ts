/** The demo plant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePlant } from '#cli/demo-plant';

const nowUs = Date.UTC(2026, 10, 20, 9, 51, 30) * 1000;

test('Q1 the demo plant fills the default window of seven days, a row a minute', () => {
  const { timesUs, signals } = makePlant(nowUs);
  assert.equal(timesUs.length, 7 * 1440);
  assert.equal(timesUs.at(-1), Date.UTC(2026, 10, 20, 9, 51) * 1000);
  assert.ok(timesUs.every((us, row) => row === 0 || us - timesUs[row - 1] === 60_000_000));
  assert.ok(signals.every(({ values }) => values.length === timesUs.length));
});

test('Q4 the demo plant is the same for the same present', () => {
  assert.deepEqual(makePlant(nowUs), makePlant(nowUs));
});

test('Q10 the demo plant has numeric and enum signals, with gaps', () => {
  const { signals } = makePlant(nowUs);
  const state = signals.find(({ change }) => change.valueType === 'enum')!;
  assert.deepEqual([...new Set(state.values)].filter((value) => value >= 0).sort(), [0, 1, 2, 3]);
  assert.deepEqual([...state.change.enumValues!.keys()], ['0', '1', '2', '3']);
  assert.ok(signals.every(({ values }) => values.some(Number.isNaN) && !values.every(Number.isNaN)));
});

test('R2 the demo plant looks like a plant: values in bounds, levels that move', () => {
  const ranges: Record<string, [number, number]> = {
    'pump-1/flow': [0, 50],
    'pump-1/pressure': [0, 7],
    'pump-1/power': [0, 15],
    'pump-1/bearing': [15, 60],
    'tank-1/level': [5, 99],
    'outdoor/temperature': [0, 15],
  };
  const { signals } = makePlant(nowUs);
  for (const [input, [low, high]] of Object.entries(ranges)) {
    const values = signals
      .find((signal) => signal.input === input)!
      .values.filter((value) => !Number.isNaN(value));
    assert.ok(
      Math.min(...values) >= low && Math.max(...values) <= high,
      `${input} ${Math.min(...values)} ${Math.max(...values)}`,
    );
    assert.ok(Math.max(...values) - Math.min(...values) > (high - low) / 10, input);
  }
});
