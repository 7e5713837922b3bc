/** Signals with the maximum of metadata: a call that would read too many of them is rejected, and does not affect others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { temporaryDirectory } from '../support/directory.ts';
import { startService } from '../support/service.ts';
import { FixedClock, KeptLog } from '../support/world.ts';

const enumValues = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [String(i), 'v'.repeat(128)]));
const inputs = ['a', 'b', 'c', 'd'];

test('R13b a call that would read too much metadata is refused, one that reads less is answered', async (t) => {
  const directory = await temporaryDirectory(t);
  // Each of the signals has 1.4 million characters.
  const limits = { ...limitDefaults, resourceCharactersMax: 4 * 1024 * 1024 };
  const store = await openSqlite({ directory, limits, clock: new FixedClock(), log: new KeptLog() });
  const service = await startService({ ...store, limits });
  t.after(() => service.close());
  t.after(() => store.close());
  const { integration } = service;
  for (const input of inputs) {
    const saved = await service.call('integration.saveSignals', {
      integration,
      signalsByInput: { [input]: { enumValues } },
    });
    assert.ok(saved.result, JSON.stringify(saved));
  }
  const refused = /labels, annotations and enumValues that this call reads have more than 4194304 characters/;
  const select = (limit: number) => service.call('admin.selectSignals', { integration, query: { limit } });
  const { error } = await select(4);
  assert.equal(error?.code, -32602);
  assert.match(error?.message ?? '', refused);
  assert.ok((await select(2)).result);

  // Saving compares with what is there, in the writer's transaction: it ends, and the next one is not in its way.
  const bare = Object.fromEntries(inputs.map((input) => [input, {}]));
  const all = await service.call('integration.saveSignals', { integration, signalsByInput: bare });
  assert.match(all.error?.message ?? '', refused);
  const one = await service.call('integration.saveSignals', { integration, signalsByInput: { a: {} } });
  assert.ok(one.result, JSON.stringify(one));
  assert.ok((await select(4)).result);
});
