/** Which columns of a table are shown, for components that request only the data of shown columns. */
import { useMemo } from 'react';
import { usePreferences } from '../platform/theme/preferences.ts';
import { useIsNarrow } from './narrow.ts';
import { type ColumnDefaults, visibilityOf } from './table-layout.ts';

const none: readonly string[] = [];

/** A function from columns to the IDs of the rows that need their data: `ids` if one of the columns is shown, else none. */
export function useShownColumns(
  table: string,
  columns: readonly ColumnDefaults[],
  ids: readonly string[],
): (...columns: string[]) => readonly string[] {
  const chosen = usePreferences().columns[table];
  const isNarrow = useIsNarrow();
  const visibility = useMemo(() => visibilityOf(columns, chosen, isNarrow), [columns, chosen, isNarrow]);
  return (...wanted) => (wanted.some((id) => visibility[id]) ? ids : none);
}
