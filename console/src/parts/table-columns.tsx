/** The button that chooses the columns of a table. */
import { setPreferences, usePreferences } from '../platform/theme/preferences.ts';
import { Menu } from './menu.tsx';
import { type Column, hasChoice } from './table-layout.ts';

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
