/** The demo plant goes on while the service runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertRows } from '#cli/demo-feed';
import { makePlant, plantSignals, Simulation } from '#cli/demo-plant';
import { limitDefaults } from '#model/limits';
import { openDirectory } from '#open-directory';
import { temporaryDirectory } from '../../support/directory.ts';
import { FixedClock, KeptLog, SeededRandom, testAct } from '../../support/world.ts';

const minuteUs = 60_000_000;
const nowUs = Date.UTC(2026, 10, 20, 9, 51, 30) * 1000;

test('Q1 the plant goes on where its recording ends, a row a minute', () => {
  const { rows, simulation } = makePlant(nowUs);
  const last = rows.at(-1)!;
  assert.equal(simulation.nextUs, last.timeUs + minuteUs);
  const level = [...plantSignals.keys()].indexOf('tank-1/level');
  const before = last.values[level];
  const [next, ...more] = simulation.rowsUntil(nowUs + minuteUs);
  assert.deepEqual([next.timeUs, more], [last.timeUs + minuteUs, []]);
  const after = next.values[level];
  assert.ok(Math.abs(after - before) < 0.5, `${before} → ${after}`);
  assert.equal(simulation.nextUs, last.timeUs + 2 * minuteUs);
});

test('R9 the rows that are due are inserted, none while the integration is disabled, and it ends with it', async (t) => {
  const directory = await temporaryDirectory(t);
  const clock = new FixedClock(new Date(nowUs / 1000).toISOString());
  const environment = { clock, stopwatch: clock, random: new SeededRandom(), log: new KeptLog() };
  const baseUrl = 'http://tidemark.test';
  let points = 0;
  const onInserted = (_: string, count: number) => {
    points += count;
  };
  const domain = await openDirectory({ directory, limits: limitDefaults, baseUrl, onInserted }, environment);
  t.after(() => domain.close());
  const { id } = await domain.identity.createIntegration(testAct, 'Plant', ['admin']);
  const simulation = new Simulation(Math.floor(nowUs / minuteUs) - 2);
  assert.equal(await insertRows(domain, id, simulation, nowUs), true);
  assert.equal(points, 3 * plantSignals.size);
  assert.equal(await insertRows(domain, id, simulation, nowUs), true);
  assert.equal(points, 3 * plantSignals.size, 'nothing is due');
  await domain.identity.setDisabled(testAct, id, true);
  assert.equal(await insertRows(domain, id, simulation, nowUs + minuteUs), true);
  assert.equal(points, 3 * plantSignals.size);
  await domain.identity.deleteIntegration(testAct, id);
  assert.equal(await insertRows(domain, id, simulation, nowUs + 2 * minuteUs), false);
});
