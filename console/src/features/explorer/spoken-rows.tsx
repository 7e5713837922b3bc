/** The rows of a chart as a plain table, for users of screen readers: hidden until it has the focus. */
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { printCivil } from '../../platform/time/civil.ts';
import type { FileColumn } from './file.ts';
import type { Rows } from './frame.ts';
import { printNumber } from './ticks.ts';
import { printOffsets } from './timestamps.ts';
import './spoken-rows.css';

/** The number of rows of a page: a table of thousands would take longer than the chart. */
const pageRows = 25;

interface Props {
  id: string;
  /** Null: not rendered yet. */
  rows: Rows | null;
  columns: readonly FileColumn[];
  zone: string;
}

/** Pages of rows; what `aria-details` of a chart leads to. */
export function SpokenRows(props: Props) {
  return (
    <section id={props.id} className="spoken-rows" aria-label="Data of the chart">
      {props.rows && <Pages {...props} rows={props.rows} />}
    </section>
  );
}

function Pages({ rows, columns, zone }: Props & { rows: Rows }) {
  const [page, setPage] = useState(0);
  const total = rows.timesMs.length;
  const first = Math.min(page, Math.max(0, Math.ceil(total / pageRows) - 1)) * pageRows;
  const last = Math.min(total, first + pageRows);
  const shown = Array.from({ length: last - first }, (_, i) => first + i);
  const said = total === 0 ? 'no rows' : `rows ${first + 1} to ${last} of ${total}`;
  return (
    <>
      <div className="line">
        <Button isTiny icon="left" isDisabled={first === 0} onPress={() => setPage(first / pageRows - 1)}>
          Previous rows
        </Button>
        <Button isTiny icon="right" isDisabled={last >= total} onPress={() => setPage(first / pageRows + 1)}>
          Next rows
        </Button>
        <span role="status">{said}</span>
      </div>
      <PlainTable
        className="spoken-table"
        caption={`Data of the chart, ${said}; times in ${zone} ${offsetsOf(rows, zone)}`}
        heads={['Time', ...columns.map(({ title }) => title)]}
      >
        {shown.map((row) => (
          <tr key={row}>
            <th scope="row">{printCivil(zone, rows.timesMs[row]!)}</th>
            {columns.map((column) => (
              <td key={column.key} className="number">
                {printCell(rows, column, row) ?? 'no value'}
              </td>
            ))}
          </tr>
        ))}
      </PlainTable>
    </>
  );
}

/** The text of a cell of a table of rows; null: there is no value. */
export function printCell(rows: Rows, { key, text }: FileColumn, row: number): string | null {
  const value = rows.columns.get(key)?.[row];
  return value === undefined ? null : (text?.(value) ?? printNumber(value, 8));
}

function offsetsOf({ timesMs }: Rows, zone: string): string {
  if (timesMs.length === 0) return '';
  return printOffsets(zone, { fromMs: timesMs[0]!, toMs: timesMs[timesMs.length - 1]! + 1 });
}
