/** Silent signals: what counts as silent, who has them, and signals in the order of their newest points. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type AgeQuery, Recency } from '#domain/overview/recency';
import { dayUs, hourUs, minuteUs } from '#model/duration';
import { AppError } from '#model/error';
import { matchAll } from '#model/filter';
import type { Attributes } from '#model/signal';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { attributes, newId, signal } from '../../../support/resources.ts';
import { FixedClock } from '../../../support/world.ts';

const integration = newId();
const limits = { recencySignalsMax: 1000 };
let meta: MemoryMetaStore;
let series: MemorySeriesStore;
let clock: FixedClock;
let recency: Recency;

beforeEach(() => {
  [meta, series, clock] = [new MemoryMetaStore(), new MemorySeriesStore(), new FixedClock()];
  recency = new Recency({ meta, series, clock, limits });
});

/** A signal whose newest points are so long ago, µs. */
async function add(
  input: string,
  agesUs: readonly number[],
  changes: Partial<Attributes> = {},
  owner = integration,
): Promise<void> {
  const one = signal(owner, input, { attributes: attributes({ name: input, ...changes }) });
  const [{ number }] = await meta.write((tx) => tx.signals.insert([one]));
  if (agesUs.length === 0) return;
  const timesUs = Float64Array.from(agesUs, (us) => clock.nowUs() - us).sort();
  await series.append({ timesUs, signals: [number], values: timesUs.map(() => 1) });
}

/** As many points as asked for, so far apart, the newest so long ago. */
function every(us: number, count: number, ageUs: number): number[] {
  return Array.from({ length: count }, (_, i) => ageUs + i * us);
}

const all: AgeQuery = {
  integration: null,
  filter: matchAll,
  isSilentOnly: false,
  olderThanUs: 0,
  youngerThanUs: Number.POSITIVE_INFINITY,
  order: 'newest',
  skip: 0,
  limit: 100,
};

async function list(changes: Partial<AgeQuery>): Promise<string[]> {
  const { ages } = await recency.list({ ...all, ...changes }, AbortSignal.timeout(5000));
  const found = await meta.signals.byId(ages.map(({ id }) => id));
  return ages.map((age) => found.find(({ id }) => id === age.id)!.input);
}

const cases: [title: string, agesUs: number[], changes: Partial<Attributes>, isSilent: boolean][] = [
  ['a declared gap counts', [6 * minuteUs], { gapDetectionUs: 5 * minuteUs }, true],
  ['within the declared gap it is not', [5 * minuteUs], { gapDetectionUs: 5 * minuteUs }, false],
  [
    'a declared gap may be shorter than a minute',
    [3e6],
    { gapDetectionUs: 2e6, sampleIntervalUs: dayUs },
    true,
  ],
  ['three declared intervals count', [hourUs * 3 + 1], { sampleIntervalUs: hourUs }, true],
  ['three declared intervals are not over', [hourUs * 3], { sampleIntervalUs: hourUs }, false],
  ['what is not declared is at least a minute', [minuteUs], { sampleIntervalUs: 1e6 }, false],
  ['three times the usual distance counts', every(minuteUs, 1000, 10 * minuteUs), {}, true],
  ['a usual pause does not', every(hourUs, 24, 2 * hourUs), {}, false],
  ['what comes daily is silent after days', every(dayUs, 20, 6 * dayUs), {}, true],
  ['what comes daily is not after a day', every(dayUs, 20, dayUs), {}, false],
  ['what hardly comes is not silent after a week', [7 * dayUs], {}, false],
  ['what hardly comes is silent after 30 days', [31 * dayUs], {}, true],
  ['a signal without points is not silent', [], { gapDetectionUs: 1 }, false],
  ['a prediction is not silent', [-hourUs], { gapDetectionUs: 1 }, false],
];
for (const [title, agesUs, changes, isSilent] of cases)
  test(`A5i ${title}`, async () => {
    await add('x', agesUs, changes);
    assert.equal((await recency.summary()).silent, Number(isSilent));
    assert.deepEqual(await list({ isSilentOnly: true }), isSilent ? ['x'] : []);
  });

test('A5i silent signals are counted by integration, with the newest point of all', async () => {
  const [other, empty] = [newId(), newId()];
  const gap = { gapDetectionUs: minuteUs };
  await add('live', [0], gap);
  await add('dead', [hourUs], gap);
  await add('a', [2 * hourUs], gap, other);
  await add('b', [3 * hourUs], gap, other);
  await add('none', [], gap, empty);
  const { asOfUs, signals, silent, integrations } = await recency.summary();
  assert.deepEqual([asOfUs, signals, silent], [clock.nowUs(), 5, 3]);
  assert.deepEqual(integrations, [
    { integration: other, signals: 2, silent: 2, lastUs: asOfUs - 2 * hourUs },
    { integration, signals: 2, silent: 1, lastUs: asOfUs },
    { integration: empty, signals: 1, silent: 0, lastUs: Number.NaN },
  ]);
});

test('A5i signals are listed by age, in pages, filtered, those without points last', async () => {
  for (const hours of [3, 1, 2]) await add(`h${hours}`, [hours * hourUs]);
  await add('none', []);
  await add('other', [0], {}, newId());
  assert.deepEqual(await list({ integration }), ['h1', 'h2', 'h3', 'none']);
  assert.deepEqual(await list({ integration, order: 'oldest' }), ['h3', 'h2', 'h1', 'none']);
  assert.deepEqual(await list({ skip: 1, limit: 2 }), ['h1', 'h2']);
  assert.deepEqual(await list({ olderThanUs: 2 * hourUs }), ['h2', 'h3']);
  assert.deepEqual(await list({ youngerThanUs: 2 * hourUs }), ['other', 'h1']);
  const filter = { op: 'in', path: { field: 'input' }, values: ['h2', 'none'] } as const;
  assert.deepEqual(await list({ filter }), ['h2', 'none']);
});

test('A5i one look at the signals serves the next seconds, and no longer', async () => {
  await add('x', [0], { gapDetectionUs: minuteUs });
  assert.equal((await recency.summary()).signals, 1);
  await add('y', [0]);
  clock.advance(4);
  assert.equal((await recency.summary()).signals, 1);
  clock.advance(120);
  const { signals, silent } = await recency.summary();
  assert.deepEqual([signals, silent], [2, 1]);
});

test('A5i more signals than the limit are refused with their number, by summary and by list', async () => {
  const few = new Recency({ meta, series, clock, limits: { recencySignalsMax: 1 } });
  await add('x', [0]);
  assert.equal((await few.summary()).signals, 1);
  await add('y', [0]);
  clock.advance(120);
  const isRefusal = (error: unknown) =>
    error instanceof AppError && error.kind === 'conflict' && /at most 1 signals.*are 2:/.test(error.message);
  await assert.rejects(few.summary(), isRefusal);
  await assert.rejects(few.list(all, AbortSignal.timeout(5000)), isRefusal);
});

test('A5i selections are kept only up to the size of two snapshots', async () => {
  for (const [i, input] of ['a', 'b', 'c', 'd'].entries()) await add(input, [i]);
  let selections = 0;
  const counting = {
    signals: {
      ...meta.signals,
      select: (...args: Parameters<typeof meta.signals.select>) => {
        selections++;
        return meta.signals.select(...args);
      },
    },
  };
  const kept = new Recency({ meta: counting, series, clock, limits });
  const select = (input: string) =>
    kept.list(
      { ...all, filter: { op: 'ne', path: { field: 'input' }, value: input } },
      AbortSignal.timeout(5000),
    );
  await select('a');
  const before = selections;
  await select('a');
  assert.equal(selections, before);
  for (const input of ['b', 'c', 'd']) await select(input);
  await select('a');
  assert.equal(selections, before + 4);
});
