/** Signals, which integrations write, and items, which readers read. */
import type { ItemCalculation } from './calculation.ts';

/** Whether values are quantities or states. */
export type ValueType = 'numeric' | 'enum';

/** How the values are obtained. */
export type SourceType = 'measurement' | 'aggregation' | 'prediction';

/** The describing fields that signals and items share (R2). Unset durations are null (R4). */
export interface Attributes {
  name: string;
  description: string;
  valueType: ValueType;
  sourceType: SourceType;
  engUnit: string;
  /** Average time between points, microseconds > 0. */
  sampleIntervalUs: number | null;
  /** Longest time between points that is no gap, microseconds > 0. */
  gapDetectionUs: number | null;
  /** Label key → its values: sorted bytewise, no duplicates. */
  labels: ReadonlyMap<string, readonly string[]>;
  /** State number as text → its name. */
  enumValues: ReadonlyMap<string, string>;
}

/** Arbitrary key-value pairs for programs; not part of a resource's hash (R7). */
export type Annotations = ReadonlyMap<string, string>;

/** A stored signal. */
export interface Signal {
  id: string;
  /** Identifies the signal's points in a SeriesStore: a positive integer, ascending in order of creation, never reused. */
  number: number;
  integration: string;
  /** The input key; unique within its integration. */
  input: string;
  attributes: Attributes;
  annotations: Annotations;
  /** The item it feeds, or null while it is not published. */
  item: string | null;
  createdAtMs: number;
  updatedAtMs: number;
}

/** A published item. */
export interface Item {
  id: string;
  attributes: Attributes;
  annotations: Annotations;
  /** A flag for user interfaces; it does not restrict reading (Q15). */
  visible: boolean;
  /** How its values are computed (C1); null: signals feed it. */
  calculation: ItemCalculation | null;
  createdAtMs: number;
  updatedAtMs: number;
}
