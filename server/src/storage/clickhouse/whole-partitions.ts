/** Drops partitions as a whole, which costs nothing however much they have: a mutation reads and rewrites them. */
import type { Shard } from './cluster.ts';
import { ServerFailure } from './failures.ts';
import type { InsertOptions } from './insert.ts';
import { partitionEndUs } from './partition.ts';

/** The error of a server whose settings do not let it drop so much at once. */
const tooLargeCode = 359;

/** However much it is, where the release takes that as a setting of the statement. */
const settings = { max_partition_size_to_drop: 0 };

/** Drops what ends before a time. What the server must not drop stays. */
export async function dropPartitions(
  { server }: Shard,
  beforeUs: number,
  { database }: Pick<InsertOptions, 'database'>,
): Promise<void> {
  const partitions = await server.table(
    `SELECT DISTINCT partition, partition_id FROM system.parts WHERE database = '${database}' AND table = 'points' AND active FORMAT TabSeparated`,
  );
  for (const [partition, id] of partitions) {
    if (partitionEndUs(partition) > beforeUs) continue;
    try {
      await server.command(`ALTER TABLE ${database}.points DROP PARTITION ID '${id}'`, settings);
    } catch (error) {
      if (!(error instanceof ServerFailure) || error.code !== tooLargeCode) throw error;
    }
  }
}
