/** More watches than are supplied in one iteration of the event loop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveWatch } from '#domain/live/live-watch';
import { serviceOfFile } from '../../../support/service.ts';

const watchCount = 600;
const service = await serviceOfFile({ limits: { liveWatchersMax: 4 * watchCount } });
const { live, integration } = service;

async function insert(second: number): Promise<{ signalsByInput: { many: { id: string } } }> {
  const data = { times: [second], series: { many: [second] } };
  return (await service.call('integration.insert', { integration, data })).result as never;
}

async function secondsOf(watch: LiveWatch, count: number): Promise<number[]> {
  const seconds: number[] = [];
  while (seconds.length < count) {
    const news = await watch.next();
    if (news?.kind !== 'events') assert.fail(`${news?.kind}`);
    for (const { points } of news.events) for (const { values } of points.values()) seconds.push(...values);
  }
  return seconds;
}

test('N2 each of many watches gets each insert once and in order, while some of them end', async () => {
  const { signalsByInput } = await insert(1);
  const itemsBySignal = { [signalsByInput.many.id]: { name: 'many' } };
  const saved = await service.call('admin.publishSignals', { integration, itemsBySignal });
  const { id } = (saved.result as { itemsBySignal: Record<string, { id: string }> }).itemsBySignal[
    signalsByInput.many.id
  ];
  const watches: LiveWatch[] = [];
  for (let i = 0; i < watchCount; i++)
    watches.push(await live.watch({ party: integration, items: [id], after: null }));
  const inserting = (async () => {
    for (const second of [10, 20, 30]) await insert(second);
  })();
  for (const watch of watches.filter((_, i) => i % 7 === 3)) watch.close();
  await inserting;
  const left = watches.filter((_, i) => i % 7 !== 3);
  for (const watch of left) assert.deepEqual(await secondsOf(watch, 3), [10, 20, 30]);
  for (const watch of left) watch.close();
});
