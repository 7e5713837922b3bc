/** Frames with the same keys share one array of keys, on which caches of three layers rely (R9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ingest } from '#domain/ingest/ingest';
import { NumberCache } from '#domain/signals/number-cache';
import { insert } from '#methods/integration/insert';
import type { Columns } from '#model/frame';
import { limitDefaults } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import { RequestParser } from '#protocol/request';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { newTicket } from '../../../support/load.ts';

const integration = 'cbpmaq6rpn52969vfl00';
const keys = ['same/1', 'same/2', 'same/3'];

const parser = new RequestParser({ takesColumns: () => true, limits: limitDefaults });

/** The columns of an insert as the protocol reads them. */
function columnsOf(values: number): Columns {
  const series = Object.fromEntries(keys.map((key) => [key, [values]]));
  const params = { integration, data: { times: [values], series } };
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'integration.insert', params });
  const { columns } = parser.parse(Buffer.from(text));
  assert.ok(columns !== null);
  return columns;
}

test('R9 the same keys come as the same array, their signals too, and the answer is not printed again', async () => {
  const frames = [1, 2, 3].map(columnsOf);
  assert.equal(frames[1].keys, frames[2].keys, 'protocol/key-memory.ts');
  const cache = new NumberCache(100);
  for (const [i, key] of keys.entries()) cache.remember(integration, key, { id: `id${i}`, number: i });
  const signals = frames.slice(1).map((frame) => cache.find(integration, frame.keys));
  assert.ok(signals[0] !== null);
  assert.equal(signals[0], signals[1], 'domain/signals/number-cache.ts');
  const numbers = {
    cachedNumbers: cache.find.bind(cache),
    numbers: async () => assert.fail('all are known'),
    states: async () => assert.fail('no string is written'),
  };
  const ingest = new Ingest({ signals: numbers, series: new MemorySeriesStore() });
  const [method] = insert({ ingest } as unknown as Parameters<typeof insert>[0]);
  const call = { caller: { integration }, ticket: newTicket() } as unknown as Parameters<
    typeof method.run
  >[0];
  const params = { integration, data: { times: null, series: frames[1] } };
  const answer = () => method.run(call, params, new ProblemList());
  assert.equal(await answer(), await answer(), 'methods/integration/insert.ts');
});
