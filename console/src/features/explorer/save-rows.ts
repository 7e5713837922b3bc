/** Entries of a menu that save rows as files. */
import { download } from '../../parts/code-block.tsx';
import { fileName } from '../../parts/file-name.ts';
import type { MenuEntry } from '../../parts/menu.tsx';
import { type FileColumn, printCsv, printJson } from './file.ts';
import type { Rows } from './frame.ts';

/** CSV and JSON; while there are no rows they cannot be chosen. */
export function rowEntries(
  title: string,
  rows: Rows | null,
  columns: readonly FileColumn[],
  zone: string,
): MenuEntry[] {
  const isDisabled = rows === null || rows.timesMs.length === 0;
  const save = (extension: string, type: string, print: (rows: Rows) => string) => () =>
    rows && download(fileName(title, extension), print(rows), type);
  return [
    { text: 'CSV', isDisabled, run: save('csv', 'text/csv', (all) => printCsv(all, columns, zone)) },
    { text: 'JSON', isDisabled, run: save('json', 'application/json', (all) => printJson(all, columns)) },
  ];
}
