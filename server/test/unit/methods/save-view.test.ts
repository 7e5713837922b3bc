/** Save views from the wire: synonyms, zero values of clients, intervals (R2, R8, R10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseItemSaves, parseSignalSaves } from '#methods/save-view';
import { AppError } from '#model/error';

type View = Parameters<typeof parseSignalSaves>[0][string];

function parse(view: View) {
  return parseSignalSaves({ a: view }, 'signalsByInput').get('a');
}

function problemsOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    assert(error instanceof AppError && error.kind === 'invalid-params');
    return { ...error.params };
  }
  return assert.fail('was not refused');
}

test('R8 an empty view leaves every attribute to its default', () => {
  assert.deepEqual(parse({}), {
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

test('R2 type and valueType are synonyms; an empty one gives way', () => {
  assert.equal(parse({ type: 'enum' })?.valueType, 'enum');
  assert.equal(parse({ valueType: 'enum' })?.valueType, 'enum');
  assert.equal(parse({ type: 'enum', valueType: '' })?.valueType, 'enum');
  assert.equal(parse({ type: '', valueType: '' })?.valueType, undefined);
  assert.deepEqual(
    problemsOf(() => parse({ type: 'enum', valueType: 'numeric' })),
    {
      'signalsByInput.a.type': ['must be the same as valueType "numeric", or left out'],
    },
  );
});

test('R4 intervals: fixed, not negative, as Python writes them too', () => {
  assert.equal(parse({ sampleInterval: 'PT15M' })?.sampleIntervalUs, 900_000_000);
  assert.equal(parse({ sampleInterval: 'P0DT0H0M30.000000S' })?.sampleIntervalUs, 30_000_000);
  assert.equal(parse({ gapDetection: 'PT0S' })?.gapDetectionUs, 0);
  const problems = problemsOf(() =>
    parseSignalSaves(
      { a: { sampleInterval: '-PT1S', gapDetection: 'P1Y' }, b: { gapDetection: 'soon' } },
      'signalsByInput',
    ),
  ) as Record<string, string[]>;
  assert.deepEqual(Object.keys(problems), [
    'signalsByInput.a.sampleInterval',
    'signalsByInput.a.gapDetection',
    'signalsByInput.b.gapDetection',
  ]);
  assert.deepEqual(problems['signalsByInput.a.sampleInterval'], ['must not be negative, got "-PT1S"']);
});

test('R2 labels with null for their values have none', () => {
  const labels = { site: ['b', 'a'], line: null };
  assert.deepEqual(parse({ labels })?.labels, new Map(Object.entries({ site: ['b', 'a'], line: [] })));
});

test('R10 required members of an item: either name of the value type counts', () => {
  const required = ['name', 'type', 'sourceType'] as const;
  const views = { s: { name: 'n', valueType: 'enum', sourceType: 'measurement' } };
  assert.equal(parseItemSaves(views, 'itemsBySignal', required).get('s')?.valueType, 'enum');
  assert.deepEqual(
    problemsOf(() => parseItemSaves({ s: {} }, 'itemsBySignal', required)),
    Object.fromEntries(required.map((name) => [`itemsBySignal.s.${name}`, ['required']])),
  );
  assert.equal(parseItemSaves({ s: { visible: true } }, 'itemsBySignal', []).get('s')?.visible, true);
});
