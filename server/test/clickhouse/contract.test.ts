/** The contract of SeriesStore on points in ClickHouse. */
import { seriesDeletionContract } from '../contract/series-deletion.ts';
import { seriesStoreContract } from '../contract/series-store.ts';
import { inCluster, onEachCluster } from '../support/clickhouse-store.ts';

onEachCluster(({ name }, clusterOf) => {
  seriesStoreContract(name, () => inCluster(clusterOf));
  seriesDeletionContract(name, () => inCluster(clusterOf));
});
