/** All rows of a view as a table; only those in sight are drawn. */
import { useMemo } from 'react';
import { DataTable } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { offsetOf } from '../../platform/time/zone.ts';
import type { FileColumn } from './file.ts';
import type { Rows } from './frame.ts';
import { printCell } from './spoken-rows.tsx';

interface RowsTableProps {
  rows: Rows;
  columns: readonly FileColumn[];
  zone: string;
  label: string;
}

/** The table of rows, times in the zone with their offset. */
export function RowsTable({ rows, columns, zone, label }: RowsTableProps) {
  const total = rows.timesMs.length;
  const source = useMemo(
    () => ({ total, at: (index: number) => index, isLoading: false, error: null, sort: '' }),
    [total],
  );
  const shown = useMemo(() => tableColumns(rows, columns, zone), [rows, columns, zone]);
  return (
    <DataTable
      label={label}
      name="explorer-rows"
      rows={source}
      columns={shown}
      idOf={String}
      empty={<p className="quiet table-empty">No points in this window.</p>}
      height="min(560px, 70dvh)"
    />
  );
}

function tableColumns(rows: Rows, columns: readonly FileColumn[], zone: string): Column<number>[] {
  const time = (row: number) => (
    <span className="figures">
      {printCivil(zone, rows.timesMs[row]!)}{' '}
      <span className="quiet small">{offsetOf(zone, rows.timesMs[row]!)}</span>
    </span>
  );
  return [
    { id: 'time', title: 'Time', width: '260px', cell: time },
    ...columns.map(
      (column): Column<number> => ({
        id: column.key,
        title: column.title,
        width: '1.4fr',
        isNumber: true,
        cell: (row) => printCell(rows, column, row) ?? <span className="quiet">–</span>,
      }),
    ),
  ];
}
