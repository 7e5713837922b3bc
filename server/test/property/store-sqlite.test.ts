/** The embedded store gives the same answers as the memory store, in whatever order its threads and processes work. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ScanRequest } from '#storage/store';
import { Simulation } from '../support/store-simulation.ts';
import { batch, request, signal, window } from './store-arbitraries.ts';

type Command = (sim: Simulation) => Promise<void> | void;

/** A command with random arguments, which a counterexample prints. */
function act<Args extends unknown[]>(
  weight: number,
  args: fc.Arbitrary<Args>,
  run: (sim: Simulation, ...args: Args) => Promise<void> | void,
): fc.WeightedArbitrary<Command> {
  const made = args.map((values) => {
    const command: Command = (sim) => run(sim, ...values);
    return Object.assign(command, { [fc.toStringMethod]: () => `${run}: ${fc.stringify(values)}` });
  });
  return { weight, arbitrary: made };
}

/** The service, or the command. */
const process = fc.nat(1);
const seed = fc.nat(1000);

const appending = act(8, fc.tuple(process, batch), (sim, on, made) => sim.append(on, made));

const damaging = act(1, fc.tuple(fc.nat(20)), (sim, index) => sim.damage(index));

/** What happens all the time. */
const ordinary = [
  appending,
  act(6, fc.tuple(process, request), (sim, on, made) => sim.compare(on, made)),
  act(
    14,
    fc.tuple(process, fc.constantFrom('writer', 'sealer'), fc.integer({ min: 1, max: 3 })),
    (sim, on, role, count) => sim.deliver(on, role, count),
  ),
  act(1, fc.tuple(process), (sim, on) => sim.sealOnce(on)),
  act(2, fc.tuple(seed), (sim, order) => sim.settle(order)),
  act(1, fc.tuple(process), (sim, on) => sim.restart(on)),
];

const command = fc.oneof(
  ...ordinary,
  damaging,
  act(1, fc.tuple(), (sim) => sim.repair()),
  act(1, fc.tuple(process, signal, seed), (sim, on, one, order) => sim.deleteSignals(on, [one], order)),
  act(
    3,
    fc.tuple(process, fc.uniqueArray(signal, { maxLength: 3 }), window, seed),
    (sim, on, signals, range, order) => sim.deletePoints(on, signals, range, order),
  ),
);

const everything: ScanRequest = {
  sources: [1, 2, 3, 4].map((one) => ({
    signals: [one],
    window: { startUs: -1e6, endUs: 1e6 },
    before: false,
    after: false,
  })),
};

/** Blocks of some signals, of which some are damaged, and then what happens all the time. */
const withDamage: fc.Arbitrary<Command[]> = fc
  .tuple(
    fc.array(appending.arbitrary, { minLength: 1, maxLength: 3 }),
    fc.array(damaging.arbitrary, { minLength: 1, maxLength: 3 }),
    fc.array(fc.oneof(...ordinary), { minLength: 4, maxLength: 30 }),
  )
  .map(([appends, damages, others]) => [...appends, (sim) => sim.settle(0), ...damages, ...others]);

/** Runs commands, repairs what was damaged, and compares everything that is stored. */
async function runAll(commands: readonly Command[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-store-'));
  const sim = await Simulation.open(directory);
  try {
    for (const run of commands) await run(sim);
    sim.repair();
    await sim.compare(0, everything);
    await sim.sealAll();
    assert.equal(sim.logRowCount(), 0);
    await sim.compare(1, everything);
    assert.deepEqual(sim.problems(), []);
  } finally {
    sim.close();
    await rm(directory, { recursive: true });
  }
}

describe('sqlite: two processes that append, seal, delete and read', () => {
  const numRuns = Number(env.FC_RUNS ?? 40);

  it('R9 answer like the memory store under random commands', async () => {
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 60 }), runAll), {
      numRuns,
    });
  });

  it('R9 answer right or name the damaged block, and lose nothing that is appended meanwhile', async () => {
    await fc.assert(fc.asyncProperty(withDamage, runAll), { numRuns });
  });
});
