/** Further data of the visible items; requested only if a column shows it. */
import { useMemo } from 'react';
import { useShownColumns } from '../../parts/columns.ts';
import { useFactsInSight } from '../../parts/in-sight.ts';
import { useItemTrends } from '../signals/trends.ts';
import { type ItemFacts, itemColumnDefaults } from './item-columns.tsx';

const statusMs = 5000;

/** The facts of the visible items. */
export function useItemFacts(ids: readonly string[]): ItemFacts {
  const idsFor = useShownColumns('items', itemColumnDefaults, ids);
  const statuses = useFactsInSight('console.items.status', idsFor('value', 'age'), statusMs);
  const trends = useItemTrends(idsFor('trend'));
  return useMemo(() => ({ statuses, trends }), [statuses, trends]);
}
