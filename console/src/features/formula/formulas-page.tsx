/** Formulas: items under aliases, calculations over them, and what they give, while one types. The sheet is in the address. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { usePlaceState } from '../../platform/router/place.ts';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { nowMs as readNow } from '../../platform/time/clock.ts';
import { useZone } from '../../platform/time/zone.ts';
import { fileName, printCsv, printJson } from '../explorer/file.ts';
import { useItems } from '../explorer/item-picker.tsx';
import { absoluteRange, resolveRange, type Span, stretchSpan, tidySpan } from '../explorer/range.ts';
import { type RangeChange, RangePicker } from '../explorer/range-picker.tsx';
import type { Cutting } from '../explorer/request.ts';
import { RollupField } from '../explorer/toolbar.tsx';
import { parseView, printView, type View } from '../explorer/view.ts';
import { ViewsMenu } from '../explorer/views-menu.tsx';
import { reduce } from '../explorer/width.ts';
import { CopyMenu } from '../rpc/copy-menu.tsx';
import { type Evaluated, noFaults, useEvaluated } from './evaluation.ts';
import { previewColumns, previewSeries } from './preview.ts';
import { Preview, ResultTable } from './preview-view.tsx';
import { ReferencePanel } from './reference-panel.tsx';
import { parseSheet, printSheet, type Sheet } from './sheet.ts';
import { SheetEditor } from './sheet-editor.tsx';
import '../explorer/explorer.css';
import './formula.css';

/** The page. */
export default function FormulasPage() {
  const formulas = useFormulas();
  const { view, sheet, setSheet, settled, items, zone, evaluated, request, faults, run } = formulas;
  const lastPlace = useRef({ calculation: -1, position: 0 });
  return (
    <Page
      title="Formulas"
      isWide
      actions={
        <>
          <ViewsMenu page="/formulas" search={{ ...printView(view), f: printSheet(settled) }} />
          <Exports evaluated={evaluated} request={request} zone={zone} />
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
          sheet={sheet}
          onChange={setSheet}
          items={items}
          faults={faults}
          onRun={run}
          onPlace={(at) => {
            lastPlace.current = at;
          }}
        />
        <div ref={formulas.place} className="formula-side">
          <Results {...formulas} onInsert={(text) => setSheet(insert(sheet, text, lastPlace.current))} />
        </div>
      </div>
    </Page>
  );
}

type Formulas = ReturnType<typeof useFormulas>;

/** The sheet of the address, and what it gives. */
function useFormulas() {
  const { view, sheet, setSheet, settled, settle, changeView } = useSheet();
  const preferred = useZone();
  const zone = view.zone ?? preferred;
  const [nowMs, setNow] = useState(readNow);
  const span = useMemo(
    () => resolveRange(view.range, nowMs, { zone, firstDay: view.firstDay }),
    [view.range, nowMs, zone, view.firstDay],
  );
  const { items } = useItems([...new Set(sheet.items.map(({ id }) => id))]);
  const [place, pixels] = useWidth();
  const cutting = useMemo(
    () => cut(view, span, zone, pixels, settled.items.length),
    [view, span, zone, pixels, settled.items.length],
  );
  const { query, request } = useEvaluated(settled, cutting);
  const run = () => {
    settle();
    setNow(readNow());
    void query.refetch();
  };
  useShortcut('d r', 'Compute again', 'Formulas', run);
  return {
    ...{ view, sheet, setSheet, settled, items, span, zone, nowMs, place, request, run },
    changeView: (parts: Partial<View>) => {
      setNow(readNow());
      changeView(parts);
    },
    evaluated: request === null ? null : (query.data?.evaluated ?? null),
    faults: request === null ? noFaults : (query.data?.faults ?? noFaults),
    error: query.error,
    isLoading: query.isFetching,
  };
}

function Toolbar({ view, span, zone, nowMs, changeView, run, isLoading }: Formulas) {
  return (
    <div className="explorer-bar" role="toolbar" aria-label="Range and buckets">
      <div className="line bar-range">
        <RangePicker
          range={view.range}
          span={span}
          zone={zone}
          hasOwnZone={view.zone !== null}
          firstDay={view.firstDay}
          nowMs={nowMs}
          onChange={(change: RangeChange) => changeView(change)}
        />
        <IconButton
          label="Zoom out"
          icon="minus"
          onPress={() => changeView({ range: absoluteRange(stretchSpan(span, 2)) })}
        />
        <IconButton label="Compute again" icon="refresh" onPress={run} isPending={isLoading} />
      </div>
      <div className="line bar-display">
        <RollupField
          rollup={view.rollup}
          span={span}
          onChange={(rollup) => changeView({ rollup })}
          needsBuckets
        />
      </div>
    </div>
  );
}

/** Chart and table of the sheet, and the functions that it can use. */
function Results({ onInsert, ...formulas }: Formulas & { onInsert(text: string): void }) {
  const [side, setSide] = useSide();
  const { evaluated, items, zone, changeView } = formulas;
  const chart = (
    <Preview
      {...formulas}
      onChange={formulas.setSheet}
      onSpan={(next) => changeView({ range: absoluteRange(tidySpan(next)) })}
    />
  );
  return (
    <Tabs
      label="Result and reference"
      selected={side}
      onSelect={setSide}
      entries={[
        { id: 'chart', text: 'Chart', content: chart },
        {
          id: 'table',
          text: 'Table',
          content: <ResultTable evaluated={evaluated} items={items} zone={zone} />,
        },
        { id: 'functions', text: 'Functions', content: <ReferencePanel onInsert={onInsert} /> },
      ]}
    />
  );
}

/** Which tab is open next to the sheet, kept in the address. */
function useSide(): [string, (side: string) => void] {
  const [search, change] = usePlaceState();
  const side = search.get('side') ?? 'chart';
  const isKnown = ['chart', 'table', 'functions'].includes(side);
  return [isKnown ? side : 'chart', (next) => change({ side: next === 'chart' ? null : next })];
}

/** The sheet: kept here while it is edited, written to the address and computed once the typing stops. */
function useSheet() {
  const [search, change] = usePlaceState();
  const text = search.get('f') ?? '';
  const viewText = search.toString();
  const view = useMemo(() => parseView(new URLSearchParams(viewText)), [viewText]);
  const [sheet, setSheet] = useState(() => parseSheet(text));
  const [settled, setSettled] = useState(sheet);
  const written = useRef(text);
  const settle = () => {
    setSettled(sheet);
    written.current = printSheet(sheet) ?? '';
    change({ f: written.current });
  };
  const latest = useRef(settle);
  latest.current = settle;
  // biome-ignore lint/correctness/useExhaustiveDependencies: waits for the typing to stop
  useEffect(() => {
    if (sheet === settled) return;
    const timer = setTimeout(() => latest.current(), 350);
    return () => clearTimeout(timer);
  }, [sheet]);
  useEffect(() => {
    // The address was changed: back in the history, or another link.
    if (text === written.current) return;
    written.current = text;
    const next = parseSheet(text);
    setSheet(next);
    setSettled(next);
  }, [text]);
  const changeView = (parts: Partial<View>) =>
    change({ ...printView({ ...view, ...parts }) }, { replace: parts.range === undefined });
  return { view, sheet, setSheet, settled, settle, changeView };
}

function cut(view: View, span: Span, zone: string, pixels: number, items: number): Cutting | null {
  if (pixels === 0) return null;
  const facts = {
    spanMs: span.toMs - span.fromMs,
    pixels,
    intervalsMs: new Array<number>(items).fill(60_000),
    needsBuckets: true,
  };
  const isChosen = view.rollup !== 'auto' && view.rollup !== 'raw';
  const rollup = isChosen ? view.rollup : reduce(facts).width!.duration;
  return { span, rollup, zone, firstDay: view.firstDay };
}

function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [pixels, setPixels] = useState(0);
  useLayoutEffect(() => {
    const element = place.current!;
    const measure = () => setPixels(Math.max(200, Math.floor((element.clientWidth - 90) / 20) * 20));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [place, pixels] as const;
}

/** Puts a text into the calculation that was edited last, or into a new one. */
function insert(
  sheet: Sheet,
  text: string,
  { calculation, position }: { calculation: number; position: number },
): Sheet {
  const target = sheet.calculations[calculation];
  if (!target) {
    const alias = `c${sheet.calculations.length + 1}`;
    return { ...sheet, calculations: [...sheet.calculations, { alias, formula: text }] };
  }
  const formula = target.formula.slice(0, position) + text + target.formula.slice(position);
  return {
    ...sheet,
    calculations: sheet.calculations.map((each) => (each === target ? { ...each, formula } : each)),
  };
}

function Exports({
  evaluated,
  request,
  zone,
}: {
  evaluated: Evaluated | null;
  request: { method: string; params: object } | null;
  zone: string;
}) {
  const save = (extension: 'csv' | 'json') => {
    if (!evaluated) return;
    const columns = previewColumns(previewSeries(evaluated, new Set(), [], false));
    const text =
      extension === 'csv' ? printCsv(evaluated.rows, columns, zone) : printJson(evaluated.rows, columns);
    download(fileName('formulas', extension), text, extension === 'csv' ? 'text/csv' : 'application/json');
  };
  return (
    <>
      <Menu
        label="Download"
        text="Download"
        icon="download"
        tone="normal"
        entries={[
          { text: 'CSV', isDisabled: !evaluated, run: () => save('csv') },
          { text: 'JSON', isDisabled: !evaluated, run: () => save('json') },
        ]}
      />
      <CopyMenu calls={request ? [request] : []} />
    </>
  );
}
