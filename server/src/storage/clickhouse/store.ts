/** Opens the store of points in ClickHouse. Imported only where one is configured: it loads the driver. */
import { Cluster } from './cluster.ts';
import { type ClickHouseOptions, tuningDefaults } from './options.ts';
import { prepareSchema } from './schema.ts';
import { ClickHouseSeriesStore } from './series-store.ts';

export type { ClickHouseOptions, ClickHouseTuning } from './options.ts';

/**
 * Connects, creates the tables where there are none, and checks that they are this store's. Fails with `unavailable` when a
 * shard does not answer, with `conflict` where addresses, cluster or tables do not fit.
 */
export async function openClickHouse(options: ClickHouseOptions): Promise<ClickHouseSeriesStore> {
  const tuning = { ...tuningDefaults, ...options.tuning };
  const cluster = await Cluster.open(options, tuning);
  try {
    await prepareSchema(cluster, options);
  } catch (error) {
    await cluster.close();
    throw error;
  }
  return new ClickHouseSeriesStore(cluster, options, tuning);
}
