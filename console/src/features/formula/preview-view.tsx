/** What a sheet gives: chart, values with the reason where there is none, and table. */

import { useId, useMemo, useState } from 'react';
import { EmptyState } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { ChartView } from '../explorer/chart-view.tsx';
import type { Item } from '../explorer/item.ts';
import { type Span, stretchSpan } from '../explorer/range.ts';
import { RowsTable } from '../explorer/rows-table.tsx';
import { SpokenRows } from '../explorer/spoken-rows.tsx';
import { printNumber } from '../explorer/ticks.ts';
import { printOffsets, printRange } from '../explorer/timestamps.ts';
import type { View } from '../explorer/view.ts';
import { sayWidth } from '../explorer/width.ts';
import type { Evaluated } from './evaluation.ts';
import {
  countNulls,
  explainNull,
  type PreviewSeries,
  previewChart,
  previewColumns,
  previewSeries,
} from './preview.ts';
import type { Sheet } from './sheet.ts';

/** What {@link Preview} takes. */
export interface PreviewProps {
  evaluated: Evaluated | null;
  sheet: Sheet;
  onChange(sheet: Sheet): void;
  items: readonly Item[];
  view: View;
  isLoading: boolean;
  onSpan(span: Span): void;
  span: Span;
  zone: string;
}

/** The chart of the sheet and the values at the cursor. */
export function Preview({
  evaluated,
  sheet,
  onChange,
  items,
  view,
  isLoading,
  onSpan,
  span,
  zone,
}: PreviewProps) {
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
  const row = cursor !== null && cursor < evaluated.rows.timesMs.length ? cursor : null;
  const { rows, cutting } = evaluated;
  return (
    <section className="card explorer-card" aria-label="Preview">
      <div className="explorer-head">
        <p className="explorer-words">
          <b>{sayWidth(cutting.rollup)}</b>
          <span className="quiet">
            {view.rollup === 'auto' ? ', from pixel width' : ''} · {printCount(rows.timesMs.length)} rows ·{' '}
            {zone.replaceAll('_', ' ')}
            {zone === 'UTC' ? '' : ` ${printOffsets(zone, span)}`}
            {isLoading ? ' · computing …' : ''}
          </span>
        </p>
      </div>
      <ChartView
        model={model}
        label={`Chart of ${series.map(({ alias }) => alias).join(', ')}; ${printRange(view.range, span, zone)}`}
        detailsId={`${id}-rows`}
        cursor={row}
        onCursor={setCursor}
        onSpan={onSpan}
        onZoomOut={() => onSpan(stretchSpan(span, 2))}
        sayRow={(at) => sayRow(series, evaluated, at, zone)}
        isBusy={isLoading}
        height={340}
      />
      <SpokenRows id={`${id}-rows`} rows={rows} columns={previewColumns(series)} zone={zone} />
      <div>
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
  const shown = row ?? rows.timesMs.length - 1;
  const moment = shown < 0 ? 'Value' : printCivil(zone, rows.timesMs[shown]!);
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

/** The same as a table. */
export function ResultTable({
  evaluated,
  items,
  zone,
}: {
  evaluated: Evaluated | null;
  items: readonly Item[];
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

function sayRow(series: readonly PreviewSeries[], { rows }: Evaluated, row: number, zone: string): string {
  const values = series
    .filter(({ isVisible }) => isVisible)
    .slice(0, 8)
    .map(({ alias, unit }) => {
      const value = rows.columns.get(alias)?.[row];
      return `${alias} ${value === undefined ? 'null' : `${printNumber(value)} ${unit}`}`;
    });
  return `${printCivil(zone, rows.timesMs[row]!)}: ${values.join('; ')}`;
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
