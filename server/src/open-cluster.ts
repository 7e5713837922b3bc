/** Opens the store of a service that runs on several nodes: PostgreSQL and ClickHouse, whose drivers are loaded only here. */
import { hostname } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import type { Environment, Random } from '#model/environment';
import type { Limits } from '#model/limits';
import type { Coordination } from '#storage/coordination';
import type { MetaRows, MetaTopic } from '#storage/meta-store';
import type { StoreUse } from '#storage/sqlite/store';
import { NumberTables } from '#threads/number-table';
import { Revisions } from '#threads/revisions';

/** Where metadata and points are, if not in a data directory. */
export interface ClusterAddresses {
  /** URLs, separated by commas. */
  metaUrl: string;
  seriesUrl: string;
  /** As ClickHouse knows it; null: one server keeps all points. */
  seriesCluster: string | null;
  isReplicated: boolean;
}

/** Options of {@link openCluster}. */
export interface ClusterOptions {
  addresses: ClusterAddresses;
  limits: Limits;
  /** What the threads of the process share; default: there is one thread. */
  tables?: NumberTables;
  /** The number of threads of the process, each of which has connections of its own; default 1. */
  threads?: number;
  /** Of the program, as other nodes show it; default: not known. */
  version?: string;
  /** Whether the store is opened to be filled from another one. Default false. */
  isTransfer?: boolean;
  /** What another thread has shared; default: this is the first thread. */
  share?: ClusterShare;
}

/** What one thread shares with another. The port has to be transferred. */
export interface ClusterShare {
  /** To the writer of points. */
  points: MessagePort;
}

/** The store as one thread uses it. */
export interface ClusterStore extends StoreUse {
  rows: MetaRows;
  /** Excludes nodes until the store is closed; the returned function fails when the exclusion was lost. */
  exclude(): Promise<() => void>;
  /** What this thread has in common with those of all nodes. */
  coordinate(threads: Coordination): Promise<Coordination>;
  /** Access for another thread of the process, to be passed to {@link openCluster} there. It must be closed before this one. */
  share(): ClusterShare;
  /** The same secret on all nodes, which is `fresh` if there is none of this name yet. */
  shareSecret(name: string, fresh: string): Promise<string>;
}

/** Connections of one process to PostgreSQL, roughly: servers allow 100 by default, for all nodes together. */
const connectionsOfProcess = 24;

/** Connects to both, and makes their tables if they are missing. Fails where the operator has to act, and says what to do. */
export async function openCluster(
  options: ClusterOptions,
  { log, random, stopwatch }: Pick<Environment, 'log' | 'random' | 'stopwatch'>,
): Promise<ClusterStore> {
  const { addresses, limits, tables = new NumberTables(), threads = 1, version = '' } = options;
  const { openPostgres } = await import('#storage/postgres/store');
  const { NodeCoordination } = await import('#storage/postgres/node-coordination');
  const { openClickHouse } = await import('#storage/clickhouse/store');
  await using opening = new AsyncDisposableStack();
  let onChanged: (topic: MetaTopic, revision: number) => void = () => {};
  const postgres = await openPostgres({
    ...{ url: addresses.metaUrl, log, limits, notices: new Revisions(tables) },
    isTransfer: options.isTransfer,
    onChanged: (topic, revision) => onChanged(topic, revision),
    connectionsMax: Math.min(8, Math.max(4, Math.floor(connectionsOfProcess / threads))),
  });
  opening.defer(() => postgres.close());
  const { seriesUrl: urls, seriesCluster: cluster, isReplicated } = addresses;
  const { meta, rows, shareSecret, connect } = postgres;
  const newName = () => Buffer.from(random.bytes(12)).toString('hex');
  const numbers = postgres.writeNumbers(newName(), await shareSecret('write numbers', newName()));
  opening.defer(() => numbers.close().catch(() => undefined));
  const series = await openClickHouse({
    ...{ urls, cluster, isReplicated, random, log, tables, numbers },
    writer: options.share?.points ?? null,
  });
  opening.defer(() => series.close());
  if (options.share === undefined && options.isTransfer !== true) {
    const { signal, write } = await series.greatestNumbers();
    await postgres.requireGiven(signal, write);
  }
  const closing = opening.move();
  const nodes = { ...connect, version, log, stopwatch, id: nodeName(tables, random) };
  const coordinate = async (threads: Coordination) => {
    const coordination = new NodeCoordination({ threads, tables, nodes });
    closing.defer(() => coordination.close());
    await coordination.start();
    onChanged = (topic, revision) => coordination.tellChange(topic, revision);
    return coordination;
  };
  const exclude = async () => {
    const use = await postgres.takeSoleUse();
    closing.defer(() => use.release());
    return () => use.require();
  };
  const sharePoints = () => ({ points: series.shareWriter() });
  const close = () => closing.disposeAsync();
  return { meta, rows, series, shareSecret, exclude, coordinate, share: sharePoints, close };
}

/** The same in all threads of a process, and different in any other one. */
function nodeName(tables: NumberTables, random: Random): string {
  const words = tables.words('name of this node', 1);
  const fresh = Buffer.from(random.bytes(4)).readInt32LE() || 1;
  const known = Atomics.compareExchange(words, 0, 0, fresh);
  const word = (known || fresh) >>> 0;
  return `${hostname()}-${word.toString(16).padStart(8, '0')}`;
}
