/** The explorer: items over time. What is shown is in the address. */
import { lazy, Suspense } from 'react';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { Beginning } from './beginning.tsx';
import { Exports } from './exports.tsx';
import { MissingItems, SilentItems, TooManyPoints } from './notices.tsx';
import { Shown } from './shown.tsx';
import { Toolbar } from './toolbar.tsx';
import { type Explorer, useExplorer, type ViewActs } from './use-explorer.ts';
import { printView } from './view.ts';
import { ViewsMenu } from './views-menu.tsx';
import './explorer-page.css';

const LabelBrowser = lazy(() => import('./label-browser.tsx'));

/** The page. */
export default function ExplorerPage() {
  const explorer = useExplorer();
  const { view, acts, isBrowsing, setBrowsing } = explorer;
  useExplorerKeys(acts);
  const setItems = (items: readonly string[]) => acts.change({ items });
  return (
    <Page
      title="Explorer"
      isWide
      actions={
        <>
          <ViewsMenu page="/explorer" search={printView(view)} />
          <Exports {...explorer} />
        </>
      }
    >
      <Toolbar {...explorer} />
      <Notices {...explorer} />
      <div ref={explorer.place} className="explorer-body">
        {view.items.length === 0 ? (
          <Beginning onAdd={setItems} onBrowse={() => setBrowsing(true)} />
        ) : (
          <Shown {...explorer} />
        )}
      </div>
      {isBrowsing && (
        <Suspense>
          <LabelBrowser chosen={view.items} onChange={setItems} onClose={() => setBrowsing(false)} />
        </Suspense>
      )}
    </Page>
  );
}

function Notices({ view, error, missing, cut, items, loaded, nowMs, zone, acts }: Explorer) {
  const removeMissing = () => acts.change({ items: view.items.filter((id) => !missing.includes(id)) });
  return (
    <>
      {error && <ErrorNotice error={error} retry={acts.refresh} />}
      {missing.length > 0 && <MissingItems ids={missing} onRemove={removeMissing} />}
      {cut?.tooManyPoints != null && (
        <TooManyPoints cut={cut} onAutomatic={() => acts.change({ rollup: 'auto' })} />
      )}
      {view.isLive && loaded && <SilentItems items={items} loaded={loaded} nowMs={nowMs} zone={zone} />}
    </>
  );
}

function useExplorerKeys(acts: ViewActs): void {
  useShortcut('t z', 'Zoom out', 'Explorer', acts.zoomOut);
  useShortcut('Mod+z', 'Zoom out', 'Explorer', acts.zoomOut);
  useShortcut('t ArrowLeft', 'Earlier', 'Explorer', () => acts.shift(-0.5));
  useShortcut('t ArrowRight', 'Later', 'Explorer', () => acts.shift(0.5));
  useShortcut('d r', 'Refresh', 'Explorer', acts.refresh);
}
