/** Writes of signals and items, and their outcome (R8, R10). */
import type { Annotations } from '#model/signal';

/**
 * A write of a signal, as read from the wire: well-typed, not yet checked against R2. Attributes that are left out take
 * their default; annotations are merged into the stored ones, and `""` removes one (R8).
 */
export interface SignalChange {
  /** Default: the input key (signals), the signal's name (items). */
  name?: string;
  description?: string;
  /** `""` means the default. */
  valueType?: string;
  /** `""` means the default. */
  sourceType?: string;
  engUnit?: string;
  /** Microseconds; null and 0 mean unset. */
  sampleIntervalUs?: number | null;
  /** Microseconds; null and 0 mean unset. */
  gapDetectionUs?: number | null;
  /** In any order, duplicates allowed. */
  labels?: ReadonlyMap<string, readonly string[]>;
  enumValues?: ReadonlyMap<string, string>;
  annotations?: Annotations;
}

/** A write of an item: as a signal's, and whether screens show it (default false). */
export interface ItemChange extends SignalChange {
  visible?: boolean;
}

/** The outcome of saving one resource (R8, R10); neither created nor updated: it existed and is unchanged. */
export interface Saved {
  id: string;
  created: boolean;
  updated: boolean;
}
