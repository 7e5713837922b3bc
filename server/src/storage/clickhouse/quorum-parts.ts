/**
 * Parts that were the last ones of their partition to be inserted with a quorum: old releases do not change them, so that a
 * mutation is never done before something else is inserted into each of these partitions.
 */
import type { Shard } from './cluster.ts';
import { ServerFailure } from './failures.ts';
import { type InsertOptions, insertInto } from './insert.ts';
import { BlockWriter, markerSignal, timeWordsOf, versionOf } from './native-writer.ts';
import { partitionUs } from './partition.ts';
import type { Server } from './server.ts';

/** Partitions that are written to at a time: no insert may have more than 100. */
const partitionsAtOnce = 100;

/** Inserts a row that is no point into each partition that has not been changed by the mutations with this number. */
export async function releaseParts(shard: Shard, number: number, options: InsertOptions): Promise<void> {
  try {
    const partitions = await unchanged(shard.server, number, options.database);
    const some = partitions.slice(0, partitionsAtOnce);
    await insertInto(shard, () => markerRows(some, number), options);
  } catch (error) {
    throw error instanceof ServerFailure ? shard.explain(error) : error;
  }
}

/** The partitions with parts that are older than the mutation. */
async function unchanged(server: Server, number: number, database: string): Promise<number[]> {
  const bound = versionOf(number, 0);
  const text = `${BigInt(bound.high) * 2n ** 32n + BigInt(bound.low)}`;
  const mutations = await server.table(
    `SELECT partition_id, number FROM system.mutations ARRAY JOIN block_numbers.partition_id AS partition_id, block_numbers.number AS number WHERE database = '${database}' AND table = 'points' AND position(command, '${text}') > 0 FORMAT TabSeparated`,
  );
  const numbers = new Map(mutations.map(([partition, block]) => [partition, Number(block)]));
  const parts = await server.table(
    `SELECT partition_id, partition, data_version FROM system.parts WHERE database = '${database}' AND table = 'points' AND active FORMAT TabSeparated`,
  );
  const behind = parts.filter(([id, , version]) => Number(version) < (numbers.get(id) ?? 0));
  return [...new Set(behind.map(([, partition]) => Number(partition)))];
}

function* markerRows(partitions: readonly number[], number: number): Generator<Uint8Array> {
  if (partitions.length === 0) return;
  const writer = new BlockWriter(partitions.length);
  const timeWords = timeWordsOf(Float64Array.from(partitions, (partition) => partition * partitionUs));
  writer.add(markerSignal, timeWords, new Float64Array(partitions.length), 0, versionOf(number, 0));
  yield* writer.finish();
}
