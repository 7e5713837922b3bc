/** Calculated items: items whose values are a formula over other items (C1). */
import type { Aggregation } from './aggregation.ts';

/** An item that a formula uses, under its alias, one value for each bucket. */
export interface CalculationInput {
  /** The ID of an item, which may be calculated itself. */
  item: string;
  /** Its name in the formula (Q11). */
  alias: string;
  /** In time. */
  aggregation: Aggregation;
  /** 0-9999, for the state aggregations; else null. */
  state: number | null;
  /** Whole numbers of buckets (Q9). */
  lead: number;
  lag: number;
}

/** What an administrator decides of a calculation. */
export interface CalculationChoice {
  formula: string;
  /** Each alias once; at least one. */
  inputs: readonly CalculationInput[];
  /** The distance of its values where no rollup is asked for, µs > 0 (C4). */
  intervalUs: number;
}

/** How the values of an item are computed. */
export interface ItemCalculation extends CalculationChoice {
  /** 1 for the first, and one more for each change. */
  version: number;
}

/** A calculation as it was saved at some time (C7). */
export interface CalculationVersion {
  item: string;
  calculation: ItemCalculation;
  /** As in the audit. */
  actor: string;
  savedAtMs: number;
}
