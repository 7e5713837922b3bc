/** The demo plant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frameOf, makePlant, plantSignals } from '#cli/demo-plant';

const nowUs = Date.UTC(2026, 10, 20, 9, 51, 30) * 1000;
const { rows } = makePlant(nowUs);

/** The recorded values of each signal, by input key. */
const series = new Map(
  [...plantSignals.keys()].map((key, i) => [key, rows.map(({ values }) => values[i])] as const),
);

test('Q1 the demo plant fills the default window of seven days, a row a minute', () => {
  const times = rows.map(({ timeUs }) => timeUs);
  assert.equal(times.length, 7 * 1440);
  assert.equal(times.at(-1), Date.UTC(2026, 10, 20, 9, 51) * 1000);
  assert.ok(times.every((us, row) => row === 0 || us - times[row - 1] === 60_000_000));
  assert.ok(rows.every(({ values }) => values.length === plantSignals.size));
  const { timesUs, keys, pointCount } = frameOf(rows);
  assert.deepEqual([[...timesUs], keys], [times, [...plantSignals.keys()]]);
  const recorded = [...series.values()].flat().filter((value) => !Number.isNaN(value));
  assert.equal(pointCount, recorded.length);
});

test('Q4 the demo plant is the same for the same present', () => {
  assert.deepEqual(makePlant(nowUs), makePlant(nowUs));
});

test('Q10 the demo plant has numeric and enum signals, with gaps', () => {
  const { valueType, enumValues } = plantSignals.get('pump-1/state')!;
  assert.deepEqual([valueType, [...enumValues!.keys()]], ['enum', ['0', '1', '2', '3']]);
  const states = new Set(series.get('pump-1/state'));
  assert.deepEqual([...states].filter((value) => value >= 0).sort(), [0, 1, 2, 3]);
  for (const values of series.values()) assert.ok(values.some(Number.isNaN) && !values.every(Number.isNaN));
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
  for (const [input, [low, high]] of Object.entries(ranges)) {
    const values = series.get(input)!.filter((value) => !Number.isNaN(value));
    assert.ok(
      Math.min(...values) >= low && Math.max(...values) <= high,
      `${input} ${Math.min(...values)} ${Math.max(...values)}`,
    );
    assert.ok(Math.max(...values) - Math.min(...values) > (high - low) / 10, input);
  }
});
