/** All rows of a view as a table; only those in sight are drawn. */
import { useMemo } from 'react';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { offsetMs, printCivil, printOffset } from '../../platform/time/civil.ts';
import type { FileColumn } from './file.ts';
import type { Rows } from './frame.ts';
import { printNumber } from './ticks.ts';

/** The table of rows, times in the zone with their offset. */
export function RowsTable({
  rows,
  columns,
  zone,
  label,
}: {
  rows: Rows;
  columns: readonly FileColumn[];
  zone: string;
  label: string;
}) {
  const source = useMemo(
    () => ({
      total: rows.timesMs.length,
      at: (index: number) => index,
      isLoading: false,
      error: null,
      sort: '',
    }),
    [rows],
  );
  const shown = useMemo(() => tableColumns(rows, columns, zone), [rows, columns, zone]);
  return (
    <DataTable
      label={label}
      name="explorer-rows"
      rows={source}
      columns={shown}
      idOf={String}
      empty={<p className="quiet table-empty">There is no point in this window.</p>}
      height="min(560px, 70dvh)"
    />
  );
}

function tableColumns(rows: Rows, columns: readonly FileColumn[], zone: string): Column<number>[] {
  const time: Column<number> = {
    id: 'time',
    title: 'Time',
    width: '260px',
    cell: (row) => {
      const ms = rows.timesMs[row]!;
      return (
        <span className="figures">
          {printCivil(zone, ms)} <span className="quiet small">{printOffset(offsetMs(zone, ms))}</span>
        </span>
      );
    },
  };
  return [
    time,
    ...columns.map(({ key, title, text }): Column<number> => {
      const column = rows.columns.get(key) ?? [];
      return {
        id: key,
        title,
        width: '1.4fr',
        isNumber: true,
        cell: (row) => {
          const value = column[row];
          return value === undefined ? (
            <span className="quiet">–</span>
          ) : (
            (text?.(value) ?? printNumber(value, 8))
          );
        },
      };
    }),
  ];
}
