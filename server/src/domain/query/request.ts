/**
 * Parsed read requests, which `methods/` creates from the wire form. Error paths are derived from {@link DataPaths} and from
 * indexes (`items.0.lag`, `groups.1.alias`, `calculations.2.formula`).
 */
import type { Calculation } from '#domain/formula/formula';
import type { ReadMemory } from '#load/read-memory';
import { type Aggregation, aggregations } from '#model/aggregation';
import type { Duration } from '#model/duration';
import type { Ending } from '#model/ending';
import type { ResourceQuery } from '#model/filter';
import type { Frame } from '#model/frame';
import type { ProblemList } from '#model/problem-list';
import type { Item } from '#model/signal';
import type { RunStep } from '#model/steps';

/** How the columns of a group's items become one (Q12). */
export const groupAggregations = ['count', 'min', 'max', 'sum', 'avg'] as const;

/** One of {@link groupAggregations}. */
export type GroupAggregation = (typeof groupAggregations)[number];

/** Reads an aggregation: absent, null or `""` is avg (Q11), `state-histogram-*` are synonyms (Q10); null when unknown. */
export function parseAggregation(text: string | null | undefined): Aggregation | null {
  const name = (text || 'avg').replace(/^state-histogram-/, 'state-');
  return aggregations.find((known) => known === name) ?? null;
}

/** Reads a group's aggregation across items: absent, null or `""` is avg (Q12); null when unknown. */
export function parseGroupAggregation(text: string | null | undefined): GroupAggregation | null {
  const name = text || 'avg';
  return groupAggregations.find((known) => known === name) ?? null;
}

/** The width of the rows of an answer: a duration, or the whole window as one row (Q4). */
export type Width = Duration | 'window';

/** The time range and its division into rows. Every field is checked by Query. */
export interface DataQuery {
  /** Inclusive start, µs; null: the form's default (Q1), NaN: a fault that the caller has noted. */
  fromUs: number | null;
  /** Exclusive end, µs; null: the form's default (Q1), NaN: a fault that the caller has noted. */
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

/** A query that leaves everything to the defaults. */
export const dataQueryDefaults: DataQuery = {
  fromUs: null,
  beforeUs: null,
  rollup: null,
  timeZone: 'UTC',
  firstDayOfWeek: 1,
  originUs: null,
  last: 0,
  outsidePoints: false,
  series: null,
};

/** Where each part of a {@link DataQuery} came from, for error messages: dotted paths relative to `params`. */
export interface DataPaths {
  /** E.g. `data.before` or `data.filter.times`: names a window that is too long. */
  window: string;
  rollup: string;
  timeZone: string;
  firstDayOfWeek: string;
  /** E.g. `data.filter.series.$in`. */
  series: string;
}

/** The three ways to ask for data; they differ in defaults and limits. */
export type Form = 'flat' | 'data-frame' | 'evaluate';

/** The data of selected items, in the order of the query: of the flat form (Q7), or a data frame (Q7, Q8). */
export interface FrameRequest {
  query: ResourceQuery;
  data: DataQuery;
  paths: DataPaths;
}

/** The answer to a {@link FrameRequest}. */
export interface ItemFrame {
  frame: Frame;
  /** The selected items. */
  items: readonly Item[];
  /** The number of all matches; null when it was not requested and is not known. */
  total: number | null;
}

/** What items and groups of an evaluate call have in common. */
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

/** An evaluate call. */
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

/** What is known of a read, for finding out why it was slow; unknown figures are left out. */
export interface ReadFacts {
  /** Items that are read. */
  items?: number;
  /** Signals whose points are read. */
  signals?: number;
  /** Buckets of the rollup, including those outside the window. */
  buckets?: number;
  blocks?: number;
  points?: number;
  /** The size of the answer. */
  rows?: number;
  series?: number;
}

/** What a call brings along. By default it is never ended, and nothing limits it. */
export interface ReadOptions {
  /** Ends the call early, with its reason. */
  signal?: Ending;
  /** The memory budget of the call, given back by its creator. */
  memory?: ReadMemory;
  /** Runs the steps of computing on the event loop. */
  runStep?: RunStep;
  /** Called with what is known so far, before and after reading. */
  onFacts?: (facts: ReadFacts) => void;
  /** What the caller found wrong already; reported together with what is found here (E2). */
  problems?: ProblemList;
}
