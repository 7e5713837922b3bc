/** Which columns of a table are shown, for components that request only the data of shown columns. */
import { useMemo } from 'react';
import { usePreferences } from '../platform/theme/preferences.ts';
import { useIsNarrow } from './narrow.ts';
import { type Column, visibilityOf } from './table-layout.ts';

/** The IDs of the columns of a table that are shown, by the names that its columns have in any state. */
export function useShownColumns(
  table: string,
  columns: readonly Pick<Column<unknown>, 'id' | 'isExtra' | 'isNarrow'>[],
): ReadonlySet<string> {
  const chosen = usePreferences().columns[table];
  const isNarrow = useIsNarrow();
  return useMemo(() => {
    const shown = Object.entries(visibilityOf(columns, chosen, isNarrow)).filter(([, isShown]) => isShown);
    return new Set(shown.map(([id]) => id));
  }, [columns, chosen, isNarrow]);
}
