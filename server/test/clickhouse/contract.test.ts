/** The contract of SeriesStore on points in ClickHouse. */
import { seriesChangesContract } from '../contract/series-changes.ts';
import { seriesDeletionContract } from '../contract/series-deletion.ts';
import { seriesStoreContract } from '../contract/series-store.ts';
import { inCluster, onEachCluster } from '../support/clickhouse-store.ts';

onEachCluster(({ name }, clusterOf) => {
  seriesStoreContract(name, () => inCluster(clusterOf));
  seriesDeletionContract(name, () => inCluster(clusterOf));
  seriesChangesContract(name, () => inCluster(clusterOf));
});
