/** Opens the store of the service for its first thread: a data directory, or PostgreSQL and ClickHouse. */
import type { Environment } from '#model/environment';
import type { Limits } from '#model/limits';
import type { Coordination } from '#storage/coordination';
import { openSqlite, type StoreShare, type StoreUse } from '#storage/sqlite/store';
import type { NumberTables } from '#threads/number-table';
import { type ClusterAddresses, openCluster } from './open-cluster.ts';

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** Not used where there are addresses. */
  directory: string;
  cluster?: ClusterAddresses | null;
  limits: Limits;
  tables: NumberTables;
  /** The number of threads of the process. */
  threads: number;
  /** Of the program. */
  version: string;
}

/** The store as one thread uses it; where several nodes share it, they have more in common than the threads of one process. */
export interface ThreadStore extends StoreUse {
  coordinate?(threads: Coordination): Promise<Coordination>;
}

/** The store of the first thread, and what the others need. */
export interface ServedStore extends ThreadStore {
  /** Access for another thread; null: it opens the store by itself. */
  share(): StoreShare | null;
  /** A secret of the whole service; `fresh` if there is none of this name yet. */
  shareSecret(name: string, fresh: string): Promise<string>;
}

/** Fails as `openSqlite` and `openCluster` do. */
export async function openStore(options: StoreOptions, environment: Environment): Promise<ServedStore> {
  if (options.cluster) {
    const store = await openCluster({ ...options, addresses: options.cluster }, environment);
    return { ...store, share: () => null };
  }
  const store = await openSqlite({ ...options, ...environment, serving: true });
  // Alone, the service may have another one after each start.
  return { ...store, shareSecret: async (_, fresh) => fresh };
}
