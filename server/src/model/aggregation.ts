/** How the points of a bucket become one value (Q6, Q10). */
import { type Statistic, statistics } from './statistic.ts';

/** A statistic, or how long a state held. Synonyms are left out. */
export const aggregations = [...statistics, 'state-seconds', 'state-percent', 'state-rate'] as const;

/** One of {@link aggregations}. */
export type Aggregation = (typeof aggregations)[number];

/** Whether an aggregation is a statistic; the others measure a state and need one (Q10). */
export function isStatistic(aggregation: Aggregation): aggregation is Statistic {
  return !aggregation.startsWith('state-');
}
