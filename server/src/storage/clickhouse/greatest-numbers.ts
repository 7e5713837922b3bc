/** The greatest numbers that points carry, of signals and of writes: what hands them out must have come as far. */
import type { Cluster } from './cluster.ts';
import { markerSignal, placesOfGroup } from './native-writer.ts';
import type { Server } from './server.ts';

/** Rows of a shard that are looked at, the newest first: a few seconds at the start of a node. */
const rowsMax = 1_000_000_000;

/** Of signals and of writes; 0: there are none. */
export interface GreatestNumbers {
  signal: number;
  write: number;
}

/** Those of all shards. Of a shard with more than 10^9 points only the parts that were written last are looked at. */
export async function greatestNumbers(cluster: Cluster): Promise<GreatestNumbers> {
  const found = await cluster.attempt(() =>
    Promise.all(cluster.shards.map(({ server }) => ofServer(cluster.database, server))),
  );
  return {
    signal: Math.max(...found.map(({ signal }) => signal)),
    write: Math.max(...found.map(({ write }) => write)),
  };
}

async function ofServer(database: string, server: Server): Promise<GreatestNumbers> {
  const parts = await newestParts(database, server);
  if (parts.length === 0) return { signal: 0, write: 0 };
  const signal = `maxIf(signal, signal < ${BigInt(markerSignal)})`;
  const [[signals, writes]] = await server.table(
    `SELECT ${signal}, intDiv(max(version), ${placesOfGroup}) FROM ${database}.points WHERE _part IN (${parts.join()}) FORMAT TabSeparated`,
  );
  return { signal: Number(signals), write: Number(writes) };
}

async function newestParts(database: string, server: Server): Promise<string[]> {
  const parts = await server.table(
    `SELECT name, rows FROM system.parts WHERE database = '${database}' AND table = 'points' AND active ORDER BY modification_time DESC FORMAT TabSeparated`,
  );
  let rows = 0;
  const end = parts.findIndex(([, count], i) => {
    rows += Number(count);
    return i > 0 && rows > rowsMax;
  });
  return parts.slice(0, end === -1 ? undefined : end).map(([name]) => `'${name}'`);
}
