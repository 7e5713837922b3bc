/** The items: what readers see. */
import { useCallback, useMemo } from 'react';
import { itemFields } from '../../filter/fields.ts';
import { FilterBar } from '../../filter/filter-bar.tsx';
import { usePlaceFilter } from '../../filter/place-filter.ts';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { copyAndTell } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { printNumberOf } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import { DataTable, RowActions } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-layout.ts';
import { usePagedRows, useRowsInSight } from '../../parts/table-rows.ts';
import { href } from '../../router/place.ts';
import { call } from '../../session/rpc.ts';
import { fieldError } from '../../session/rpc-error.ts';
import type { ItemView, Selection } from '../../session/views.ts';
import { Moment } from '../../time/moment.tsx';
import { Labels, TypeText } from '../signals/signal-cells.tsx';
import { useTrends } from './trends.ts';
import '../signals/signals.css';

const searchPaths = ['name', 'description'];

/** The list. */
export default function ItemsPage() {
  const place = usePlaceFilter(searchPaths, 'name');
  const { whole, sort, setSort } = place;
  const load = useCallback(
    (skip: number, limit: number, signal: AbortSignal) => loadItems(whole, sort, skip, limit, signal),
    [whole, sort],
  );
  const paged = usePagedRows({ key: ['service.selectItems', whole, sort], load, sort, onSort: setSort });
  const { rows, ids } = useRowsInSight(paged);
  const trends = useTrends(ids);
  const columns = useMemo(() => columnsFor(trends), [trends]);
  const filterError = fieldError(rows.error, 'query.filter');
  return (
    <Page title="Items" lead="Published signals, as readers, charts and formulas see them." isWide>
      <FilterBar
        fields={itemFields}
        text={place.text}
        onText={place.setText}
        filter={place.filter}
        onFilter={place.setFilter}
        error={filterError}
        searchLabel="Name or description"
      />
      {rows.error && !filterError && <ErrorNotice error={rows.error} retry={rows.refetch} />}
      <Card isFlush>
        <DataTable
          label="Items"
          name="items"
          rows={rows}
          columns={columns}
          idOf={({ id }) => id}
          linkOf={({ id }) => href(`/items/${id}`)}
          empty={<NoItems isFiltered={Object.keys(whole).length > 0} />}
        />
        <div className="table-foot">
          <span className="quiet" role="status">
            {printNumberOf(rows.total, 'item')}
          </span>
        </div>
      </Card>
    </Page>
  );
}

async function loadItems(filter: object, sort: string, skip: number, limit: number, signal: AbortSignal) {
  const query = { filter, sort: sort === '' ? [] : [sort], skip, limit, total: true };
  const answer = await call<Selection<ItemView>>('service.selectItems', { query }, { signal });
  return { rows: answer.data, total: answer.meta.total };
}

const byService = () => null;

function columnsFor(trends: ReadonlyMap<string, readonly (number | null)[]>): Column<ItemView>[] {
  return [nameColumn, trendColumn(trends), ...otherColumns];
}

function trendColumn(trends: ReadonlyMap<string, readonly (number | null)[]>): Column<ItemView> {
  return {
    id: 'trend',
    title: 'Last day',
    width: '130px',
    cell: ({ id, attributes }) =>
      attributes.valueType === 'numeric' ? (
        <Sparkline values={trends.get(id) ?? []} />
      ) : (
        <span className="quiet">–</span>
      ),
  };
}

const nameColumn: Column<ItemView> = {
  id: 'name',
  title: 'Name',
  width: '2.4fr',
  sort: byService,
  cell: ({ id, attributes }) => (
    <a className="table-name" href={href(`/items/${id}`)}>
      {attributes.name}
    </a>
  ),
};

const otherColumns: readonly Column<ItemView>[] = [
  {
    id: 'valueType',
    title: 'Type',
    width: '100px',
    sort: byService,
    cell: ({ attributes }) => <TypeText attributes={attributes} />,
  },
  {
    id: 'engUnit',
    title: 'Unit',
    width: '90px',
    sort: byService,
    cell: ({ attributes }) => attributes.engUnit || <span className="quiet">–</span>,
  },
  {
    id: 'labels',
    title: 'Labels',
    width: '2.4fr',
    cell: ({ attributes }) => <Labels labels={attributes.labels} />,
  },
  {
    id: 'visible',
    title: 'Visible',
    width: '110px',
    sort: byService,
    cell: ({ attributes }) =>
      attributes.visible ? <Badge tone="good">visible</Badge> : <Badge>hidden</Badge>,
  },
  {
    id: 'updatedAt',
    title: 'Changed',
    width: '180px',
    sort: byService,
    cell: ({ meta }) => <Moment at={meta.updatedAt} />,
  },
  {
    id: 'description',
    title: 'Description',
    width: '2fr',
    isExtra: true,
    sort: byService,
    cell: ({ attributes }) => <span title={attributes.description}>{attributes.description}</span>,
  },
  {
    id: 'id',
    title: 'ID',
    width: '210px',
    isExtra: true,
    sort: byService,
    cell: ({ id }) => <code>{id}</code>,
  },
  { id: 'actions', title: '', width: '60px', cell: (item) => <ItemMenu item={item} /> },
];

function ItemMenu({ item: { id, attributes } }: { item: ItemView }) {
  return (
    <RowActions>
      <Menu
        label={`Actions for ${attributes.name}`}
        isTiny
        entries={[
          { text: 'Open in explorer', icon: 'chart', to: href('/explorer', { items: id }) },
          { text: 'Copy ID', icon: 'copy', run: () => void copyAndTell(id, 'Item ID') },
        ]}
      />
    </RowActions>
  );
}

function NoItems({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState icon="filter" title="No item matches" />;
  return (
    <EmptyState
      icon="box"
      title="Nothing is published yet"
      action={
        <LinkButton to={href('/publish')} tone="primary" icon="publish">
          Publish signals
        </LinkButton>
      }
    >
      <p>
        An item is a signal that readers may see, with meta-data made for them. Choose signals and publish
        them.
      </p>
    </EmptyState>
  );
}
