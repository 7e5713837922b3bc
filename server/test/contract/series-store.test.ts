/** The contract of SeriesStore on the stores that need nothing but this machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { seriesDeletionContract } from './series-deletion.ts';
import { type SeriesStoreUnderTest, seriesStoreContract } from './series-store.ts';

const everyContract = (name: string, underTest: () => SeriesStoreUnderTest) => {
  seriesStoreContract(name, underTest);
  seriesDeletionContract(name, underTest);
};

everyContract('memory', () => ({
  open: async () => new MemorySeriesStore(),
  reopen: null,
  cleanUp: async () => {},
}));

everyContract('sqlite', () => sqliteUnderTest());

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** The whole embedded store; closing its SeriesStore closes all of it. */
function sqliteUnderTest(): SeriesStoreUnderTest {
  let directory = '';
  const openIn = async (): Promise<SeriesStore> => {
    const clock = { nowUs: () => 0 };
    const { series, close } = await openSqlite({ directory, clock, log: quiet, limits: limitDefaults });
    return {
      append: (batch) => series.append(batch),
      scan: (request, signal) => series.scan(request, signal),
      rollup: (request, signal) => series.rollup!(request, signal),
      deleteSignals: (signals) => series.deleteSignals(signals),
      deletePoints: (signals, window) => series.deletePoints(signals, window),
      countPoints: (signals, window) => series.countPoints(signals, window),
      sizes: (signals, signal) => series.sizes(signals, signal),
      figures: () => series.figures!(),
      storedSignals: () => series.storedSignals(),
      close,
    };
  };
  return {
    open: async () => {
      directory = await mkdtemp(join(tmpdir(), 'tidemark-series-'));
      return openIn();
    },
    reopen: async (store) => {
      await store.close();
      return openIn();
    },
    cleanUp: () => rm(directory, { recursive: true }),
  };
}
