/** Calculated items as the audit shows them (C8). */
import type { CalculationChoice } from '#model/calculation';
import type { Item } from '#model/signal';
import type { Json } from '../audit/canonical.ts';
import { viewOf } from '../signals/audit-view.ts';

/** The fields of an item and of its calculation. */
export function auditViewOf(item: Item): { [field: string]: Json } {
  const { calculation } = item;
  if (calculation === null) return viewOf(item);
  return { ...viewOf(item), ...viewOfChoice(calculation), version: calculation.version };
}

/** What an administrator decides of a calculation. */
export function viewOfChoice({ formula, inputs, intervalUs }: CalculationChoice): { [field: string]: Json } {
  const own = inputs.map(({ item, alias, aggregation, state, lead, lag }) => {
    return { item, alias, aggregation, state, lead, lag };
  });
  return { formula, inputs: own, intervalUs };
}
