/** Further data of the visible items; requested only if a column shows it. */

import { useMemo } from 'react';
import { useShownColumns } from '../../parts/columns.ts';
import { useFactsInSight } from '../../parts/in-sight.ts';
import { itemColumnNames } from './item-columns.tsx';
import type { ItemFacts } from './item-known.ts';
import { useTrends } from './trends.ts';

const statusMs = 5000;
const none: readonly string[] = [];

/** The facts of the items in sight. */
export function useItemFacts(ids: readonly string[]): ItemFacts {
  const shown = useShownColumns('items', itemColumnNames);
  const isStatusShown = shown.has('value') || shown.has('age');
  const statuses = useFactsInSight('console.items.status', isStatusShown ? ids : none, statusMs);
  const trends = useTrends(shown.has('trend') ? ids : none);
  return useMemo(() => ({ statuses, trends }), [statuses, trends]);
}
