/** Formulas: items under aliases, calculations over them, and what they give, while one types. The sheet is in the address. */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ChartView } from '../explorer/chart-view.tsx';
import { fileName, printCsv, printJson } from '../explorer/file.ts';
import { useItems } from '../explorer/item-picker.tsx';
import { printMoment, printOffsets, printRange } from '../explorer/moments.ts';
import { absoluteRange, resolveRange, type Span, stretchSpan, tidySpan } from '../explorer/range.ts';
import { RangePicker } from '../explorer/range-picker.tsx';
import type { Cutting } from '../explorer/request.ts';
import { RowsTable } from '../explorer/rows-table.tsx';
import { printNumber } from '../explorer/ticks.ts';
import { RollupField } from '../explorer/toolbar.tsx';
import { parseView, printView, type View } from '../explorer/view.ts';
import { reduce, sayWidth } from '../explorer/width.ts';
import { useShortcut } from '../layout/shortcuts.ts';
import { IconButton } from '../parts/button.tsx';
import { download } from '../parts/code-block.tsx';
import { Menu } from '../parts/menu.tsx';
import { EmptyState, ErrorNotice, Notice } from '../parts/notice.tsx';
import { printCount } from '../parts/number.ts';
import { Page } from '../parts/page.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { usePlaceState } from '../router/place.ts';
import { CopyMenu } from '../rpc/copy-menu.tsx';
import { nowMs as readNow } from '../time/clock.ts';
import { useZone } from '../time/zone.ts';
import { type Evaluated, noFaults, useEvaluated } from './evaluation.ts';
import {
  countNulls,
  explainNull,
  type PreviewSeries,
  previewChart,
  previewColumns,
  previewSeries,
} from './preview.ts';
import { ReferencePanel } from './reference-panel.tsx';
import { parseSheet, printSheet, type Sheet } from './sheet.ts';
import { SheetEditor } from './sheet-editor.tsx';
import '../explorer/explorer.css';
import './formula.css';

/** The page. */
export default function FormulasPage() {
  const { view, sheet, setSheet, settled, settle, changeView } = useSheet();
  const preferred = useZone();
  const zone = view.zone ?? preferred;
  const [now, setNow] = useState(readNow);
  const span = useMemo(
    () => resolveRange(view.range, now, { zone, firstDay: view.firstDay }),
    [view.range, now, zone, view.firstDay],
  );
  const ids = [...new Set(sheet.items.map(({ id }) => id))];
  const { items } = useItems(ids);
  const [place, pixels] = useWidth();
  const cutting = useMemo(
    () => cut(view, span, zone, pixels, settled.items.length),
    [view, span, zone, pixels, settled.items.length],
  );
  const { query, request } = useEvaluated(settled, cutting);
  const lastPlace = useRef({ calculation: -1, position: 0 });
  const run = () => {
    settle();
    setNow(readNow());
    void query.refetch();
  };
  useShortcut('d r', 'Compute again', 'Formulas', run);
  const evaluated = request === null ? null : (query.data?.evaluated ?? null);
  const faults = request === null ? noFaults : (query.data?.faults ?? noFaults);
  return (
    <Page title="Formulas" isWide actions={<Exports evaluated={evaluated} request={request} zone={zone} />}>
      <div className="explorer-bar" role="toolbar" aria-label="Range and buckets">
        <div className="line bar-range">
          <RangePicker
            range={view.range}
            span={span}
            zone={zone}
            hasOwnZone={view.zone !== null}
            firstDay={view.firstDay}
            nowMs={now}
            onChange={(change) => {
              setNow(readNow());
              changeView(change);
            }}
          />
          <IconButton
            label="Zoom out"
            icon="minus"
            onPress={() => changeView({ range: absoluteRange(stretchSpan(span, 2)) })}
          />
          <IconButton label="Compute again" icon="refresh" onPress={run} isPending={query.isFetching} />
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
      {query.error && <ErrorNotice error={query.error} />}
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
        <div ref={place} className="formula-side">
          <Tabs
            label="Result and reference"
            entries={[
              {
                id: 'chart',
                text: 'Chart',
                content: (
                  <Preview
                    evaluated={evaluated}
                    sheet={sheet}
                    onChange={setSheet}
                    items={items}
                    view={view}
                    isLoading={query.isFetching}
                    onSpan={(next) => changeView({ range: absoluteRange(tidySpan(next)) })}
                    span={span}
                    zone={zone}
                  />
                ),
              },
              {
                id: 'table',
                text: 'Table',
                content: <ResultTable evaluated={evaluated} items={items} zone={zone} />,
              },
              {
                id: 'functions',
                text: 'Functions',
                content: (
                  <ReferencePanel onInsert={(text) => setSheet(insert(sheet, text, lastPlace.current))} />
                ),
              },
            ]}
          />
        </div>
      </div>
    </Page>
  );
}

/** The sheet: at hand while it is edited, a moment later in the address and computed. */
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
    // Somebody went back, or opened another link.
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

interface PreviewProps {
  evaluated: Evaluated | null;
  sheet: Sheet;
  onChange(sheet: Sheet): void;
  items: ReturnType<typeof useItems>['items'];
  view: View;
  isLoading: boolean;
  onSpan(span: Span): void;
  span: Span;
  zone: string;
}

/** The chart of the sheet and the values at the cursor. */
function Preview({ evaluated, sheet, onChange, items, view, isLoading, onSpan, span, zone }: PreviewProps) {
  const id = useId();
  const [cursor, setCursor] = useState<number | null>(null);
  const series = useMemo(
    () => (evaluated ? previewSeries(evaluated, sheet.hidden, items, view.line === 'step') : []),
    [evaluated, sheet.hidden, items, view.line],
  );
  const model = useMemo(
    () => (evaluated ? { ...previewChart(series, evaluated), span } : null),
    [series, evaluated, span],
  );
  if (!evaluated || !model) return <Beginning />;
  const row = cursor !== null && cursor < evaluated.rows.times.length ? cursor : null;
  const { rows, cutting } = evaluated;
  return (
    <section className="card explorer-card" aria-label="Preview">
      <div className="explorer-head">
        <p className="explorer-words">
          <b>{sayWidth(cutting.rollup)}</b>
          <span className="quiet">
            {view.rollup === 'auto' ? ', from pixel width' : ''} · {printCount(rows.times.length)} rows ·{' '}
            {zone.replaceAll('_', ' ')}
            {zone === 'UTC' ? '' : ` ${printOffsets(zone, span)}`}
            {isLoading ? ' · computing …' : ''}
          </span>
        </p>
      </div>
      <ChartView
        model={model}
        label={`Chart of ${series.map(({ alias }) => alias).join(', ')}; ${printRange(view.range, span, zone)}`}
        detailsId={`${id}-values`}
        cursor={row}
        onCursor={setCursor}
        onSpan={onSpan}
        onZoomOut={() => onSpan(stretchSpan(span, 2))}
        sayRow={(at) => sayRow(series, evaluated, at, zone)}
        isBusy={isLoading}
        height={340}
      />
      <div id={`${id}-values`}>
        <Values
          series={series}
          evaluated={evaluated}
          row={row}
          zone={zone}
          onToggle={(alias) => onChange({ ...sheet, hidden: toggled(sheet.hidden, alias) })}
        />
      </div>
    </section>
  );
}

function Beginning() {
  return (
    <section className="card" aria-label="Preview">
      <EmptyState icon="formula" title="Nothing to compute yet">
        <p>
          Add items: each gets an alias. Then write a calculation with these aliases, such as flow / power.
        </p>
        <p>What it gives is drawn here while you type. Functions has every function with examples to run.</p>
      </EmptyState>
    </section>
  );
}

/** The value of each series at the cursor, else its last one; why there is none. */
function Values({
  series,
  evaluated,
  row,
  zone,
  onToggle,
}: {
  series: readonly PreviewSeries[];
  evaluated: Evaluated;
  row: number | null;
  zone: string;
  onToggle(alias: string): void;
}) {
  const { rows } = evaluated;
  const shown = row ?? rows.times.length - 1;
  const moment = shown < 0 ? 'Value' : printMoment(zone, rows.timesMs[shown]!);
  return (
    <div className="readout-scroll">
      <table className="readout">
        <caption className="hidden-text">Values of the sheet</caption>
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col" className="number">
              {moment}
            </th>
            <th scope="col" className="number wide-only">
              Null buckets
            </th>
          </tr>
        </thead>
        <tbody>
          {series.map((each) => (
            <tr key={each.alias} className={each.isVisible ? '' : 'off'}>
              <th scope="row">
                <button
                  type="button"
                  className="legend-button"
                  aria-pressed={each.isVisible}
                  title={each.isVisible ? 'Hide' : 'Show'}
                  onClick={() => onToggle(each.alias)}
                >
                  <Swatch series={each} />
                  <span className="mono">{each.alias}</span>
                </button>
                <span className="quiet small series-meaning">{each.meaning}</span>
              </th>
              <td className="number value">
                <Value series={each} evaluated={evaluated} row={shown} />
              </td>
              <td className="number wide-only quiet">{countNulls(each, evaluated) || ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ series, evaluated, row }: { series: PreviewSeries; evaluated: Evaluated; row: number }) {
  const value = evaluated.rows.columns.get(series.alias)?.[row];
  if (value === undefined) {
    const reason = row < 0 ? 'no bucket has a value' : explainNull(series, evaluated, row);
    return (
      <>
        <span className="quiet">null</span>
        {reason !== null && <span className="quiet small null-reason">{reason}</span>}
      </>
    );
  }
  return (
    <>
      {printNumber(value)}
      {series.unit !== '' && <span className="unit"> {series.unit}</span>}
    </>
  );
}

function Swatch({ series: { line } }: { series: PreviewSeries }) {
  return (
    <svg
      className="swatch"
      width="22"
      height="10"
      aria-hidden="true"
      style={{ color: `var(${line.style.color})` }}
    >
      <line
        x1="0"
        x2="22"
        y1="5"
        y2="5"
        stroke="currentColor"
        strokeWidth="3"
        strokeDasharray={line.style.dash.join(' ')}
      />
    </svg>
  );
}

function ResultTable({
  evaluated,
  items,
  zone,
}: {
  evaluated: Evaluated | null;
  items: PreviewProps['items'];
  zone: string;
}) {
  if (!evaluated) return <Beginning />;
  const columns = previewColumns(previewSeries(evaluated, new Set(), items, false));
  return (
    <section className="card" aria-label="Rows">
      <RowsTable rows={evaluated.rows} columns={columns} zone={zone} label="Rows of the sheet" />
    </section>
  );
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
        label="Download what is shown"
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

function sayRow(series: readonly PreviewSeries[], { rows }: Evaluated, row: number, zone: string): string {
  const values = series
    .filter(({ isVisible }) => isVisible)
    .slice(0, 8)
    .map(({ alias, unit }) => {
      const value = rows.columns.get(alias)?.[row];
      return `${alias} ${value === undefined ? 'null' : `${printNumber(value)} ${unit}`}`;
    });
  return `${printMoment(zone, rows.timesMs[row]!)}: ${values.join('; ')}`;
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
