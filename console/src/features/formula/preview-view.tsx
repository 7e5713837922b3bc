/** What a sheet gives: chart, values with the reason where there is none, and table. */
import { useId, useMemo, useState } from 'react';
import { EmptyState } from '../../parts/notice.tsx';
import { printCount } from '../../parts/number.ts';
import { toggled } from '../../parts/toggled.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { ChartView } from '../explorer/chart-view.tsx';
import { DataCard, DataWords } from '../explorer/data-card.tsx';
import { type Span, stretchSpan } from '../explorer/range.ts';
import { Amount, LegendButton, ReadoutTable } from '../explorer/readout-table.tsx';
import { RowsTable } from '../explorer/rows-table.tsx';
import { SpokenRows } from '../explorer/spoken-rows.tsx';
import { Swatch } from '../explorer/swatch.tsx';
import { printNumber } from '../explorer/ticks.ts';
import { nameZone, printRange } from '../explorer/timestamps.ts';
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
import type { Formulas } from './use-formulas.ts';
import '../explorer/readout-table.css';
import './formula.css';

/** The chart of the sheet and the values at the cursor. */
export function Preview({
  evaluated,
  sheet,
  setSheet,
  items,
  view,
  isLoading,
  onSpan,
  span,
  zone,
}: Pick<Formulas, 'evaluated' | 'sheet' | 'setSheet' | 'items' | 'view' | 'isLoading' | 'span' | 'zone'> & {
  onSpan(span: Span): void;
}) {
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
  const { rows } = evaluated;
  const row = cursor !== null && cursor < rows.timesMs.length ? cursor : null;
  return (
    <DataCard label="Preview" head={<Head {...{ evaluated, view, isLoading, span, zone }} />}>
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
      <Values
        series={series}
        evaluated={evaluated}
        row={row ?? rows.timesMs.length - 1}
        zone={zone}
        onToggle={(alias) => setSheet({ ...sheet, hidden: toggled(sheet.hidden, alias) })}
      />
    </DataCard>
  );
}

function Head({
  evaluated: { rows, cutting },
  view,
  isLoading,
  span,
  zone,
}: Pick<Formulas, 'view' | 'isLoading' | 'span' | 'zone'> & { evaluated: Evaluated }) {
  const notes = [
    view.rollup === 'auto' ? ', from pixel width' : '',
    ` · ${printCount(rows.timesMs.length)} rows · ${nameZone(zone, span)}`,
    isLoading ? ' · computing …' : '',
  ];
  return <DataWords width={sayWidth(cutting.rollup)} notes={notes.join('')} />;
}

function Beginning() {
  return (
    <section className="card" aria-label="Preview">
      <EmptyState icon="formula" title="Nothing to compute yet">
        <p>
          Add items: each gets an alias. Then write a calculation with these aliases, such as flow / power.
        </p>
        <p>The result is drawn here while you type. Functions has every function with examples to run.</p>
      </EmptyState>
    </section>
  );
}

interface ValuesProps {
  series: readonly PreviewSeries[];
  evaluated: Evaluated;
  /** -1: there are no rows. */
  row: number;
  zone: string;
  onToggle(alias: string): void;
}

/** The value of each series in a row, or why there is none. */
function Values({ series, evaluated, row, zone, onToggle }: ValuesProps) {
  const time = row < 0 ? 'Value' : printCivil(zone, evaluated.rows.timesMs[row]!);
  return (
    <ReadoutTable
      caption="Values of the sheet"
      heads={['Series', [time, 'number'], ['Null buckets', 'number wide-only']]}
    >
      {series.map((each) => (
        <tr key={each.alias} className={each.isVisible ? '' : 'off'}>
          <th scope="row">
            <LegendButton isVisible={each.isVisible} onPress={() => onToggle(each.alias)}>
              <Swatch style={each.line.style} />
              <span className="mono">{each.alias}</span>
            </LegendButton>
            <span className="quiet small series-meaning">{each.meaning}</span>
          </th>
          <td className="number value">
            <Value series={each} evaluated={evaluated} row={row} />
          </td>
          <td className="number wide-only quiet">{countNulls(each, evaluated) || ''}</td>
        </tr>
      ))}
    </ReadoutTable>
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
  return <Amount value={value} unit={series.unit} />;
}

/** The same as a table. */
export function ResultTable({ evaluated, items, zone }: Pick<Formulas, 'evaluated' | 'items' | 'zone'>) {
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
      return `${alias} ${value === undefined ? 'null' : `${printNumber(value)} ${unit}`}`.trim();
    });
  return `${printCivil(zone, rows.timesMs[row]!)}: ${values.join('; ')}`;
}
