/** How points are divided into partitions by time: the unit in which ClickHouse stores, merges and drops them. */

/** Width of a partition, µs: 30 days. It is part of the schema and never changes. */
export const partitionUs = 30 * 86_400 * 1e6;

/** The partition of a time, as ClickHouse's `intDiv` computes it: towards zero. */
export function partitionOf(timeUs: number): number {
  return Math.trunc(timeUs / partitionUs);
}
