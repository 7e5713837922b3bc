/** How points are divided into partitions by time: the unit in which ClickHouse stores, merges and drops them. */

/** Width of a partition, µs: 30 days. It is part of the schema and never changes. */
export const partitionUs = 30 * 86_400 * 1e6;

/** The partition of a time, as ClickHouse's `intDiv` computes it: towards zero. */
export function partitionOf(timeUs: number): number {
  return Math.trunc(timeUs / partitionUs);
}

/** Old releases divide a negative time as if it were one without a sign. */
const unsigned = 2n ** 64n;

/** The first time behind all of a partition, as its name has its number. That of 0 may have the times on both sides of it. */
export function partitionEndUs(name: string): number {
  const [partition, width] = [BigInt(name), BigInt(partitionUs)];
  if (partition < 0n) return Number(partition * width + 1n);
  const end = (partition + 1n) * width;
  if (end < unsigned / 2n) return Number(end);
  return end > unsigned ? 0 : Number(end - unsigned);
}
