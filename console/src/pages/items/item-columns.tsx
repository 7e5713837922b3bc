/** The columns of items, and the further data that they show. */

import type { Item, SignalStatus } from '@tidemark/client/wire';
import { useMemo } from 'react';
import { isCalculated } from '../../features/calculated/note.ts';
import type { BadgeTone } from '../../parts/badge.tsx';
import { badgeColumn, menuColumn } from '../../parts/column-kinds.tsx';
import { copyAndNotify } from '../../parts/copy.tsx';
import { useFactsInSight } from '../../parts/in-sight.ts';
import { useShownColumns } from '../../parts/table-columns.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { href } from '../../platform/router/place.ts';
import type { Trend } from '../signals/half-hours.ts';
import { describingColumns, extraColumns, nameColumn, valueColumns } from '../signals/signal-columns.tsx';
import { useItemTrends } from '../signals/trends.ts';
import { useLiveStatuses } from './live-values.ts';

/** Further data of items by ID; it is requested after the items. */
interface ItemFacts {
  statuses: ReadonlyMap<string, SignalStatus | null>;
  trends: ReadonlyMap<string, Trend>;
}

/** The address of an item's page. */
export function itemHref({ id }: Item): string {
  return href(`/items/${id}`);
}

/** All columns; those by which the service can sort have a `sort`. */
export function itemColumns(facts: ItemFacts): Column<Item>[] {
  return [
    { ...nameColumn(itemHref), width: '2.2fr' },
    ...describingColumns,
    ...valueColumns(facts),
    badgeColumn('kind', 'Values', kindOf, { width: '104px' }),
    badgeColumn(
      'visible',
      'Visible',
      ({ attributes }) => (attributes.visible ? ['visible', 'good'] : ['hidden']),
      { width: '100px', sort: () => null },
    ),
    ...extraColumns,
    menuColumn(
      ({ attributes }) => attributes.name,
      ({ id }) => [
        { text: 'Open in explorer', icon: 'chart', to: href('/explorer', { items: id }) },
        { text: 'Copy ID', icon: 'copy', run: () => void copyAndNotify(id, 'Item ID') },
      ],
    ),
  ];
}

function kindOf({ meta }: Item): readonly [string, BadgeTone?] {
  return isCalculated(meta.annotations) ? ['calculated', 'info'] : ['stored'];
}

const nothing: ReadonlyMap<string, never> = new Map<string, never>();

/** Which columns are shown by default, whatever data there is. */
const itemColumnDefaults = itemColumns({ statuses: nothing, trends: nothing });

const statusMs = 5000;

/** The facts of the visible items; requested only if a column shows them. */
export function useItemFacts(ids: readonly string[]): ItemFacts {
  const idsFor = useShownColumns('items', itemColumnDefaults, ids);
  const shown = idsFor('value', 'age');
  const asked = useFactsInSight('console.items.status', shown, statusMs);
  const statuses = useLiveStatuses(shown, asked);
  const trends = useItemTrends(idsFor('trend'));
  return useMemo(() => ({ statuses, trends }), [statuses, trends]);
}
