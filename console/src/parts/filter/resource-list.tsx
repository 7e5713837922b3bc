/** A list of signals or items of the service: filter, table, and a foot with the count and what can be done. */
import type { ReactNode } from 'react';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { Failure } from '../notice.tsx';
import { printCount, printNumberOf } from '../number.ts';
import { Card } from '../page.tsx';
import { DataTable } from '../table.tsx';
import type { TableProps } from '../table-body.tsx';
import type { PagedRows } from '../table-rows.ts';
import { FilterBar } from './filter-bar.tsx';
import type { PlaceFilter } from './place-filter.ts';
import type { FilterField } from './terms.ts';

interface ResourceListProps<T> extends Omit<TableProps<T>, 'rows' | 'idOf'> {
  place: PlaceFilter;
  fields: readonly FilterField[];
  searchLabel: string;
  rows: PagedRows<T>;
  /** `signal`, for the count. */
  noun: string;
  /** Before the search field. */
  tools?: ReactNode;
  /** Above the table. */
  notice?: ReactNode;
  /** At the end of the foot. */
  children: ReactNode;
}

/** The list. An error of the filter is shown below the filter. */
export function ResourceList<T extends { id: string }>({
  place,
  fields,
  searchLabel,
  noun,
  tools,
  notice,
  children,
  ...table
}: ResourceListProps<T>) {
  const { rows, selection } = table;
  const filterError = fieldError(rows.error, 'query.filter');
  const selected = selection?.ids.size ?? 0;
  return (
    <>
      <FilterBar place={place} fields={fields} searchLabel={searchLabel} error={filterError}>
        {tools}
      </FilterBar>
      {notice}
      {!filterError && <Failure of={rows} />}
      <Card isFlush>
        <DataTable {...table} idOf={({ id }) => id} />
        <div className="table-foot">
          <span className="quiet" role="status">
            {rows.total > 0 || (!rows.isLoading && !rows.error)
              ? printNumberOf(rows.total, noun)
              : rows.isLoading && 'Loading …'}
            {selected > 0 && `, ${printCount(selected)} selected`}
          </span>
          {children}
        </div>
      </Card>
    </>
  );
}
