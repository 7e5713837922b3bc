/** Formulas: items under aliases, calculations over them, and what they give, while one types. The sheet is in the address. */
import { useRef, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { usePlaceState } from '../../platform/router/place.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { DownloadDialog } from '../download/download-dialog.tsx';
import { absoluteRange, stretchSpan, tidySpan } from '../explorer/range.ts';
import { RangePicker } from '../explorer/range-picker.tsx';
import { rowEntries } from '../explorer/save-rows.ts';
import { Bar, RollupField } from '../explorer/toolbar.tsx';
import { printView } from '../explorer/view.ts';
import { ViewsMenu } from '../explorer/views-menu.tsx';
import { CopyMenu } from '../rpc/copy-menu.tsx';
import { previewColumns, previewSeries } from './preview.ts';
import { Preview, ResultTable } from './preview-view.tsx';
import { ReferencePanel } from './reference-panel.tsx';
import { insertText, printSheet } from './sheet.ts';
import { SheetEditor } from './sheet-editor.tsx';
import { type Formulas, useFormulas } from './use-formulas.ts';
import './formula.css';

/** The page. */
export default function FormulasPage() {
  const formulas = useFormulas();
  const { view, sheet, setSheet, settled, faults } = formulas;
  const lastPlace = useRef({ calculation: -1, position: 0 });
  return (
    <Page
      title="Formulas"
      isWide
      actions={
        <>
          <ViewsMenu page="/formulas" search={{ ...printView(view), f: printSheet(settled) }} />
          <Exports {...formulas} />
        </>
      }
    >
      <Toolbar {...formulas} />
      {formulas.error && <ErrorNotice error={formulas.error} />}
      {faults.others.length > 0 && (
        <Notice mood="bad">{faults.others.map(([path, message]) => `${path}: ${message}`).join('; ')}</Notice>
      )}
      <div className="formula-grid">
        <SheetEditor
          {...formulas}
          onPlace={(at) => {
            lastPlace.current = at;
          }}
        />
        <div ref={formulas.place} className="formula-side">
          <Results {...formulas} onInsert={(text) => setSheet(insertText(sheet, text, lastPlace.current))} />
        </div>
      </div>
    </Page>
  );
}

function Toolbar({ view, span, zone, nowMs, changeView, run, isLoading }: Formulas) {
  const zoomOut = () => changeView({ range: absoluteRange(stretchSpan(span, 2)) });
  return (
    <Bar
      label="Range and buckets"
      range={
        <>
          <RangePicker view={view} span={span} zone={zone} nowMs={nowMs} onChange={changeView} />
          <IconButton label="Zoom out" icon="minus" onPress={zoomOut} />
          <IconButton label="Compute again" icon="refresh" onPress={run} isPending={isLoading} />
        </>
      }
    >
      <RollupField
        rollup={view.rollup}
        span={span}
        onChange={(rollup) => changeView({ rollup })}
        needsBuckets
      />
    </Bar>
  );
}

function Results({ onInsert, ...formulas }: Formulas & { onInsert(text: string): void }) {
  const { changeView } = formulas;
  const chart = (
    <Preview {...formulas} onSpan={(next) => changeView({ range: absoluteRange(tidySpan(next)) })} />
  );
  const entries = [
    { id: 'chart', text: 'Chart', content: chart },
    { id: 'table', text: 'Table', content: <ResultTable {...formulas} /> },
    { id: 'functions', text: 'Functions', content: <ReferencePanel onInsert={onInsert} /> },
  ];
  // Which one is open is in the address.
  const [search, change] = usePlaceState();
  const side = entries.find(({ id }) => id === search.get('side'))?.id ?? 'chart';
  return (
    <Tabs
      label="Result and reference"
      selected={side}
      onSelect={(next) => change({ side: next === 'chart' ? null : next })}
      entries={entries}
    />
  );
}

function Exports({ evaluated, items, request, zone, span, view }: Formulas) {
  const [isDownloading, setDownloading] = useState(false);
  const columns = evaluated ? previewColumns(previewSeries(evaluated, new Set(), items, false)) : [];
  const points = {
    text: 'Points of the items …',
    isDisabled: items.length === 0,
    run: () => setDownloading(true),
  };
  return (
    <>
      <Menu
        label="Download"
        text="Download"
        icon="download"
        tone="normal"
        entries={[...rowEntries('formulas', evaluated?.rows ?? null, columns, zone), points]}
      />
      <CopyMenu calls={request ? [request] : []} />
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
