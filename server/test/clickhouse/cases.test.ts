/** Runs every spec/cases/*.case on points in ClickHouse. */
import { openClickHouse } from '#storage/clickhouse/store';
import { caseSuite } from '../cases/suite.ts';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { onEachCluster, storeOptions } from '../support/clickhouse-store.ts';

onEachCluster(({ name }, clusterOf) => {
  caseSuite(name, async () => {
    const series = await openClickHouse(storeOptions(clusterOf()));
    return { meta: new MemoryMetaStore(), series, close: () => series.close() };
  });
});
