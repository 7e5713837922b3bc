/** Runs every spec/cases/*.case on every store: what a reader can check by hand, the service must answer. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { FixedClock, KeptLog } from '../support/world.ts';
import { stepsOf } from './run.ts';
import { parseScript } from './script.ts';
import { type StorePair, World } from './world.ts';

const folder = new URL('../../../spec/cases/', import.meta.url);

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

for (const file of readdirSync(folder).filter((name) => name.endsWith('.case'))) {
  const steps = stepsOf(parseScript(readFileSync(new URL(file, folder), 'utf8')));
  for (const [storeName, open] of Object.entries(stores)) {
    suite(`${file} on ${storeName}`, { concurrency: false }, () => {
      let store: StorePair;
      let world: World;
      let done = 0;

      before(async () => {
        store = await open();
        world = new World(store);
      });
      after(() => store.close());

      steps.forEach((step, index) => {
        if (!('run' in step)) return;
        test(step.title, async () => {
          for (; done < index; done++) {
            const earlier = steps[done];
            if ('prepare' in earlier) await earlier.prepare(world);
          }
          await step.run(world);
        });
      });
    });
  }
}

test('Q1-Q15 F1-F7 every case begins with the number of what it shows, and there are enough of them', () => {
  let count = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.case'))) {
    for (const step of stepsOf(parseScript(readFileSync(new URL(file, folder), 'utf8')))) {
      if (!('run' in step)) continue;
      assert.match(step.title, /^[QFRL]\d/, `${file}: ${step.title}`);
      count++;
    }
  }
  assert.ok(count >= 150, `${count} cases`);
});
