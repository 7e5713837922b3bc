/** The names of aggregations as callers write them (Q6, Q10, Q11, Q12). */
import { type Statistic, statistics } from '#model/statistic';

/** How points become one value for each bucket (Q6, Q10): a statistic, or how long a state held. Synonyms are left out. */
export const aggregations = [...statistics, 'state-seconds', 'state-percent', 'state-rate'] as const;

/** One of {@link aggregations}. */
export type Aggregation = (typeof aggregations)[number];

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

/** Whether an aggregation is a statistic; the others measure a state and need `state` (Q10). */
export function isStatistic(aggregation: Aggregation): aggregation is Statistic {
  return !aggregation.startsWith('state-');
}
