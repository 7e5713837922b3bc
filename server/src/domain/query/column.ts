/** The columns of an answer before formulas are computed, and what is read of one item for them. */
import type { Reach } from '#domain/formula/formula';
import type { Aggregation } from '#model/aggregation';
import type { Statistic } from '#model/rollup';
import type { FedItem } from '#storage/meta-store';
import type { GroupAggregation } from './request.ts';

/** An item or a group of items, aggregated in time: one column before formulas are computed, or one for each state. */
export interface Column {
  /** Series key; for the states that are seen what their keys begin with. */
  alias: string;
  aggregation: Aggregation;
  /** Of the state aggregations; `seen`: every state that holds in the window or has a name, one column each. */
  state: number | 'seen' | null;
  /** By how many buckets it is shifted: row b shows bucket b + offset (Q9). */
  offset: number;
  members: readonly FedItem[];
  /** Null: a single item, taken as it is. */
  groupAggregation: GroupAggregation | null;
}

/** What is read of one item. */
export interface ItemSource {
  item: FedItem;
  statistics: readonly Statistic[];
  states: readonly number[] | 'seen';
  /** Buckets around a piece that are read of this item. */
  reach: Reach;
}

/** The states of an item that have a name, ascending. */
export function namedStates({ attributes }: FedItem): number[] {
  return [...attributes.enumValues.keys()].map(Number).sort((a, b) => a - b);
}

/** How far gapfill carries a value (F4), µs; in a group as far as in the item where it is carried furthest. */
export function gapOf({ members }: Column): number {
  return members.reduce((gapUs, item) => Math.max(gapUs, gapUsOf(item)), 0);
}

/** How long a state of this item lasts without a further point (Q10), µs. */
export function gapUsOf({ attributes }: FedItem): number {
  return attributes.gapDetectionUs ?? Number.POSITIVE_INFINITY;
}

/** The buckets around the window that are read for a column: those that formulas look at, seen through its own shift. */
export function shiftedReach({ offset }: Column, needed: Reach | undefined): Reach {
  const { back, ahead } = needed ?? { back: 0, ahead: 0 };
  return { back: Math.max(0, back - offset), ahead: Math.max(0, ahead + offset) };
}
