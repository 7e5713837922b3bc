/** How much is stored: of each signal, and altogether. Reads no times and no values. */
import type { SignalSize } from '../store.ts';
import type { Cluster } from './cluster.ts';
import { markerSignal } from './native-writer.ts';

/** Signals that one statement names at most. */
const signalsAtOnce = 5000;

/** Bytes of a point as it is documented for points that are not compressed yet: an estimate is never above. */
const pointBytesMax = 16;

/** What the tables of all shards take. */
export interface TableSize {
  rows: number;
  bytes: number;
}

/** Rows and bytes of the tables on one replica of each shard. */
export async function tableSize(cluster: Cluster, signal?: AbortSignal): Promise<TableSize> {
  const sql = `SELECT sum(rows), sum(bytes_on_disk) FROM system.parts WHERE database = '${cluster.database}' AND table = 'points' AND active FORMAT TabSeparated`;
  const parts = await Promise.all(cluster.shards.map(({ server }) => server.table(sql, {}, signal)));
  const size = { rows: 0, bytes: 0 };
  for (const [[rows, bytes]] of parts) {
    size.rows += Number(rows);
    size.bytes += Number(bytes);
  }
  return size;
}

/**
 * Bytes that the servers may still store, as if their disks were as full as the fullest: signals are spread evenly. Undefined where
 * the release does not say.
 */
export async function freeBytes(cluster: Cluster): Promise<number | undefined> {
  const known = "SELECT count() FROM system.tables WHERE database = 'system' AND name = 'disks'";
  const sql = 'SELECT sum(free_space) FROM system.disks FORMAT TabSeparated';
  const free = cluster.shards.map(async ({ server }) => {
    const [[count]] = await server.table(`${known} FORMAT TabSeparated`);
    return count === '0' ? Number.NaN : Number((await server.table(sql))[0][0]);
  });
  const least = Math.min(...(await Promise.all(free)));
  return Number.isNaN(least) ? undefined : least * cluster.shards.length;
}

/** The sizes of signals: their rows, and bytes as many as rows of the tables have on average. */
export async function signalSizes(
  cluster: Cluster,
  signals: readonly number[],
  signal?: AbortSignal,
): Promise<SignalSize[]> {
  const { rows, bytes } = await tableSize(cluster, signal);
  const rowBytes = Math.min(pointBytesMax, rows === 0 ? 0 : bytes / rows);
  const counts = new Map<string, number>();
  const divided = cluster.divide(new Set(signals));
  const reads = cluster.shards.map(async ({ server }, i) => {
    for (let from = 0; from < divided[i].length; from += signalsAtOnce) {
      const list = divided[i].slice(from, from + signalsAtOnce).join();
      const sql = `SELECT signal, count() FROM ${cluster.database}.points WHERE signal IN (${list}) GROUP BY signal FORMAT TabSeparated`;
      for (const [number, count] of await server.table(sql, {}, signal)) counts.set(number, Number(count));
    }
  });
  await Promise.all(reads);
  return signals.map((number) => {
    const points = counts.get(`${number}`) ?? 0;
    return { points, bytes: Math.ceil(points * rowBytes) };
  });
}

/** The numbers of all signals with points, ascending. */
export async function signalsWithPoints(cluster: Cluster): Promise<number[]> {
  const sql = `SELECT DISTINCT signal FROM ${cluster.database}.points WHERE signal != ${BigInt(markerSignal)} FORMAT TabSeparated`;
  const found = await Promise.all(cluster.shards.map(({ server }) => server.table(sql)));
  return found
    .flat(2)
    .map(Number)
    .sort((a, b) => a - b);
}
