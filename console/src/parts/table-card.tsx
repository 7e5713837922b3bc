/** A card with a table of a list. */
import type { ReactNode } from 'react';
import { type Answered, Failure } from './notice.tsx';
import { Card } from './page.tsx';
import { DataTable } from './table.tsx';
import type { TableProps } from './table-body.tsx';
import { useLocalRows } from './table-rows.ts';

interface TableCardProps<T> extends Omit<TableProps<T>, 'rows' | 'label' | 'empty'> {
  title?: string;
  /** Names the table; default: the title. */
  label?: string;
  note?: ReactNode;
  /** Shown in the head if there are rows. */
  actions?: ReactNode;
  /** Undefined while it is loading. */
  list: readonly T[] | undefined;
  /** The first order: the ID of a column, `-` before it for descending. */
  sort?: string;
  /** The call that gives the list: its error is shown. */
  of?: Pick<Answered<unknown>, 'error' | 'refetch'>;
  /** Above the table. */
  tools?: ReactNode;
  /** Below the table. */
  foot?: ReactNode;
  empty?: ReactNode;
}

/** The card. */
export function TableCard<T>({
  title,
  label = title ?? '',
  note,
  actions,
  list,
  sort,
  of,
  tools,
  foot,
  empty = null,
  height = '420px',
  ...table
}: TableCardProps<T>) {
  const rows = useLocalRows(list, table.columns, sort);
  const head = { ...(title === undefined ? {} : { title }), actions: rows.total > 0 && actions };
  return (
    <Card {...head} note={note} isFlush>
      {tools}
      {of && <Failure of={of} />}
      <DataTable {...table} label={label} rows={rows} height={height} empty={empty} />
      {foot}
    </Card>
  );
}
