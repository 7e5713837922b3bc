/** What can be taken away from the explorer: files, code, and the same items as formulas. */

import { useState } from 'react';
import { Button, LinkButton } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { copyAndTell } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { tellError } from '../../parts/toast.tsx';
import { href } from '../../platform/router/place.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { addItem, emptySheet, printSheet } from '../formula/sheet.ts';
import { CopyMenu } from '../rpc/copy-menu.tsx';
import type { Cut } from './cut.ts';
import { fileName, printCsv, printJson } from './file.ts';
import { fileColumns } from './file-columns.ts';
import type { Item } from './item.ts';
import { requestsOf } from './loading.ts';
import type { Loaded } from './plot.ts';
import { absoluteRange, type Span } from './range.ts';
import { RawFileDialog } from './raw-file-dialog.tsx';
import { printSpan } from './timestamps.ts';
import type { ViewActs } from './toolbar.tsx';
import { printView, type View } from './view.ts';

/** What {@link Exports} takes. */
export interface ExportsProps {
  items: readonly Item[];
  loaded: Loaded | null;
  cut: Cut | null;
  view: View;
  span: Span;
  zone: string;
  acts: ViewActs;
}

/** The link, menus for files and code, and the way to the formulas. */
export function Exports(props: ExportsProps) {
  const { items, cut, view, span } = props;
  const [isSavingRaw, setSavingRaw] = useState(false);
  const calls = cut && items.length > 0 ? requestsOf(view, items, cut) : [];
  return (
    <>
      <Button icon="link" onPress={() => void copyAndTell(linkTo(view, span), 'Link')}>
        Copy link
      </Button>
      <Menu
        label="Download"
        text="Download"
        icon="download"
        tone="normal"
        entries={fileEntries(props, () => setSavingRaw(true))}
      />
      <CopyMenu calls={calls} />
      {items.length > 0 && (
        <LinkButton to={formulasLink(items, view)} icon="formula">
          Formulas
        </LinkButton>
      )}
      {isSavingRaw && (
        <RawFileDialog
          items={items}
          span={span}
          zone={props.zone}
          firstDay={view.firstDay}
          title={titleOf(items)}
          onClose={() => setSavingRaw(false)}
        />
      )}
    </>
  );
}

/** The kinds of files. */
function fileEntries({ items, loaded, view, span, zone, acts }: ExportsProps, saveRaw: () => void) {
  const isEmpty = !loaded || loaded.rows.timesMs.length === 0 || items.length === 0;
  const name = (extension: string) =>
    fileName(`${titleOf(items)} ${printCivil(zone, span.fromMs).slice(0, 10)}`, extension);
  const save = (extension: 'csv' | 'json') => {
    if (!loaded) return;
    const columns = fileColumns(items, loaded);
    if (extension === 'csv') download(name('csv'), printCsv(loaded.rows, columns, zone), 'text/csv');
    else download(name('json'), printJson(loaded.rows, columns), 'application/json');
  };
  const savePicture = () => {
    const title = `${items.map((item) => item.name).join(', ')}: ${printSpan(span, zone)} ${zone}`;
    acts.picture.current?.(title).then((png) => download(name('png'), png, 'image/png'), tellError);
  };
  return [
    { text: 'CSV', isDisabled: isEmpty, run: () => save('csv') },
    { text: 'JSON', isDisabled: isEmpty, run: () => save('json') },
    { text: 'Every point as CSV …', isDisabled: items.length === 0, run: saveRaw },
    { text: 'Picture (PNG)', isDisabled: isEmpty || view.tab !== 'chart', run: savePicture },
  ];
}

function titleOf(items: readonly Item[]): string {
  return items.length === 1 ? items[0]!.name : `${items.length} items`;
}

/** The address of this view with its range as it is now, so that others see the same. */
function linkTo(view: View, span: Span): string {
  const search = printView({ ...view, range: absoluteRange(span), isLive: false });
  return new URL(href('/explorer', search), location.href).href;
}

/** The page of formulas with the same items over the same range. */
function formulasLink(items: readonly Item[], view: View): string {
  const sheet = items.reduce(addItem, emptySheet);
  const { from = null, to = null, zone = null } = printView(view);
  return href('/formulas', { f: printSheet(sheet), from, to, zone });
}
