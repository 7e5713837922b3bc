/** What can be taken away from the explorer: files, code, and the same items as formulas. */

import { LinkButton } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { Menu } from '../../parts/menu.tsx';
import { href } from '../../platform/router/place.ts';
import { addItem, emptySheet, printSheet } from '../formula/sheet.ts';
import { CopyMenu } from '../rpc/copy-menu.tsx';
import { fileName, printCsv, printJson } from './file.ts';
import { fileColumns } from './file-columns.ts';
import type { Item } from './item.ts';
import { type Cut, requestsOf } from './loading.ts';
import { printMoment } from './moments.ts';
import type { Loaded } from './plot.ts';
import { printView, type View } from './view.ts';

/** Menus for files and code, and the way to the formulas. */
export function Exports({
  items,
  loaded,
  cut,
  view,
  zone,
}: {
  items: readonly Item[];
  loaded: Loaded | null;
  cut: Cut | null;
  view: View;
  zone: string;
}) {
  const calls = cut && items.length > 0 ? requestsOf(view, items, cut) : [];
  const isEmpty = !loaded || loaded.rows.timesMs.length === 0 || items.length === 0;
  const save = (extension: 'csv' | 'json') => {
    if (!loaded) return;
    const columns = fileColumns(items, loaded);
    const title = `${items.length === 1 ? items[0]!.name : `${items.length} items`} ${printMoment(zone, loaded.span.fromMs).slice(0, 10)}`;
    const text = extension === 'csv' ? printCsv(loaded.rows, columns, zone) : printJson(loaded.rows, columns);
    download(fileName(title, extension), text, extension === 'csv' ? 'text/csv' : 'application/json');
  };
  return (
    <>
      <Menu
        label="Download what is shown"
        text="Download"
        icon="download"
        tone="normal"
        entries={[
          { text: 'CSV', isDisabled: isEmpty, run: () => save('csv') },
          { text: 'JSON', isDisabled: isEmpty, run: () => save('json') },
        ]}
      />
      <CopyMenu calls={calls} />
      {items.length > 0 && (
        <LinkButton to={formulasLink(items, view)} icon="formula">
          Formulas
        </LinkButton>
      )}
    </>
  );
}

/** The page of formulas with the same items over the same range. */
function formulasLink(items: readonly Item[], view: View): string {
  const sheet = items.reduce(addItem, emptySheet);
  const { from = null, to = null, zone = null } = printView(view);
  return href('/formulas', { f: printSheet(sheet), from, to, zone });
}
