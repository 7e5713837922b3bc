/** Opens the store of the service for its first thread: a data directory, or PostgreSQL and ClickHouse. */
import { setFlagsFromString } from 'node:v8';
import type { Environment } from '#model/environment';
import type { Limits } from '#model/limits';
import type { Coordination } from '#storage/coordination';
import { openSqlite, type StoreShare, type StoreUse } from '#storage/sqlite/store';
import type { NumberTables } from '#threads/number-table';
import { type ClusterAddresses, type ClusterShare, openCluster } from './open-cluster.ts';

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

/** What the first thread gives another one of the process: a store, or the writer of one that each thread opens. */
export type ThreadShare = StoreShare | ClusterShare;

/** The store of the first thread, and what the others need. */
export interface ServedStore extends ThreadStore {
  /** Access for another thread. */
  share(): ThreadShare;
  /** A secret of the whole service; `fresh` if there is none of this name yet. */
  shareSecret(name: string, fresh: string): Promise<string>;
}

/**
 * By how much the heap of a thread may grow before all garbage is collected, percent. V8 counts the memory of arrays, too, and allows
 * 30 percent where the heap itself grows slowly: bodies and columns of large frames that wait for their insert take more, so that
 * half of the processor time of a node was the marking of the same 30 MB again and again.
 */
const heapGrowthPercent = 100;

/** Fails as `openSqlite` and `openCluster` do. */
export async function openStore(options: StoreOptions, environment: Environment): Promise<ServedStore> {
  if (options.cluster) {
    setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
    return openCluster({ ...options, addresses: options.cluster }, environment);
  }
  const store = await openSqlite({ ...options, ...environment, serving: true });
  // Alone, the service may have another one after each start.
  return { ...store, shareSecret: async (_, fresh) => fresh };
}
