/**
 * Parsed read requests, which `methods/` creates from the wire form. Error paths are derived from {@link DataPaths} and from
 * indexes (`items.0.lag`, `groups.1.alias`, `calculations.2.formula`).
 */
import type { Duration } from '#model/duration';
import type { ResourceQuery } from '#model/filter';
import type { Frame } from '#model/frame';
import type { Statistic } from '#model/rollup';
import type { Item } from '#model/signal';

/** The width of the rows of an answer: a duration, or the whole window as one row (Q4). */
export type Width = Duration | 'window';

/** The time range and its division into rows. Every field is checked by Query; a width must be > 0. */
export interface DataQuery {
  /** Inclusive start, µs; null: the form's default (Q1). A client's zero value is null: see `parseBound`. */
  fromUs: number | null;
  /** Exclusive end, µs; null: the form's default (Q1). */
  beforeUs: number | null;
  /** Null: raw points (not for evaluate). */
  rollup: Width | null;
  /** TZ database name (Q3); the default is `UTC`. */
  timeZone: string;
  /** 1 Monday … 7 Sunday (Q2); the default is 1. */
  firstDayOfWeek: number;
  /** The origin of buckets (Q2), µs; null: the default origin. */
  originUs: number | null;
  /** Keeps the newest N values of each series (Q8); ≤ 0: all. */
  last: number;
  /** Adds the nearest point outside the window on either side (Q13); raw only, without effect otherwise. */
  outsidePoints: boolean;
  /** The series keys that are returned (Q11); null: all. */
  series: readonly string[] | null;
}

/** Where each part of a {@link DataQuery} came from, for error messages: dotted paths relative to `params`. */
export interface DataPaths {
  /** E.g. `data.before` or `data.filter.times`: names a window that is too long. */
  window: string;
  rollup: string;
  timeZone: string;
  firstDayOfWeek: string;
  origin: string;
  /** E.g. `data.filter.series.$in`. */
  series: string;
}

/** The data half of the flat form (Q7): items that were already selected, in answer order. */
export interface SelectDataRequest {
  items: readonly Item[];
  data: DataQuery;
  paths: DataPaths;
}

/** A data frame of items (Q7, Q8): items that were already selected, in answer order. */
export interface DataFrameRequest {
  items: readonly Item[];
  data: DataQuery;
  paths: DataPaths;
}

/** How one item becomes a column (Q6, Q10): a statistic, or how long a state held. */
export type Aggregation = Statistic | 'state-seconds' | 'state-percent' | 'state-rate';

/** How the columns of a group's items become one (Q12). */
export type GroupAggregation = 'count' | 'min' | 'max' | 'sum' | 'avg';

/** What items and groups have in common. */
export interface Aggregated {
  /** In time. */
  aggregation: Aggregation;
  /** 0-9999, needed by the state aggregations; else null. */
  state: number | null;
  /** Whole numbers of buckets (Q9); 0 when absent. */
  lead: number;
  lag: number;
  /** Series key, and name in formulas (Q11). */
  alias: string;
}

/** One item of an evaluate call. */
export interface ItemAggregation extends Aggregated {
  id: string;
}

/** One group of an evaluate call (Q12): first in time, then across items. */
export interface ItemGroup extends Aggregated {
  /**
   * The group's items. Where the caller gave only a filter its limit is one more than may be referenced, so that a group
   * that is too large is refused instead of cut.
   */
  query: ResourceQuery;
  groupAggregation: GroupAggregation;
}

/** One formula of an evaluate call. */
export interface Calculation {
  formula: string;
  alias: string;
}

/** An evaluate call. `data.rollup` is never null here. */
export interface EvaluateRequest {
  items: readonly ItemAggregation[];
  groups: readonly ItemGroup[];
  calculations: readonly Calculation[];
  data: DataQuery;
  paths: DataPaths;
}

/** The answer to an evaluate call. */
export interface Evaluation {
  /** One series for each returned alias: items, groups, calculations, in the order asked. */
  frame: Frame;
  /** Every item that was referenced, each once, by ID ascending; for side-loading. */
  items: readonly Item[];
}
