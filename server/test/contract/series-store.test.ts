/** The contract of SeriesStore on the stores that need nothing but this machine. */
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { FixedClock, KeptLog } from '../support/world.ts';
import { seriesChangesContract } from './series-changes.ts';
import { seriesDeletionContract } from './series-deletion.ts';
import { seriesStoreContract } from './series-store.ts';
import { inDirectory, inMemory, type UnderTest } from './under-test.ts';

const kinds: Record<string, () => UnderTest<SeriesStore>> = {
  memory: () => inMemory(() => new MemorySeriesStore()),
  sqlite: () =>
    inDirectory(async (directory) => {
      const options = { directory, clock: new FixedClock(), log: new KeptLog(), limits: limitDefaults };
      const { series, close } = await openSqlite(options);
      return { store: series, close };
    }),
};

for (const [name, kind] of Object.entries(kinds)) {
  seriesStoreContract(name, kind);
  seriesDeletionContract(name, kind);
  seriesChangesContract(name, kind);
}
