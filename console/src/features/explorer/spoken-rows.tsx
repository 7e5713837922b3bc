/** The rows of a chart as a plain table, for users of screen readers: hidden until it has the focus. */

import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { printCivil } from '../../platform/time/civil.ts';
import type { FileColumn } from './file.ts';
import type { Rows } from './frame.ts';
import { printNumber } from './ticks.ts';
import { printOffsets } from './timestamps.ts';

/** So many rows at a time: a table of thousands would take longer than the chart. */
const pageRows = 25;

/** Pages of rows; what `aria-details` of a chart leads to. */
export function SpokenRows({
  id,
  rows,
  columns,
  zone,
}: {
  id: string;
  rows: Rows;
  columns: readonly FileColumn[];
  zone: string;
}) {
  const [page, setPage] = useState(0);
  const total = rows.timesMs.length;
  const first = Math.min(page, Math.max(0, Math.ceil(total / pageRows) - 1)) * pageRows;
  const last = Math.min(total, first + pageRows);
  const shown = Array.from({ length: last - first }, (_, i) => first + i);
  const said = total === 0 ? 'no rows' : `rows ${first + 1} to ${last} of ${total}`;
  return (
    <section id={id} className="spoken-rows" aria-label="Data of the chart">
      <div className="line">
        <Button isTiny icon="left" isDisabled={first === 0} onPress={() => setPage(first / pageRows - 1)}>
          Rows before
        </Button>
        <Button isTiny icon="right" isDisabled={last >= total} onPress={() => setPage(first / pageRows + 1)}>
          Rows after
        </Button>
        <span role="status">{said}</span>
      </div>
      <table className="spoken-table">
        <caption className="hidden-text">
          Data of the chart, {said}; times in {zone} {total > 0 && spanSaid(rows, zone)}
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {columns.map(({ key, title }) => (
              <th key={key} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row}>
              <th scope="row">{printCivil(zone, rows.timesMs[row]!)}</th>
              {columns.map((column) => (
                <td key={column.key} className="number">
                  {printCell(rows, column, row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The text of a cell of a table of rows. */
export function printCell(rows: Rows, { key, text }: FileColumn, row: number): string {
  const value = rows.columns.get(key)?.[row];
  return value === undefined ? 'no value' : (text?.(value) ?? printNumber(value, 8));
}

function spanSaid({ timesMs }: Rows, zone: string): string {
  return printOffsets(zone, { fromMs: timesMs[0]!, toMs: timesMs[timesMs.length - 1]! + 1 });
}
