/** Options of the store of points in ClickHouse, and their defaults. */
import type { MessagePort } from 'node:worker_threads';
import type { Log, Random } from '#model/environment';
import type { NumberTables } from '#threads/number-table';
import type { WriteNumbers } from '../coordination.ts';

/** What the store needs to know. */
export interface ClickHouseOptions {
  /**
   * `http(s)://user:password@host:port/database`, several separated by commas: one for each server. Without a cluster they
   * are tried in turn; with one there must be an address of each shard, unless its host of `system.clusters` listens at the
   * first address's port.
   */
  urls: string;
  /** The name of the cluster in `system.clusters`; null: one server keeps all points. */
  cluster: string | null;
  /** Whether the tables are replicated over Keeper or ZooKeeper, with the macros `{shard}` and `{replica}`. */
  isReplicated: boolean;
  /** They order writes: one that begins after another was acknowledged has a greater number. */
  numbers: WriteNumbers;
  /** What the threads of the process share; default: there is one thread. */
  tables?: NumberTables;
  /** Access to the writer of another thread of the process; default: this store has the writer. */
  writer?: MessagePort | null;
  random: Random;
  log: Log;
  tuning?: Partial<ClickHouseTuning>;
}

/** How the store uses ClickHouse. */
export interface ClickHouseTuning {
  /** The least time from the beginning of one insert of small batches to that of the next, which gathers meanwhile, ms. */
  gatherMs: number;
  /** Rows that need not be gathered any longer, unless as many are expected again as there were. */
  gatherRows: number;
  /** Rows that need not be gathered any longer in any case. */
  gatherRowsMax: number;
  /** The most rows of one insert, unless a single row time of one batch has more columns. */
  insertRowsMax: number;
  /** The most bytes of batches that wait or are being written; more are refused. */
  queueBytesMax: number;
  /** The longest time of one insert, ms. */
  insertMsMax: number;
  /** The longest time of one statement that reads, ms. */
  readMsMax: number;
  /** How long a deletion may take on the servers, ms. */
  deleteMsMax: number;
  /** Memory of one statement on a server, bytes. */
  statementBytesMax: number;
  /** Memory of each thread for rows that servers have sent, which may be asked for again, bytes. */
  rememberedBytesMax: number;
  /** The most reads at a time; others wait. */
  readsMax: number;
  /** How often a server that has not answered yet is asked whether it lives, ms; it has as long to answer that. */
  pingMs: number;
  /** How long writing waits for a read that has twice seen a write in part, ms. */
  holdMsMax: number;
}

/** The defaults. */
export const tuningDefaults: ClickHouseTuning = {
  gatherMs: 100,
  gatherRows: 100_000,
  gatherRowsMax: 500_000,
  insertRowsMax: 1_000_000,
  queueBytesMax: 268_435_456,
  insertMsMax: 60_000,
  readMsMax: 60_000,
  deleteMsMax: 600_000,
  statementBytesMax: 4_000_000_000,
  rememberedBytesMax: 33_554_432,
  readsMax: 16,
  pingMs: 5000,
  holdMsMax: 1000,
};
