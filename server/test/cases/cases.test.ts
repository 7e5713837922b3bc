/** Runs every spec/cases/*.case on every store: what a reader can check by hand, the service must answer. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { FixedClock, KeptLog } from '../support/world.ts';
import { caseFiles, caseSuite } from './suite.ts';
import type { StorePair } from './world.ts';

/** The stores, each opened anew for each file. */
const stores: Record<string, () => Promise<StorePair>> = {
  memory: async () => {
    const meta = new MemoryMetaStore();
    const series = new MemorySeriesStore();
    return { meta, series, close: () => series.close() };
  },
  sqlite: async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tidemark-cases-'));
    const store = await openSqlite({
      directory,
      clock: new FixedClock(),
      log: new KeptLog(),
      limits: limitDefaults,
    });
    const close = async () => {
      await store.close();
      rmSync(directory, { recursive: true });
    };
    return { ...store, close };
  },
};

for (const [storeName, open] of Object.entries(stores)) caseSuite(storeName, open);

test('Q1-Q15 F1-F7 every case begins with the number of what it shows, and there are enough of them', () => {
  let count = 0;
  for (const { file, steps } of caseFiles()) {
    for (const step of steps) {
      if (!('run' in step)) continue;
      assert.match(step.title, /^[QFRL]\d/, `${file}: ${step.title}`);
      count++;
    }
  }
  assert.ok(count >= 150, `${count} cases`);
});
