/** Buckets: the consecutive half-open stretches of time that a rollup aggregates (Q2-Q4). */

/** Bucket i is `[edgesUs[i], edgesUs[i + 1])`; edges ascend strictly; one more edge than buckets. */
export interface Buckets {
  edgesUs: Float64Array;
  /** The width of every bucket when all are equally wide (arithmetic instead of binary search), else null. */
  stepUs: number | null;
}
