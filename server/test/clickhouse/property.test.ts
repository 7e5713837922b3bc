/** Points in ClickHouse give the same answers as the memory store under random commands. */
import assert from 'node:assert/strict';
import { env } from 'node:process';
import { it } from 'node:test';
import fc from 'fast-check';
import { readRollups } from '#domain/query/read';
import type { Rollup } from '#model/rollup';
import { statistics } from '#model/statistic';
import type { Window } from '#model/window';
import { openClickHouse } from '#storage/clickhouse/store';
import type { Batch, RollupRequest, ScanRequest, SeriesStore } from '#storage/store';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { batch, request, signal, window } from '../property/store-arbitraries.ts';
import { onEachCluster, storeOptions } from '../support/clickhouse-store.ts';

const stepUs = fc.constantFrom(500, 3000, 7777, 70_000);

/** A rollup of what a read reads. */
const rollup: fc.Arbitrary<RollupRequest> = fc
  .record({
    read: request,
    stepUs,
    wanted: fc.subarray([...statistics]),
    isEven: fc.boolean(),
    states: fc.constantFrom('seen' as const, [], [], [0, 3.5]),
    gapUs: fc.constantFrom(Number.POSITIVE_INFINITY, 700),
    nowUs: fc.integer({ min: -20_000, max: 60_000 }),
  })
  .map(({ read, stepUs: width, isEven, wanted, states, gapUs, nowUs }) => ({
    sources: read.sources.map(({ signals, window: inside }) => ({
      ...{ signals, window: inside, statistics: wanted, states, gapUs },
    })),
    buckets: {
      edgesUs: Float64Array.from({ length: 90 }, (_, i) => -30_000 + i * width),
      stepUs: isEven ? width : null,
    },
    nowUs,
  }));

/** Both stores; signals are moved by `base`, so that runs do not meet. */
class Pair {
  readonly #tested: SeriesStore;
  readonly #model = new MemorySeriesStore();
  readonly #base: number;

  constructor(tested: SeriesStore, base: number) {
    this.#tested = tested;
    this.#base = base;
  }

  async append({ timesUs, signals, values }: Batch): Promise<void> {
    const moved = { timesUs, signals: this.#moved(signals), values };
    await this.#model.append(moved);
    await this.#tested.append(moved);
  }

  /** Batches of one signal each, which are written together. */
  async appendTogether(batches: readonly Batch[]): Promise<void> {
    const one = batches.map((made, i) => ({
      timesUs: made.timesUs,
      signals: [this.#base + 1 + i],
      values: made.values.subarray(0, made.timesUs.length),
    }));
    for (const made of one) await this.#model.append(made);
    await Promise.all(one.map((made) => this.#tested.append(made)));
  }

  async scan({ sources }: ScanRequest): Promise<void> {
    const moved = { sources: sources.map((one) => ({ ...one, signals: this.#moved(one.signals) })) };
    assert.deepEqual(await this.#tested.scan(moved), await this.#model.scan(moved));
  }

  async rollUp({ sources, ...rest }: RollupRequest): Promise<void> {
    const moved = {
      ...rest,
      sources: sources.map((one) => ({ ...one, signals: this.#moved(one.signals) })),
    };
    const tested = await readRollups({ series: this.#tested }, moved);
    const expected = await readRollups({ series: this.#model }, moved);
    for (const [i, one] of tested.entries()) assertSameRollup(one, expected[i]);
  }

  async deletePoints(signals: readonly number[], inside: Window): Promise<void> {
    const moved = this.#moved(signals);
    const counted = await this.#model.countPoints(moved, inside);
    assert.deepEqual(await this.#tested.countPoints(moved, inside), counted);
    assert.deepEqual(
      await this.#tested.deletePoints(moved, inside),
      await this.#model.deletePoints(moved, inside),
    );
  }

  async deleteSignals(signals: readonly number[]): Promise<void> {
    const moved = this.#moved(signals);
    await this.#model.deleteSignals(moved);
    await this.#tested.deleteSignals(moved);
  }

  #moved(signals: readonly number[]): number[] {
    return signals.map((number) => this.#base + number);
  }
}

function assertSameRollup(tested: Rollup, expected: Rollup): void {
  assert.deepEqual([...tested.statistics.keys()].sort(), [...expected.statistics.keys()].sort());
  for (const [statistic, column] of expected.statistics)
    assertSameColumn(tested.statistics.get(statistic), column, statistic);
  assert.deepEqual([...tested.states.keys()], [...expected.states.keys()]);
  for (const [state, column] of expected.states)
    assertSameColumn(tested.states.get(state), column, `state ${state}`);
}

/** To 1e-12 of the size; the order of additions may differ. */
function assertSameColumn(tested: Float64Array | undefined, expected: Float64Array, name: string): void {
  assert.equal(tested?.length, expected.length);
  for (const [i, value] of expected.entries()) {
    const got: number = tested?.[i] ?? Number.NaN;
    const isSame: boolean = Object.is(got, value) || Math.abs(got - value) <= 1e-12 * Math.abs(value);
    assert.ok(isSame, `${name}, bucket ${i}: ${got}, expected ${value}`);
  }
}

type Command = (pair: Pair) => Promise<void>;

/** A command with random arguments, which a counterexample prints. */
function act<Args extends unknown[]>(
  weight: number,
  args: fc.Arbitrary<Args>,
  run: (pair: Pair, ...args: Args) => Promise<void>,
): fc.WeightedArbitrary<Command> {
  const arbitrary = args.map((values) => {
    const command: Command = (pair) => run(pair, ...values);
    return Object.assign(command, { [fc.toStringMethod]: () => `${run}: ${fc.stringify(values)}` });
  });
  return { weight, arbitrary };
}

const command = fc.oneof(
  act(8, fc.tuple(batch), (pair, made) => pair.append(made)),
  act(2, fc.tuple(fc.array(batch, { minLength: 2, maxLength: 4 })), (pair, made) =>
    pair.appendTogether(made),
  ),
  act(6, fc.tuple(request), (pair, made) => pair.scan(made)),
  act(6, fc.tuple(rollup), (pair, made) => pair.rollUp(made)),
  act(1, fc.tuple(fc.uniqueArray(signal, { maxLength: 3 }), window), (pair, signals, inside) =>
    pair.deletePoints(signals, inside),
  ),
  act(1, fc.tuple(signal), (pair, one) => pair.deleteSignals([one])),
);

onEachCluster((_, clusterOf) => {
  const numRuns = Number(env.FC_RUNS ?? 12);

  it('R9 R15 Q6 Q10 answer like the memory store under random commands', async () => {
    const store = await openClickHouse(storeOptions(clusterOf()));
    let base = 0;
    const runAll = async (commands: readonly Command[]) => {
      base += 10;
      const pair = new Pair(store, base);
      for (const run of commands) await run(pair);
    };
    try {
      const commands = fc.array(command, { minLength: 1, maxLength: 40 });
      await fc.assert(fc.asyncProperty(commands, runAll), { numRuns, endOnFailure: true });
    } finally {
      await store.close();
    }
  });
});
