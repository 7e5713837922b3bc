/** How far outside the window a formula looks (Q9, F4). */

/** Buckets outside the window that are looked at: whole numbers from 0 to `limits.offsetBucketsMax`. */
export interface Reach {
  /** Buckets before the window. */
  back: number;
  /** Buckets after the window. */
  ahead: number;
}

/** The need for one name: where its values are wanted, relative to the window. */
export interface Need extends Reach {
  /**
   * How far back gapfill looks for a value to carry; at least `back`. Unlike `back` it may exceed the limit: it is then
   * cut off there, as gapfill makes do with what there is.
   */
  carry: number;
}

/** Looks nowhere but at the window. */
export const needNothing: Need = { back: 0, ahead: 0, carry: 0 };

/** What serves both. */
export function widest(one: Need, other: Need | undefined): Need {
  if (other === undefined) return one;
  return {
    back: Math.max(one.back, other.back),
    ahead: Math.max(one.ahead, other.ahead),
    carry: Math.max(one.carry, other.carry),
  };
}

/** What is needed of a name by something that itself is needed elsewhere: nested offsets add up. */
export function nested(outer: Need, inner: Need): Need {
  return {
    back: outer.back + inner.back,
    ahead: outer.ahead + inner.ahead,
    carry: Math.max(outer.carry, outer.back + inner.carry),
  };
}

/** A need as buckets to read. */
export function reachOf(need: Need, offsetBucketsMax: number): Reach {
  return { back: Math.min(offsetBucketsMax, Math.max(need.back, need.carry)), ahead: need.ahead };
}
