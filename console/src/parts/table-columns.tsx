/** Which columns of a table are shown, and the button that chooses them. */
import { useMemo } from 'react';
import { setPreferences, usePreferences } from '../platform/theme/preferences.ts';
import { Menu } from './menu.tsx';
import { useIsNarrow } from './narrow.ts';
import { type Column, type ColumnDefaults, hasChoice, visibilityOf } from './table-layout.ts';

interface ColumnChooserProps<T> {
  name: string;
  columns: readonly Column<T>[];
  visible: readonly string[];
}

/** The button; nothing if all columns are always shown. */
export function ColumnChooser<T>({ name, columns, visible }: ColumnChooserProps<T>) {
  const preferences = usePreferences();
  if (!hasChoice(columns)) return null;
  const choose = (ids: readonly string[]) =>
    setPreferences({ columns: { ...preferences.columns, [name]: ids } });
  return (
    <div className="table-columns">
      <Menu
        label="Columns"
        icon="columns"
        isTiny
        entries={columns.slice(1).map(({ id, title }) => ({
          text: title,
          isChecked: visible.includes(id),
          run: () => choose(visible.includes(id) ? visible.filter((each) => each !== id) : [...visible, id]),
        }))}
      />
    </div>
  );
}

/** Column → whether the table shows it. */
export function useVisibility(table: string, columns: readonly ColumnDefaults[]): Record<string, boolean> {
  const chosen = usePreferences().columns[table];
  const isNarrow = useIsNarrow();
  return useMemo(() => visibilityOf(columns, chosen, isNarrow), [columns, chosen, isNarrow]);
}

const none: readonly string[] = [];

/** A function from columns to the IDs of the rows that need their data: `ids` if one of the columns is shown, else none. */
export function useShownColumns(
  table: string,
  columns: readonly ColumnDefaults[],
  ids: readonly string[],
): (...columns: string[]) => readonly string[] {
  const visibility = useVisibility(table, columns);
  return (...wanted) => (wanted.some((id) => visibility[id]) ? ids : none);
}
