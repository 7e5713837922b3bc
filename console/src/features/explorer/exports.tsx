/** What can be taken away from the explorer: files, code, and the same items as formulas. */
import { useState } from 'react';
import { Button, LinkButton } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { copyAndNotify } from '../../parts/copy.tsx';
import { fileName } from '../../parts/file-name.ts';
import { Menu, type MenuEntry } from '../../parts/menu.tsx';
import { notifyError } from '../../parts/toast.tsx';
import { href } from '../../platform/router/place.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { DownloadDialog } from '../download/download-dialog.tsx';
import { addItem, emptySheet, printSheet } from '../formula/sheet.ts';
import { CopyMenu } from '../rpc/copy-menu.tsx';
import { fileColumns } from './file-columns.ts';
import type { Item } from './item.ts';
import { requestsOf } from './loading.ts';
import { absoluteRange, type Span } from './range.ts';
import { rowEntries } from './save-rows.ts';
import { printSpan } from './timestamps.ts';
import type { Explorer } from './use-explorer.ts';
import { printView, type View } from './view.ts';

/** The link, menus for files and code, and the way to the formulas. */
export function Exports(explorer: Explorer) {
  const { items, cut, view, span, zone } = explorer;
  const [isDownloading, setDownloading] = useState(false);
  const calls = cut && items.length > 0 ? requestsOf(view, items, cut) : [];
  return (
    <>
      <Button icon="link" onPress={() => void copyAndNotify(linkTo(view, span), 'Link')}>
        Copy link
      </Button>
      <Menu
        label="Download"
        text="Download"
        icon="download"
        tone="normal"
        entries={fileEntries(explorer, () => setDownloading(true))}
      />
      <CopyMenu calls={calls} />
      {items.length > 0 && (
        <LinkButton to={formulasLink(items, view)} icon="formula">
          Formulas
        </LinkButton>
      )}
      {isDownloading && (
        <DownloadDialog
          subject={{ kind: 'items', of: { ids: items.map(({ id }) => id) } }}
          count={items.length}
          from={printCivil(zone, span.fromMs)}
          to={printCivil(zone, span.toMs)}
          zone={zone}
          firstDay={view.firstDay}
          onClose={() => setDownloading(false)}
        />
      )}
    </>
  );
}

function fileEntries(
  { items, loaded, view, span, zone, acts }: Explorer,
  openDownload: () => void,
): MenuEntry[] {
  const isEmpty = !loaded || loaded.rows.timesMs.length === 0 || items.length === 0;
  const title = `${titleOf(items)} ${printCivil(zone, span.fromMs).slice(0, 10)}`;
  const savePicture = () => {
    const caption = `${items.map(({ name }) => name).join(', ')}: ${printSpan(span, zone)} ${zone}`;
    const save = (png: Blob) => download(fileName(title, 'png'), png, 'image/png');
    acts.picture.current?.(caption).then(save, notifyError);
  };
  return [
    ...rowEntries(title, isEmpty ? null : loaded.rows, loaded ? fileColumns(items, loaded) : [], zone),
    { text: 'Points …', isDisabled: items.length === 0, run: openDownload },
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
