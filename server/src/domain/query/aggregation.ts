/** The names of aggregations as callers write them (Q6, Q10, Q11, Q12). */
import type { Aggregation, GroupAggregation } from './request.ts';

const aggregations: ReadonlySet<string> = new Set<Aggregation>([
  'count',
  'sum',
  'min',
  'max',
  'avg',
  'first',
  'last',
  'median',
  'p05',
  'p95',
  'stddev',
  'state-seconds',
  'state-percent',
  'state-rate',
]);

const groupAggregations: ReadonlySet<string> = new Set<GroupAggregation>([
  'count',
  'min',
  'max',
  'sum',
  'avg',
]);

/** Every name that {@link parseAggregation} takes, synonyms left out; for error messages and documents. */
export const aggregationNames: readonly string[] = [...aggregations];

/** Every name that {@link parseGroupAggregation} takes. */
export const groupAggregationNames: readonly string[] = [...groupAggregations];

/** Reads an aggregation: absent, null or `""` is avg (Q11), `state-histogram-*` are synonyms (Q10); null when unknown. */
export function parseAggregation(text: string | null | undefined): Aggregation | null {
  if (text === undefined || text === null || text === '') return 'avg';
  const name = text.replace(/^state-histogram-/, 'state-');
  return aggregations.has(name) ? (name as Aggregation) : null;
}

/** Reads a group's aggregation across items: absent, null or `""` is avg (Q12); null when unknown. */
export function parseGroupAggregation(text: string | null | undefined): GroupAggregation | null {
  if (text === undefined || text === null || text === '') return 'avg';
  return groupAggregations.has(text) ? (text as GroupAggregation) : null;
}

/** Whether an aggregation measures a state and needs `state` (Q10). */
export function isStateAggregation(aggregation: Aggregation): boolean {
  return aggregation.startsWith('state-');
}
