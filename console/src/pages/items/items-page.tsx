/** The items: what readers see. */
import { useMutation } from '@tanstack/react-query';
import type { Item } from '@tidemark/client/wire';
import { useCallback, useMemo, useState } from 'react';
import { BulkEditDialog } from '../../features/edit/bulk-edit-dialog.tsx';
import type { Scope } from '../../features/edit/target.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { download } from '../../parts/code-block.tsx';
import { itemFields } from '../../parts/filter/fields.ts';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { usePlaceFilter } from '../../parts/filter/place-filter.ts';
import type { FilterJson } from '../../parts/filter/terms.ts';
import { EmptyState, ErrorNotice } from '../../parts/notice.tsx';
import { printCount, printNumberOf } from '../../parts/number.ts';
import { Card, Page } from '../../parts/page.tsx';
import { DataTable } from '../../parts/table.tsx';
import { usePagedRows, useRowsInSight } from '../../parts/table-rows.ts';
import { tellError } from '../../parts/toast.tsx';
import { href, navigate } from '../../platform/router/place.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { fieldError } from '../../platform/rpc/rpc-error.ts';
import { useIsAdmin } from '../../platform/session/context.tsx';
import { exportResources } from '../signals/export-signals.ts';
import { itemColumns, itemHref } from './item-columns.tsx';
import { useItemFacts } from './item-facts.ts';
import '../signals/signals.css';

const searchPaths = ['name', 'description'];

/** The list. */
export default function ItemsPage() {
  const isAdmin = useIsAdmin();
  const place = usePlaceFilter(searchPaths, 'name');
  const { whole, sort, setSort } = place;
  const load = useCallback(
    (skip: number, limit: number, signal?: AbortSignal) => loadItems(whole, sort, skip, limit, signal),
    [whole, sort],
  );
  const paged = usePagedRows({ key: ['service.selectItems', whole, sort], load, sort, onSort: setSort });
  const { rows, ids: idsInSight } = useRowsInSight(paged);
  const facts = useItemFacts(idsInSight);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<Scope | null>(null);
  const columns = useMemo(() => itemColumns(facts), [facts]);
  const filterError = fieldError(rows.error, 'query.filter');
  const editAll = isAdmin ? () => setEditing({ filter: whole }) : undefined;
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
          linkOf={itemHref}
          selection={{ ids, onChange: setIds }}
          empty={<NoItems isFiltered={Object.keys(whole).length > 0} />}
        />
        <div className="table-foot">
          <span className="quiet" role="status">
            {rows.isLoading && rows.total === 0 ? 'Loading …' : printNumberOf(rows.total, 'item')}
            {ids.size > 0 && `, ${printCount(ids.size)} selected`}
          </span>
          {ids.size > 0 ? (
            <SelectionActions
              ids={ids}
              clear={() => setIds(new Set())}
              edit={isAdmin ? () => setEditing({ ids: [...ids] }) : undefined}
            />
          ) : (
            rows.total > 0 && <AllActions total={rows.total} load={load} edit={editAll} />
          )}
        </div>
      </Card>
      {editing && (
        <BulkEditDialog
          target={{ kind: 'items' }}
          scope={editing}
          count={'ids' in editing ? editing.ids.length : rows.total}
          onClose={() => setEditing(null)}
        />
      )}
    </Page>
  );
}

/** As many as a chart takes. */
const chartMax = 50;

function SelectionActions({
  ids,
  clear,
  edit,
}: {
  ids: ReadonlySet<string>;
  clear(): void;
  edit: (() => void) | undefined;
}) {
  const chart = () => navigate(href('/explorer', { items: [...ids].join('.') }));
  return (
    <span className="line">
      <Button isTiny tone="plain" onPress={clear}>
        Clear selection
      </Button>
      {edit && (
        <Button isTiny icon="pencil" onPress={edit}>
          Edit {printCount(ids.size)} …
        </Button>
      )}
      <Button isTiny tone="primary" icon="chart" isDisabled={ids.size > chartMax} onPress={chart}>
        {ids.size > chartMax ? `A chart takes ${chartMax} items` : 'Open in explorer'}
      </Button>
    </span>
  );
}

function AllActions({
  total,
  load,
  edit,
}: {
  total: number;
  load(skip: number, limit: number): Promise<{ rows: readonly Item[] }>;
  edit: (() => void) | undefined;
}) {
  const save = useMutation({
    mutationFn: () => exportResources(load),
    onSuccess: (csv) => download('items.csv', csv, 'text/csv'),
    onError: tellError,
  });
  return (
    <span className="line">
      <Button isTiny icon="download" isPending={save.isPending} onPress={() => save.mutate()}>
        CSV of all
      </Button>
      {edit && (
        <Button isTiny icon="pencil" onPress={edit}>
          Edit all {printCount(total)} …
        </Button>
      )}
    </span>
  );
}

async function loadItems(
  filter: FilterJson,
  sort: string,
  skip: number,
  limit: number,
  signal?: AbortSignal,
) {
  const query = { filter, sort: sort === '' ? [] : [sort], skip, limit, total: true };
  const answer = await call('service.selectItems', { query }, signal ? { signal } : {});
  return { rows: answer.data, total: answer.meta.total };
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
        An item is a signal that readers may see, with metadata made for them. Choose signals and publish
        them.
      </p>
    </EmptyState>
  );
}
