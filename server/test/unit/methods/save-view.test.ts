/** Save views from the wire: synonyms, zero values of clients, intervals (R2, R8, R10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseItemSaves, parseSignalSaves } from '#methods/save-view';
import { AppError } from '#model/error';
import { ProblemList } from '#model/problem-list';

type View = Parameters<typeof parseSignalSaves>[0][string];

async function parse(view: View) {
  const { changes, problems } = await signals({ a: view });
  assert.deepEqual(problems, {});
  return changes.get('a');
}

const signalsMax = 100;

async function signals(views: Record<string, View>) {
  const problems = new ProblemList();
  const changes = await parseSignalSaves(views, 'signalsByInput', { signalsMax, problems });
  return { changes, problems: { ...problems.toProblems() } };
}

async function items(
  views: Parameters<typeof parseItemSaves>[0],
  required: Parameters<typeof parseItemSaves>[2],
) {
  const problems = new ProblemList();
  const changes = await parseItemSaves(views, 'itemsBySignal', required, { signalsMax, problems });
  return { changes, problems: { ...problems.toProblems() } };
}

test('R8 an empty view leaves every attribute to its default', async () => {
  assert.deepEqual(await parse({}), {
    name: undefined,
    description: undefined,
    valueType: undefined,
    sourceType: undefined,
    engUnit: undefined,
    sampleIntervalUs: null,
    gapDetectionUs: null,
    labels: new Map(),
    enumValues: new Map(),
    annotations: new Map(),
  });
});

test('R2 type and valueType are synonyms; an empty one gives way', async () => {
  assert.equal((await parse({ type: 'enum' }))?.valueType, 'enum');
  assert.equal((await parse({ valueType: 'enum' }))?.valueType, 'enum');
  assert.equal((await parse({ type: 'enum', valueType: '' }))?.valueType, 'enum');
  assert.equal((await parse({ type: '', valueType: '' }))?.valueType, undefined);
  assert.deepEqual((await signals({ a: { type: 'enum', valueType: 'numeric' } })).problems, {
    'signalsByInput.a.type': ['must be the same as valueType "numeric", or left out'],
  });
});

test('R4 intervals: fixed, not negative, as Python writes them too', async () => {
  assert.equal((await parse({ sampleInterval: 'PT15M' }))?.sampleIntervalUs, 900_000_000);
  assert.equal((await parse({ sampleInterval: 'P0DT0H0M30.000000S' }))?.sampleIntervalUs, 30_000_000);
  assert.equal((await parse({ gapDetection: 'PT0S' }))?.gapDetectionUs, 0);
  const views = { a: { sampleInterval: '-PT1S', gapDetection: 'P1Y' }, b: { gapDetection: 'soon' } };
  const { problems } = await signals(views);
  assert.deepEqual(Object.keys(problems), [
    'signalsByInput.a.sampleInterval',
    'signalsByInput.a.gapDetection',
    'signalsByInput.b.gapDetection',
  ]);
  assert.deepEqual(problems['signalsByInput.a.sampleInterval'], ['must not be negative, got "-PT1S"']);
});

test('R2 labels with null for their values have none', async () => {
  const labels = { site: ['b', 'a'], line: null };
  assert.deepEqual(
    (await parse({ labels }))?.labels,
    new Map(Object.entries({ site: ['b', 'a'], line: [] })),
  );
});

test('R10 required members of an item: either name of the value type counts', async () => {
  const required = ['name', 'type', 'sourceType'] as const;
  const views = { s: { name: 'n', valueType: 'enum', sourceType: 'measurement' } };
  assert.equal((await items(views, required)).changes.get('s')?.valueType, 'enum');
  assert.deepEqual(
    (await items({ s: {} }, required)).problems,
    Object.fromEntries(required.map((name) => [`itemsBySignal.s.${name}`, ['required']])),
  );
  assert.equal((await items({ s: { visible: true } }, [])).changes.get('s')?.visible, true);
});

test('L1 more signals than one call may have are refused before any is read', async () => {
  const views = Object.fromEntries(
    Array.from({ length: 101 }, (_, i) => [`k${i}`, { gapDetection: 'soon' }]),
  );
  await assert.rejects(signals(views), (error) => {
    assert(error instanceof AppError);
    assert.deepEqual({ ...error.params }, { signalsByInput: ['must have at most 100 signals, got 101'] });
    return true;
  });
});
