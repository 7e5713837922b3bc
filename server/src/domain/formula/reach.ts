/** How far outside the window a formula looks (Q9, F4). */

/** Buckets outside the window that are looked at: whole numbers from 0 to `limits.offsetBucketsMax`. */
export interface Reach {
  /** Buckets before the window. */
  back: number;
  /** Buckets after the window. */
  ahead: number;
}

/** Where the values of one name are needed, relative to the bucket that is computed. */
export interface Need extends Reach {
  /**
   * How many buckets back lies the furthest one that gapfill fills; -Infinity: none is filled. From there gapfill looks back as
   * far as the item's gapDetection allows, but never further than the limit.
   */
  filled: number;
}

/** Looks nowhere but at the bucket itself. */
export const needNothing: Need = { back: 0, ahead: 0, filled: Number.NEGATIVE_INFINITY };

/** What serves both. */
export function widest(one: Need, other: Need | undefined): Need {
  if (other === undefined) return one;
  return {
    back: Math.max(one.back, other.back),
    ahead: Math.max(one.ahead, other.ahead),
    filled: Math.max(one.filled, other.filled),
  };
}

/** What is needed of a name by something that itself is needed elsewhere: nested offsets add up. */
export function nested(outer: Need, inner: Need): Need {
  return {
    back: outer.back + inner.back,
    ahead: outer.ahead + inner.ahead,
    filled: outer.back + inner.filled,
  };
}

/** A need as buckets to read; `gapBuckets` is the most that gapfill carries a value. */
export function reachOf(need: Need, gapBuckets: number, offsetBucketsMax: number): Reach {
  const back = Math.max(need.back, need.filled + gapBuckets);
  return { back: Math.min(offsetBucketsMax, back), ahead: need.ahead };
}

/** What covers all of them. */
export function widestReach(reaches: readonly Reach[]): Reach {
  return {
    back: Math.max(0, ...reaches.map(({ back }) => back)),
    ahead: Math.max(0, ...reaches.map(({ ahead }) => ahead)),
  };
}
